// Every hook event is one row: its constant, where it runs, what a script finds in pbs.event(), what it may set there
// and what reject means. Dispatch, the pbs module, qmgr's checks and docs/hooks_reference.md read the row; nothing else
// knows the names of events. Source: pbs guide, "hooks: events".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace annals::hooks {

enum class event_side : std::uint8_t { server,
                                       server_periodic,
                                       mom,
                                       mom_periodic };

// What a worker of the event may do to the machine (hooks-runtime/worker/sandbox.hpp says how it is kept).
enum class sandbox_profile : std::uint8_t {
  server,  // no network, no processes, no signals, nothing below PBS_HOME, no rights but those of the user's own files
  mom,     // programs, files and network as the user has them: health checks and cgroup hooks need them
};

enum class parameter_kind : std::uint8_t {
  job,
  vnode,
  reservation,
  management,
  vnodes,
  jobs,
  reservations,
  queue,
  text,
  number,
  texts,
  pairs
};

enum class may_set : std::uint8_t {
  nothing,
  listed,          // `attributes` below
  what_users_may,  // attributes and resources whose least right is the owner's or, for a manager's request, more
  everything,      // every attribute of the object that is not read-only for managers
  whole,           // the parameter itself: progname, argv, env
};

enum class may_set_when : std::uint8_t { always,
                                         on_reject };

struct parameter {
  const char* name;  // "job", "vnode_list"
  parameter_kind kind;
  may_set set = may_set::nothing;
  // may_set::listed and, beside the rest, what_users_may: names parted by blanks. A resource list is named without its
  // resources.
  const char* attributes = "";
  may_set_when when = may_set_when::always;
  const char* meaning = "";
  const char* with_accept_too = "";  // may_set_when::on_reject: those of `attributes` that hold with accept too
};

enum fail_action : std::uint8_t { offline_vnodes = 1,
                                  clear_vnodes_upon_recovery = 2,
                                  scheduler_restart_cycle = 4 };

struct hook_event {
  const char* name;   // "queuejob": what qmgr and the logs say
  std::uint32_t bit;  // pbs.QUEUEJOB and pbs.HOOK_EVENT_QUEUEJOB
  event_side side;
  sandbox_profile sandbox;
  std::span<const parameter> parameters;
  bool may_reject;            // whether reject stops something; else it is logged only
  bool may_run_as_user;       // user=pbsuser is allowed
  std::uint8_t fail_actions;  // set of fail_action
  const char* when;           // when it runs
  const char* reject_means;
};

std::span<const hook_event> hook_events();            // in the order qmgr lists them
const hook_event* find_event(std::string_view name);  // nullptr: no such event
const hook_event* find_event(std::uint32_t bit);
const parameter* find_parameter(const hook_event& event, std::string_view name);
bool is_on_mom(const hook_event& event);
// Of what hooks on a host set of a job, what the server is not asked to alter: resources_used comes with the run's own usage, and
// Variable_List is the environment of what starts on that host.
bool stays_on_host(std::string_view job_attribute);
// pbs.MOM_EVENTS: the bits of all events of the MoM's side.
std::uint32_t mom_events();
// "queuejob,postqueuejob,...": as qmgr's refusal lists them.
std::string event_names();

// What a script may write. `reject`: the script ended with reject().
enum class set_answer : std::uint8_t { yes,
                                       read_only_attribute,
                                       read_only_object,
                                       only_on_reject };
set_answer may_write(const parameter& where, std::string_view attribute, bool reject);

}  // namespace annals::hooks
