#include "tools/client/reservation_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "events/values/date_time.hpp"
#include "events/values/duration.hpp"
#include "events/values/job_texts.hpp"
#include "events/values/string_list.hpp"
#include "tools/client/job_ids.hpp"
#include "tools/client/option_values.hpp"
#include "tools/client/printed.hpp"

namespace annals::client {
namespace {

constexpr option rsub_options[] = {
    {'I', "seconds", "wait so long for the answer; negative: and give the reservation up then"},
    {'m', "mail_points", "when to send mail: n, or of a b c e"},
    {'M', "mail_list", "to whom"},
    {'N', "name", "its name"},
    {'u', "user_list", "user for whom it is: only oneself"},
    {'g', "group_list", "group of that user: only one's own"},
    {'U', "users", "who may submit to its queue"},
    {'G', "groups", "groups whose members may"},
    {'H', "hosts", "hosts from which jobs may come"},
    {'R', "start", "when it begins: [[[[CC]YY]MM]DD]hhmm[.SS]"},
    {'E', "end", "when it ends"},
    {'D', "duration", "how long it lasts"},
    {'q', "@server", "the server to ask"},
    {'r', "rule", "when it comes again: an iCalendar rule, in the time zone PBS_TZID"},
    {'W', "name=value", "qmove=job, delete_idle_time=duration"},
    {'l', "resources", "what is kept"},
};
constexpr option ralter_options[] = {
    {'I', "seconds", "wait so long for the answer"},
    {'m', "mail_points", "when to send mail: n, or of a b c e"},
    {'M', "mail_list", "to whom"},
    {'N', "name", "its name"},
    {'R', "start", "when it begins: [[[[CC]YY]MM]DD]hhmm[.SS]"},
    {'E', "end", "when it ends"},
    {'U', "users", "who may submit to its queue"},
    {'G', "groups", "groups whose members may; empty: all again"},
    {'D', "duration", "how long it lasts"},
    {'W', "force", "force: without asking whether there is room"},
    {'l', "select=...", "fewer chunks of those it has"},
};

// Letters whose value is an attribute's value as it stands.
struct reservation_letter {
  char letter;
  const char* attribute;
};
constexpr reservation_letter reservation_letters[] = {
    {'N', "Reserve_Name"},
    {'m', "Mail_Points"},
    {'M', "Mail_Users"},
    {'U', "Authorized_Users"},
    {'G', "Authorized_Groups"},
    {'H', "Authorized_Hosts"},
    {'r', "reserve_rrule"},
};

bool is_name(std::string_view text) { return values::is_job_name(text) && text.size() <= values::job_name_chars_max; }

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

std::string named(const command& c, const std::string& text) { return std::string(c.name) + ": " + text; }

bool is_time_of_day(std::string_view text) { return text.substr(0, text.find('.')).size() == 4; }

// -D, -R and -E. An end that is a time of day is the first after the start. A duration that is none is the walltime to PBS, which says so.
std::optional<complaint> add_times(const command& c, const command_line& line, std::int64_t now, std::vector<job_attribute>& into) {
  const auto time_of = [&](char letter) {
    const auto* given = line.find(letter);
    return given ? parse_reservation_time(*given, now) : std::nullopt;
  };
  const auto start = time_of('R');
  auto end = time_of('E');
  if (start && end && *end <= *start && is_time_of_day(*line.find('E'))) end = parse_reservation_time(*line.find('E'), *start);
  if (start) into.push_back({"reserve_start", "", std::to_string(*start)});
  if (end) into.push_back({"reserve_end", "", std::to_string(*end)});
  const auto* text = line.find('D');
  if (!text) return std::nullopt;
  const auto duration = values::parse_duration(*text);
  if (!duration) {
    const auto bad = values::refuse(pbs_error::bad_value, "Resource_List.walltime");
    return complaint{refusal_line(c.name, bad.code, bad.text), exit_status(bad.code)};
  }
  into.push_back({"reserve_duration", "", std::to_string(*duration)});
  return std::nullopt;
}

void add_plain(const command_line& line, std::vector<job_attribute>& into) {
  for (const auto& row : reservation_letters) {
    const auto* value = line.find(row.letter);
    if (!value) continue;
    into.push_back({row.attribute, "", *value, value->empty() ? schema::AttributeOp::UNSET : schema::AttributeOp::SET});
  }
  std::vector<assignment> resources;
  for (const given& g : line.options)
    if (g.letter == 'l') merge_assignments(resources, parse_resource_list(g.value).value_or(std::vector<assignment>()));
  for (const assignment& r : resources) into.push_back({"Resource_List", r.name, r.value});
  if (const auto* seconds = line.find('I'); seconds && *seconds != "0") into.push_back({"interactive", "", *seconds});
}

// The names of "user,other@host" that count on this host.
bool names_only(std::string_view list, std::string_view name, std::string_view host) {
  const auto entries = values::split_trimmed(list);
  return std::all_of(entries.begin(), entries.end(), [&](std::string_view entry) {
    const auto at = entry.find('@');
    return entry.substr(0, at) == name || (at != std::string_view::npos && entry.substr(at + 1) != host);
  });
}

std::optional<complaint> refused_for_others(const command_line& line, const reservation_asker& who) {
  const auto refused = [](std::uint32_t code) {
    const auto bad = values::refuse(code);
    return complaint{refusal_line(rsub_command.name, bad.code, bad.text), exit_status(bad.code)};
  };
  if (const auto* users = line.find('u'); users && !names_only(*users, who.user, who.host)) return refused(pbs_error::reservation_bad_user);
  if (const auto* groups = line.find('g'); groups && !names_only(*groups, who.group, who.host))
    return refused(pbs_error::reservation_bad_group);
  return std::nullopt;
}

complaint with_usage(std::string text) { return {named(rsub_command, text), 2, true}; }

std::optional<complaint> check_combination(const command_line& line, const long_options& longs, const std::string* qmove) {
  if (longs.has_hosts) {
    if (longs.hosts.empty()) return with_usage("missing host(s)");
    for (const char letter : {'l', 'I'})
      if (line.has(letter)) return with_usage(std::string("can't use -") + letter + " with --hosts");
    if (longs.job) return with_usage("can't use --job with --hosts");
    if (qmove) return with_usage("can't use -Wqmove with --hosts");
    for (auto h = longs.hosts.begin(); h != longs.hosts.end(); ++h)
      if (std::find(longs.hosts.begin(), h, *h) != h) return with_usage("Duplicate host: " + *h);
  }
  if (longs.job) {
    for (const char letter : {'l', 'R', 'E', 'D', 'r', 'W'})
      if (line.has(letter)) return with_usage(std::string("can't use -") + letter + " with --job");
  }
  if (qmove) {
    if (line.has('R') || line.has('E')) return with_usage("-Wqmove is not compatible with -R or -E option");
    if (const auto* seconds = line.find('I'); seconds && !seconds->starts_with('-'))
      return complaint{named(rsub_command, "-I <timeout> value must be negative when used with -Wqmove option."), 2};
  }
  return std::nullopt;
}

}  // namespace

const command rsub_command = {"pbs_rsub",
                              "usage: pbs_rsub [-I seconds] [-m mail_points] [-M mail_list]\n"
                              "                [-N reservation_name] [-u user_list] [-g group_list]\n"
                              "                [-U auth_user_list] [-G auth_group_list] [-H auth_host_list]\n"
                              "                [-R start_time] [-E end_time] [-D duration] [-q destination]\n"
                              "                [-r rrule_expression] [-W otherattributes=value...]\n"
                              "                -l resource_list | --hosts host1 [... hostn]\n"
                              "       pbs_rsub --version\n",
                              rsub_options};
const char* const rsub_long_help =
    "  --hosts h1 ...       maintenance: all of these hosts, whatever runs there\n"
    "  --job id             the vnodes of this running job, from now on\n";
const command ralter_command = {"pbs_ralter",
                                "usage: pbs_ralter [-I seconds] [-m mail_points] [-M mail_list]\n"
                                "                [-N reservation_name] [-R start_time] [-E end_time]\n"
                                "                [-U (+/-)username[,(+/-)username]...]\n"
                                "                [-G [(+/-)group[,(+/-)group]...]]\n"
                                "                [-D duration]\n"
                                "                [-W force]\n"
                                "                resv_id\n"
                                "       pbs_ralter --version\n",
                                ralter_options};

std::optional<reservation_name> parse_reservation_name(std::string_view text, std::string_view default_server) {
  if (text.empty() || std::string_view("RSM").find(text[0]) == std::string_view::npos) return std::nullopt;
  const auto number = parse_job_name(text.substr(1), default_server);
  if (!number || number->id.find('[') != std::string::npos) return std::nullopt;
  return reservation_name{text[0] + number->id, number->server};
}

int print_ill_formed_reservation(std::string_view command, std::string_view text) {
  print_error("%s: illegally formed reservation identifier: %s\n", std::string(command).c_str(), std::string(text).c_str());
  return 1;
}

std::string reservation_variables(const reservation_asker& who) {
  const auto value = [&](const char* name) { return who.environment_value ? who.environment_value(name) : std::nullopt; };
  std::string out = "PBS_O_LOGNAME=" + value("LOGNAME").value_or(who.user) + ",PBS_O_HOST=" + who.host;
  if (const auto mail = value("MAIL")) out += ",PBS_O_MAIL=" + *mail;
  if (const auto zone = value("PBS_TZID")) out += ",PBS_TZID=" + *zone;
  return out;
}

std::optional<std::string> own_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string server_of(const command_line& line) {
  const auto* text = line.find('q');
  const auto place = text ? parse_destination(*text) : std::nullopt;
  return place ? place->server : std::string();
}

std::optional<std::int64_t> parse_reservation_time(std::string_view text, std::int64_t now) {
  const auto dot = text.find('.');
  const auto minute = values::parse_date_time(text.substr(0, dot), now);
  if (!minute || dot == std::string_view::npos) return minute;
  const auto seconds = whole_number(text.substr(dot + 1));
  if (text.size() != dot + 3 || !seconds || *seconds < 0 || *seconds > 59) return std::nullopt;
  return *minute + *seconds;
}

std::optional<std::string> judge_reservation_option(const command& c, const given& g, std::int64_t now) {
  bool good = true;
  switch (g.letter) {
    case 'R':
    case 'E':
      if (parse_reservation_time(g.value, now)) return std::nullopt;
      return named(c, std::string("illegal -") + g.letter + " time value");
    case 'I':
      if (whole_number(g.value)) return std::nullopt;
      return named(c, "illegal -I time value");
    case 'q': {
      const auto place = parse_destination(g.value);
      if (place && place->queue.empty() && !place->server.empty()) return std::nullopt;
      return named(c, "illegal -q value: format \"@server\"");
    }
    case 'l':
      good = parse_resource_list(g.value).has_value();
      break;
    case 'm':
      good = values::is_reservation_mail_points(g.value);
      break;
    case 'M':
      good = !g.value.empty() && g.value.find_first_of(" \t") == std::string::npos;
      break;
    case 'N':
      good = is_name(g.value);
      break;
    case 'W':
      good = &c == &ralter_command ? g.value == "force" : parse_attribute_list(g.value).has_value();
      break;
    default:
      break;
  }
  if (good) return std::nullopt;
  return std::string();
}

long_options take_long_options(std::vector<std::string>& arguments) {
  long_options out;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--hosts") {
      out.has_hosts = true;
      while (i + 1 < arguments.size() && !arguments[i + 1].starts_with('-')) out.hosts.push_back(arguments[++i]);
    } else if (arguments[i] == "--job" && i + 1 < arguments.size()) {
      out.job = arguments[++i];
    } else {
      rest.push_back(arguments[i]);
    }
  }
  arguments = std::move(rest);
  return out;
}

std::variant<reservation_request, complaint> make_reservation(const command_line& line, const long_options& longs,
                                                              const reservation_asker& who) {
  std::vector<assignment> others;
  for (const given& g : line.options)
    if (g.letter == 'W') merge_assignments(others, parse_attribute_list(g.value).value_or(std::vector<assignment>()));
  const auto qmove = std::find_if(others.begin(), others.end(), [](const assignment& a) { return a.name == "qmove"; });
  if (auto bad = check_combination(line, longs, qmove == others.end() ? nullptr : &qmove->value)) return *bad;
  const auto zone = who.environment_value ? who.environment_value("PBS_TZID") : std::nullopt;
  if (line.has('r') && (!zone || zone->empty()))
    return complaint{"pbs_rsub error: a valid PBS_TZID timezone environment variable is required.", 2};
  if (auto bad = refused_for_others(line, who)) return *bad;

  reservation_request out;
  out.hosts = longs.hosts;
  if (auto bad = add_times(rsub_command, line, who.now, out.attributes)) return *bad;
  add_plain(line, out.attributes);
  if (line.has('r')) out.attributes.push_back({"reserve_timezone", "", *zone});
  const auto add_job = [&](const char* attribute, const std::string& text) {
    const auto name = parse_job_name(text, who.server);
    if (name) out.attributes.push_back({attribute, "", name->id});
    return name.has_value();
  };
  const auto ill_formed = [](const std::string& text) {
    return complaint{named(rsub_command, "illegally formed job identifier: " + text), 1};
  };
  if (longs.job && !add_job("reserve_job", *longs.job)) return ill_formed(*longs.job);
  for (const assignment& a : others) {
    if (a.name != "qmove")
      out.attributes.push_back({a.name, "", a.value});
    else if (!add_job("qmove", a.value))
      return ill_formed(a.value);
  }
  // An ASAP reservation is given up when there is no room at once, near enough.
  if (qmove != others.end() && !line.has('I')) out.attributes.push_back({"interactive", "", "-10"});
  out.attributes.push_back({"Variable_List", "", reservation_variables(who)});
  return out;
}

std::variant<reservation_request, complaint> make_alteration(const command_line& line, std::int64_t now) {
  reservation_request out;
  out.force = line.has('W');
  if (auto bad = add_times(ralter_command, line, now, out.attributes)) return *bad;
  add_plain(line, out.attributes);
  return out;
}

std::string_view answer_word(schema::ReservationAnswer::State state) {
  switch (state) {
    case schema::ReservationAnswer::State::UNCONFIRMED:
      return "UNCONFIRMED";
    case schema::ReservationAnswer::State::CONFIRMED:
      return "CONFIRMED";
    case schema::ReservationAnswer::State::DENIED:
      return "DENIED";
    case schema::ReservationAnswer::State::ALTER_REQUESTED:
      return "ALTER REQUESTED";
  }
  return "";
}

}  // namespace annals::client
