// mom_priv/config: what an administrator tells one MoM. Read at the start and at HUP. Source: pbs guide, "MoM".
//
// Lines are "$name value...", comments begin with '#'. A wrong line is reported with its number and left out; the rest
// counts, so that a typing error does not take a host away. So is a setting of PBS that has no effect here yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/mom/host/load.hpp"
#include "actors/mom/host/user_restriction.hpp"
#include "events/model/used_words.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

// "$usecp host:/from /to": files for host:/from... are copied locally to /to... The host may begin with "*" or be "*".
struct usecp_rule {
  std::string host, from, to;
  bool operator==(const usecp_rule&) const = default;
};

// "$enforce ...": limits that are watched only when asked for.
struct enforcement {
  bool mem = false;
  bool operator==(const enforcement&) const = default;
};

// "$action checkpoint_abort 60 !/path args": a script of the site, its time in seconds, and words that may be variables (%jobid).
struct script_action {
  std::uint32_t timeout_s = 0;
  std::string script;
  std::vector<std::string> arguments;
  bool operator==(const script_action&) const = default;
};

// $sister_join_job_alarm where it is not set and no hook needs more (RS-47).
constexpr std::uint32_t sister_join_job_alarm_default_s = 30;
constexpr std::uint32_t job_launch_delay_default_s = 30;  // $job_launch_delay, the same (RS-57)

struct mom_config {
  std::vector<usecp_rule> usecp;  // the first that fits counts
  enforcement enforce;
  std::uint32_t prologue_alarm_s = 30;
  std::uint32_t max_check_poll_s = 120;
  std::uint32_t logevent = 975;                                 // mask of log events (pbs guide: logs)
  std::string tmpdir = "/var/tmp";                              // job directories pbs.<jobid> are made here
  std::string jobdir_root;                                      // where sandbox=PRIVATE directories are made; empty: the home
  std::uint32_t sister_join_job_alarm_s = 0;                    // 0: what execjob_begin hooks may take
  std::uint32_t job_launch_delay_s = 0;                         // 0: what execjob_prologue hooks may take
  model::words_form used_strings = model::words_form::by_node;  // $resources_used_strings "by_node" or "merge" (RU-15)
  bool use_cgroups = true;                                      // "auto": where the machine has them and the MoM is root; else "off"
  bool cgroup_cpu_quota = false;                                // a job never gets more than its ncpus
  bool reject_root_scripts = false;                             // no job runs as root, and no script of a hook is taken from the server
  std::optional<script_action> checkpoint_abort, restart;       // $action
  ports::time_factors factors;                                  // $cputmult, $wallmult
  load_limits load;                                             // $ideal_load, $max_load
  user_restriction users;                                       // $restrict_user and what begins with it
  std::string checkpoint_path;                                  // $checkpoint_path; relative to mom_priv; empty: PBS_HOME/checkpoint
  bool operator==(const mom_config&) const = default;
};

struct config_problem {
  unsigned line = 0;
  std::string text;
};  // "unknown setting $usecpp"
struct parsed_mom_config {
  mom_config config;
  std::vector<config_problem> problems;
};

// A bad line counts as if it were not there; one of $sister_join_job_alarm or $job_launch_delay leaves what was set
// before (RS-54).
parsed_mom_config parse_mom_config(std::string_view text, const mom_config& before = {});

// What a script_action may name of a job. Empty: no such variable. checkpoint_order.hpp fills them.
constexpr std::string_view action_variables[] = {"%globid", "%jobid", "%path", "%sid", "%taskid"};

// Where a file for host:path is on this machine; nothing if no rule fits.
std::optional<std::string> local_path(const std::vector<usecp_rule>& rules, std::string_view host,
                                      std::string_view path);

}  // namespace annals::mom
