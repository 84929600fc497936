#include "actors/mom/host/mom_config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "events/model/limits.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::mom {
namespace {

using arguments = std::vector<std::string_view>;

arguments split_blanks(std::string_view line) {
  arguments out;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
       at = line.find_first_not_of(" \t", at)) {
    const auto end = std::min(line.find_first_of(" \t", at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

bool take(std::string_view text, std::uint32_t& to) {
  std::uint32_t n = 0;
  const int base = text.size() > 2 && text.substr(0, 2) == "0x" ? 16 : 10;  // $logevent is often written in hex
  if (base == 16) text.remove_prefix(2);
  const auto r = std::from_chars(text.data(), text.data() + text.size(), n, base);
  if (text.empty() || r.ec != std::errc() || r.ptr != text.data() + text.size()) return false;
  to = n;
  return true;
}

bool take(std::string_view text, bool& to) {
  for (const auto yes : {"true", "yes", "on", "1", "t", "y"})
    if (values::equal_any_case(text, yes)) {
      to = true;
      return true;
    }
  for (const auto no : {"false", "no", "off", "0", "f", "n"})
    if (values::equal_any_case(text, no)) {
      to = false;
      return true;
    }
  return false;
}

bool take_directory(std::string_view text, std::string& to) {
  if (text.empty() || text.front() != '/') return false;
  while (text.size() > 1 && text.back() == '/') text.remove_suffix(1);
  to = text;
  return true;
}

// "auto", or off.
bool take_auto(std::string_view text, bool& to) {
  if (!values::equal_any_case(text, "auto")) return take(text, to);
  to = true;
  return true;
}

// A number above 0. What is far away from 1 is a typing error.
bool take_factor(std::string_view text, double& to) {
  constexpr double least = 1e-6, most = 1e6;
  const auto number = values::parse_real(text);
  if (!number || !(*number >= least && *number <= most)) return false;
  to = *number;
  return true;
}

// "host:/from /to"
bool take_usecp(const arguments& args, std::vector<usecp_rule>& to) {
  if (args.size() != 3) return false;
  const auto colon = args[1].find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  to.push_back({std::string(args[1].substr(0, colon)), std::string(args[1].substr(colon + 1)), std::string(args[2])});
  return true;
}

// Of PBS, and without effect here yet: none is taken silently.
constexpr std::string_view without_effect[] = {"clienthost", "min_check_poll", "restart_background"};
// Of $action; they do what they do without a line.
constexpr std::string_view actions_without_effect[] = {"checkpoint", "multinodebusy", "terminate"};

enum class taken : std::uint8_t { yes,
                                  bad_value,
                                  no_effect,
                                  unknown };

taken as_taken(bool good) { return good ? taken::yes : taken::bad_value; }

taken take_load(const arguments& args, std::optional<double>& to) {
  const auto load = args.size() == 2 ? values::parse_real(args[1]) : std::nullopt;
  if (!load || !(*load >= 0) || !std::isfinite(*load)) return taken::bad_value;
  to = *load;
  return taken::yes;
}

// "$max_load 3.5 [suspend]"
taken take_max_load(arguments args, load_limits& to) {
  const bool suspends = args.size() == 3 && args[2] == "suspend";
  if (suspends) args.pop_back();
  const auto how = take_load(args, to.max);
  if (how == taken::yes) to.suspends = suspends;
  return how;
}

// "$enforce mem"; a '!' before the name switches it off. PBS's other limits are not watched.
taken take_enforce(const arguments& args, enforcement& to) {
  if (args.size() < 2) return taken::bad_value;
  const bool on = args[1].front() != '!';
  if (args[1].substr(on ? 0 : 1) != "mem") return on ? taken::no_effect : taken::yes;
  to.mem = on;
  return taken::yes;
}

// A number of seconds, not 0 (RS-54).
taken take_alarm(std::string_view text, std::uint32_t& to) { return as_taken(take(text, to) && to > 0); }

// A bad value leaves what an earlier line, or the file before this one, has set.
void keep_alarm(std::string_view name, const mom_config& before, mom_config& c) {
  if (name == "$sister_join_job_alarm" && c.sister_join_job_alarm_s == 0) c.sister_join_job_alarm_s = before.sister_join_job_alarm_s;
  if (name == "$job_launch_delay" && c.job_launch_delay_s == 0) c.job_launch_delay_s = before.job_launch_delay_s;
}

// "anna,bob"; blanks between them do no harm.
bool take_exceptions(const arguments& args, std::vector<std::string>& to) {
  to.clear();
  for (const auto words : std::span(args).subspan(1))
    for (std::string_view rest = words; !rest.empty();) {
      const auto end = std::min(rest.find(','), rest.size());
      if (end > 0) to.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  return !to.empty() && to.size() <= limits::restrict_user_exceptions_max;
}

bool take_words_form(std::string_view text, model::words_form& to) {
  if (text != "by_node" && text != "merge") return false;
  to = text == "merge" ? model::words_form::merge : model::words_form::by_node;
  return true;
}

// "$action checkpoint_abort 60 !/path %jobid". A restart has no end of its own, and its time is not looked at.
taken take_action(const arguments& args, mom_config& c) {
  if (args.size() < 4) return taken::bad_value;
  const auto name = args[1];
  if (std::ranges::find(actions_without_effect, name) != std::end(actions_without_effect)) return taken::no_effect;
  script_action action;
  if ((name != "checkpoint_abort" && name != "restart") || !take(args[2], action.timeout_s)) return taken::bad_value;
  if (action.timeout_s == 0 && name == "checkpoint_abort") return taken::bad_value;  // it would hold its job for ever
  if (!args[3].starts_with("!/")) return taken::bad_value;
  action.script = args[3].substr(1);
  for (const auto word : std::span(args).subspan(4)) {
    if (word.front() == '%' && std::ranges::find(action_variables, word) == std::end(action_variables)) return taken::bad_value;
    action.arguments.emplace_back(word);
  }
  (name == "restart" ? c.restart : c.checkpoint_abort) = std::move(action);
  return taken::yes;
}

// The restart script is always the job's program.
taken take_transmogrify(std::string_view value) {
  bool on = false;
  if (!take(value, on)) return taken::bad_value;
  return on ? taken::yes : taken::no_effect;
}

taken take_setting(const arguments& args, mom_config& c) {
  const auto name = args[0].substr(1);
  const auto value = args.size() > 1 ? args[1] : std::string_view();
  if (name == "usecp") return as_taken(take_usecp(args, c.usecp));
  if (name == "enforce") return take_enforce(args, c.enforce);
  if (name == "prologalarm") return as_taken(take(value, c.prologue_alarm_s));
  if (name == "max_check_poll") return as_taken(take(value, c.max_check_poll_s));
  if (name == "logevent") return as_taken(take(value, c.logevent));
  if (name == "tmpdir") return as_taken(take_directory(value, c.tmpdir));
  if (name == "jobdir_root") return as_taken(take_directory(value, c.jobdir_root));
  if (name == "sister_join_job_alarm") return take_alarm(value, c.sister_join_job_alarm_s);
  if (name == "job_launch_delay") return take_alarm(value, c.job_launch_delay_s);
  if (name == "resources_used_strings") return as_taken(take_words_form(value, c.used_strings));
  if (name == "use_cgroups") return as_taken(take_auto(value, c.use_cgroups));
  if (name == "cgroup_cpu_quota") return as_taken(take(value, c.cgroup_cpu_quota));
  if (name == "reject_root_scripts") return as_taken(take(value, c.reject_root_scripts));
  if (name == "cputmult") return as_taken(take_factor(value, c.factors.cput));
  if (name == "wallmult") return as_taken(take_factor(value, c.factors.walltime));
  if (name == "ideal_load") return take_load(args, c.load.ideal);
  if (name == "max_load") return take_max_load(args, c.load);
  if (name == "action") return take_action(args, c);
  if (name == "restart_transmogrify") return take_transmogrify(value);
  if (name == "checkpoint_path") return as_taken(!(c.checkpoint_path = value).empty());
  if (name == "restrict_user") return as_taken(take(value, c.users.on));
  if (name == "restrict_user_maxsysid") return as_taken(take(value, c.users.system_uid_max));
  if (name == "restrict_user_exceptions") return as_taken(take_exceptions(args, c.users.exceptions));
  return std::ranges::find(without_effect, name) != std::end(without_effect) ? taken::no_effect : taken::unknown;
}

// Lines that mean something only beside another one.
struct dependent_lines {
  std::optional<config_problem> ideal_load, restriction;
  std::string wrong_detail;  // of the restriction

  void look_at(const arguments& args, unsigned number, std::string_view line, taken result) {
    const auto name = args[0].substr(1);
    if (name == "restrict_user" && result == taken::yes) restriction = {number, std::string(line)};
    if (name.starts_with("restrict_user_") && result == taken::bad_value) wrong_detail = args[0];
    if (name == "ideal_load") ideal_load = {number, "no effect without $max_load: " + std::string(line)};
  }
  void settle(mom_config& config, std::vector<config_problem>& to) {
    // Whom it excepts is not known: it excepts all.
    if (!wrong_detail.empty() && std::exchange(config.users.on, false))
      to.push_back({restriction->line, "no effect beside a bad " + wrong_detail + ": " + restriction->text});
    if (config.load.ideal && !config.load.max) to.push_back(*ideal_load);
    std::ranges::stable_sort(to, {}, &config_problem::line);
  }
};

bool host_fits(std::string_view pattern, std::string_view host) {
  if (pattern.empty() || pattern.front() != '*') return values::equal_any_case(pattern, host);
  pattern.remove_prefix(1);
  return host.size() >= pattern.size() && values::equal_any_case(pattern, host.substr(host.size() - pattern.size()));
}

// `from` is a directory: /home is no part of /home2.
bool lies_under(std::string_view path, std::string_view from) {
  if (path.substr(0, from.size()) != from) return false;
  return from.empty() || from.back() == '/' || path.size() == from.size() || path[from.size()] == '/';
}

}  // namespace

parsed_mom_config parse_mom_config(std::string_view text, const mom_config& before) {
  parsed_mom_config out;
  dependent_lines depend;
  for (unsigned number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const auto args = split_blanks(line);
    if (args.empty() || args[0].front() == '#') continue;
    // A line without '$' names a static resource of the host; those are set with qmgr here.
    if (args[0].front() != '$') {
      out.problems.push_back({number, "no setting: " + std::string(line)});
      continue;
    }
    mom_config with = out.config;
    const auto result = take_setting(args, with);
    depend.look_at(args, number, line, result);
    switch (result) {
      case taken::yes:
        out.config = std::move(with);
        break;
      case taken::bad_value:
        keep_alarm(args[0], before, out.config);
        out.problems.push_back({number, "bad value for " + std::string(args[0]) + ": " + std::string(line)});
        break;
      case taken::no_effect:
        out.problems.push_back({number, "no effect yet: " + std::string(line)});
        break;
      case taken::unknown:
        out.problems.push_back({number, "unknown setting " + std::string(args[0])});
        break;
    }
  }
  depend.settle(out.config, out.problems);
  return out;
}

std::optional<std::string> local_path(const std::vector<usecp_rule>& rules, std::string_view host,
                                      std::string_view path) {
  for (const auto& rule : rules)
    if (host_fits(rule.host, host) && lies_under(path, rule.from))
      return rule.to + std::string(path.substr(rule.from.size()));
  return {};
}

}  // namespace annals::mom
