#include "actors/scheduler/cycle/policy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "actors/scheduler/cycle/parameter_names.hpp"
#include "events/values/duration.hpp"
#include "events/values/job_formula.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

using values::equal_any_case;
using values::trimmed;

namespace {

struct obsolete_name {
  const char* name;
  const char* advice;
};  // texts as PBS has them, the doubled word included
constexpr obsolete_name obsolete_names[] = {
    {"help_starving_jobs", "use eligible_time in job_sort_formula"},
    {"max_starve", "use eligible_time in job_sort_formula"},
    {"strict_fifo", "strict_ordering"},
    {"preempt_prio", "nothing - set via qmgr"},
    {"log_filter", "nothing - set log_events via qmgr"},
    {"half_life", "fairshare_decay_time and fairshare_decay_factor instead"},
    {"backfill", "server's backfill_depth=0"},
    {"sort_queues", ""},
};

struct config_line {
  std::string_view name, value, when;
  bool quoted = false, unclosed = false;  // the value: in quotes, and without the second one
};

std::string_view next_word(std::string_view& rest) {
  rest = trimmed(rest);
  std::string_view word;
  if (!rest.empty() && rest[0] == '"') {
    const auto end = rest.find('"', 1);
    word = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  } else {
    word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(word.size());
  }
  return word;
}

std::optional<config_line> split(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  config_line c;
  c.name = trimmed(line.substr(0, colon));
  auto rest = trimmed(line.substr(colon + 1));
  c.quoted = rest.starts_with('"');
  c.unclosed = c.quoted && rest.find('"', 1) == std::string_view::npos;
  c.value = next_word(rest);
  c.when = next_word(rest);
  return c;
}

// For which times a line is said.
struct times {
  bool prime = true, non_prime = true;
};
std::optional<times> times_of(std::string_view word) {
  if (word.empty() || equal_any_case(word, "all")) return times{};
  if (equal_any_case(word, "prime")) return times{true, false};
  if (equal_any_case(word, "non_prime")) return times{false, true};
  if (equal_any_case(word, "none")) return times{false, false};
  return std::nullopt;
}

// False: it is no boolean, and the flag stays as it was.
bool read_flag(bool& flag, std::string_view value) {
  const auto read = values::parse_boolean(value);
  if (read) flag = *read;
  return read.has_value();
}

std::optional<node_sort_key> read_node_sort_key(std::string_view value) {
  node_sort_key key;
  key.resource = next_word(value);
  const auto direction = next_word(value);
  const auto measure = next_word(value);
  if (key.resource.empty() || !(direction == "HIGH" || direction == "LOW")) return std::nullopt;
  key.high_first = direction == "HIGH";
  if (measure == "assigned") key.by = node_sort_key::measure::assigned;
  else if (measure == "unused") key.by = node_sort_key::measure::unused;
  else if (!measure.empty() && measure != "total") return std::nullopt;
  return key;
}

bool read_job_sort_key(timed_settings& to, std::string_view value) {
  job_sort_key key;
  key.name = next_word(value);
  const auto direction = next_word(value);
  if (key.name.empty() || !(direction == "HIGH" || direction == "LOW") || !trimmed(value).empty()) return false;
  if (key.name == "sort_priority") key.name = "job_priority";
  key.high_first = direction == "HIGH";
  to.job_sort_keys.push_back(std::move(key));
  return true;
}

template <bool timed_settings::*Flag>
bool read_timed_flag(timed_settings& to, std::string_view value) {
  return read_flag(to.*Flag, value);
}

// Parameters that may differ between prime and non-prime time. False: the value is none.
struct timed_parameter {
  const char* name;
  bool (*read)(timed_settings& to, std::string_view value);
};
constexpr timed_parameter timed_parameters[] = {
    {"by_queue", read_timed_flag<&timed_settings::by_queue>},
    {"round_robin", read_timed_flag<&timed_settings::round_robin>},
    {"strict_ordering", read_timed_flag<&timed_settings::strict_ordering>},
    {"backfill_prime", read_timed_flag<&timed_settings::backfill_prime>},
    {"preemptive_sched", read_timed_flag<&timed_settings::preemptive_sched>},
    {"fair_share", read_timed_flag<&timed_settings::fair_share>},
    {"prime_spill",
     [](timed_settings& to, std::string_view value) {
       const auto seconds = values::parse_duration(value);
       if (!seconds || *seconds < 0) return false;
       to.prime_spill = *seconds;
       return true;
     }},
    {"job_sort_key", read_job_sort_key},
    {"node_sort_key",
     [](timed_settings& to, std::string_view value) {
       auto key = read_node_sort_key(value);
       if (key) to.node_sort_keys.push_back(std::move(*key));
       return key.has_value();
     }},
};

std::string read_resources(policy& to, std::string_view value) {
  for (auto& r : values::split_trimmed(value))
    if (!r.empty()) to.checked_resources.push_back(std::move(r));
  return {};
}

std::string read_provision_policy(policy& to, std::string_view value) {
  if (value != "avoid_provision" && value != "aggressive_provision") return "Invalid provision_policy";
  to.avoids_provision = value == "avoid_provision";
  return {};
}

std::string read_dynamic(policy& to, std::string_view value) {
  dynamic_resource d;
  d.resource = next_word(value);
  value = trimmed(value);
  if (d.resource.empty() || !value.starts_with('!') || trimmed(value.substr(1)).empty()) return "Invalid server_dyn_res";
  d.script = trimmed(value.substr(1));
  to.dynamic_resources.push_back(std::move(d));
  return {};
}

template <std::string policy::*Text>
std::string read_text(policy& to, std::string_view value) {
  to.*Text = value;
  return {};
}

std::string without_effect(const char* name, std::string_view value, const char* why) {
  return std::string(name) + " " + std::string(value) + " has no effect: " + why;
}

// Parameters that hold at all times. Answers what is wrong with the value; empty: nothing. Those of PBS that change nothing here say so,
// unless the value is what happens anyway.
struct untimed_parameter {
  const char* name;
  std::string (*read)(policy& to, std::string_view value);
};
constexpr untimed_parameter untimed_parameters[] = {
    {"resources", read_resources},
    {"prime_exempt_anytime_queues",
     [](policy& to, std::string_view value) {
       return read_flag(to.prime_exempt_anytime_queues, value) ? std::string() : "Invalid prime_exempt_anytime_queues";
     }},
    {"primetime_prefix", read_text<&policy::primetime_prefix>},
    {"nonprimetime_prefix", read_text<&policy::nonprimetime_prefix>},
    {"dedicated_prefix", read_text<&policy::dedicated_prefix>},
    {"provision_policy", read_provision_policy},
    {"server_dyn_res", read_dynamic},
    {"smp_cluster_dist",
     [](policy&, std::string_view value) {
       if (value == "pack") return std::string();
       const bool known = value == "round_robin" || value == "lowest_load";
       return known ? without_effect("smp_cluster_dist", value, "chunks are packed") : std::string("Invalid smp_cluster_dist");
     }},
    {"peer_queue",
     [](policy&, std::string_view value) { return without_effect("peer_queue", value, "jobs are not fetched from other servers"); }},
};

bool orders_by_shares(const timed_settings& s) {
  return s.fair_share || std::ranges::any_of(s.job_sort_keys, values::is_fairshare_word, &job_sort_key::name);
}

class config_reader {
 public:
  explicit config_reader(parsed_policy& out) : out_(out) {}

  void read(std::string_view sched_config) {
    for (line_ = 1; !sched_config.empty(); ++line_) {
      const auto end = sched_config.find('\n');
      const auto text = trimmed(sched_config.substr(0, end));
      sched_config.remove_prefix(end == std::string_view::npos ? sched_config.size() : end + 1);
      if (!text.empty() && text[0] != '#') read_line(text);
    }
  }

 private:
  void wrong(const std::string& what) { out_.complaints.push_back("Error reading line " + std::to_string(line_) + ": " + what); }

  void read_line(std::string_view text) {
    const auto c = split(text);
    if (!c) return wrong("Unknown config parameter");
    if (c->unclosed) wrong(std::string(c->name) + " has no closing quote and is read up to the end of the line");
    for (const auto& p : timed_parameters)
      if (c->name == p.name) return read_timed(p, *c);
    if (!read_untimed(*c)) return unknown(c->name);
    if (c->when.starts_with('#')) return;
    const auto when = times_of(c->when);
    if (!when) wrong(no_time(*c));
    else if (when->prime != when->non_prime) wrong(std::string(c->name) + " holds at all times");
  }

  static std::string no_time(const config_line& c) { return std::string(c.when) + " is none of prime, non_prime, all, none"; }

  void read_timed(const timed_parameter& p, const config_line& c) {
    const auto when = times_of(c.when);
    if (!when) return wrong(no_time(c));
    timed_settings unused;
    auto& prime = when->prime ? out_.value.prime : unused;
    auto& non_prime = when->non_prime ? out_.value.non_prime : unused;
    if (!p.read(prime, c.value) || !p.read(non_prime, c.value)) return wrong("Invalid " + std::string(c.name));
    if (c.name == "job_sort_key" && values::trimmed(c.value).starts_with("sort_priority"))
      out_.complaints.push_back("Obsolete config name sort_priority in job_sort_key, instead use job_priority");
  }

  // False: it is none of them.
  bool read_untimed(const config_line& c) {
    for (const auto& p : untimed_parameters) {
      if (c.name != p.name) continue;
      if (c.value.empty() && !c.quoted) wrong(std::string(c.name) + " has no value");
      else if (const auto complaint = p.read(out_.value, c.value); !complaint.empty()) wrong(complaint);
      out_.dynamic_lines.resize(out_.value.dynamic_resources.size(), line_);
      return true;
    }
    const auto kind = read_fairshare_line(out_.value.sharing, c.name, c.value);
    if (kind == line_kind::wrong) wrong("Invalid " + std::string(c.name));
    return kind != line_kind::not_ours;
  }

  void unknown(std::string_view name) {
    for (const auto& o : obsolete_names) {
      if (name != o.name) continue;
      const std::string text = "Obsolete config name " + std::string(name);
      out_.complaints.push_back(*o.advice ? text + ", instead use " + o.advice : text);
      return;
    }
    wrong("Unknown config parameter");
  }

  parsed_policy& out_;
  int line_ = 0;
};

}  // namespace

std::vector<std::string_view> parameter_names() {
  auto names = fairshare_parameter_names();
  for (const auto& p : timed_parameters) names.emplace_back(p.name);
  for (const auto& p : untimed_parameters) names.emplace_back(p.name);
  return names;
}

std::vector<std::string_view> obsolete_parameter_names() {
  std::vector<std::string_view> names;
  for (const auto& o : obsolete_names) names.emplace_back(o.name);
  return names;
}

parsed_policy parse_policy(std::string_view text) {
  parsed_policy out;
  const auto files = split_policy_text(text);
  config_reader(out).read(files.sched_config);
  out.value.zone = time_zone::parse(files.time_zone);
  out.value.prime_days = holidays::parse(files.holidays, &out.holiday_complaints);
  out.value.dedicated = dedicated_time::parse(files.dedicated_time, out.value.zone, &out.dedicated_complaints);
  auto& sharing = out.value.sharing;
  sharing.ever = orders_by_shares(out.value.prime) || orders_by_shares(out.value.non_prime);
  sharing.tree = std::make_shared<const share_tree>(files.resource_group, sharing.unknown_shares, &out.group_complaints);
  return out;
}

}  // namespace annals::cycle
