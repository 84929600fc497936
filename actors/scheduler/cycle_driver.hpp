// What a scheduler does with what the server says: keeps the view, runs cycles, answers with proposals and reasons. No
// sockets, no files, no signals: the daemon (tools/daemons/pbs_sched.cpp) and tests feed it. One thread uses it.
//
// Promises: only reasons that changed are sent, in pieces of at most limits::cycle_reasons_bytes_max; a cycle whose view
// has not come yet runs when it comes; a scheduler that missed a delta asks for the whole view and proposes nothing until
// it has it. Governed by docs/design/0005-scheduling.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/cycle.hpp"
#include "actors/scheduler/directory_keeper.hpp"
#include "actors/scheduler/own_object.hpp"
#include "events/ports/clock.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

struct scheduler_identity {
  std::string name = "default", host = {}, version = {};
  std::uint32_t pid = 0;
  std::uint16_t port = 0;           // where it listens; 0: nowhere
  bool port_given = false;          // by who started it: then what the object says counts from its next change on
  scheduler_directories used = {};  // where it works
};

// What a program of server_dyn_res said.
struct script_answer {
  enum class kind : std::uint8_t { told,
                                   timed_out,
                                   missing,
                                   unsafe };  // others could have changed it; it was not run
  kind what = kind::missing;
  std::string line;  // of told: the first one
};

class cycle_driver {
 public:
  using message = schema::sealed<schema::FromScheduler>;
  struct outlets {
    std::function<void(const message&)> send;  // to the server; dropped by the owner when there is none
    std::function<void(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text)> log;
    const ports::clock* clock = nullptr;  // of runJob the time it decides for; of a cycle only how long it took
    // What only a process can do; none: the directories are not kept (directory_keeper), and nothing listens.
    std::function<directory_keeper::trouble(const std::string&)> use_priv = {};
    std::function<std::optional<std::string>(const std::string&)> use_logs = {};
    std::function<bool(std::uint16_t)> listen = {};  // at this port from now on; false: it can't
    // Programs of server_dyn_res: whether one is there, and what it says, in at most so many seconds. None: there are none.
    std::function<bool(const std::string& command)> has_program = {};
    std::function<script_answer(const std::string& command, std::int64_t seconds)> run_program = {};
  };

  cycle_driver(scheduler_identity self, outlets out);

  // The policy of the cycles to come: its text (cycle::policy_text) and that text's SHA-256 (32 bytes). Complaints go to the log.
  void set_policy(std::string text, std::string sha256);

  void connected();  // says hello; what was known before is forgotten
  enum class next { go_on,
                    reread_policy,
                    stop,
                    give_up };  // what the owner should do; give_up: it can't be this scheduler, see why()
  next received(schema::ToScheduler::Reader said);
  const std::string& why() const { return why_; }
  bool knows_object() const { return own_.has_value(); }  // the server has told it about itself
  void try_directories_again() { directories_.again(); }

  std::uint32_t log_events() const { return view_.settings().log_events(); }
  const cycle::view& view() const { return view_; }

 private:
  struct start {
    std::uint64_t number, view_sequence;
    std::string trigger;
    std::int64_t wall_ns;                // for which time it decides
    std::vector<std::uint64_t> without;  // jobs that the cycle before could not run: it follows that one
  };

  next take_view(schema::SchedulingDelta::Reader delta);
  next take_own(const own_object& own);
  next refused_itself(schema::Refused::Reader why);
  next give_up(const std::string& line, const std::string& reason);
  void run(const start& what);
  void run_asked(schema::RunOneJob::Reader ask);
  void run_waiting_asks();
  void send_policy();
  void send_fairshare();
  void name_what_means_nothing();
  void leave_out_missing_programs(const std::vector<int>& lines);
  using told_amount = std::pair<cycle::resource_id, cycle::amount>;
  void send_began(const start& what, const std::vector<told_amount>& told);
  cycle::resource_id asked_amount(const cycle::dynamic_resource& d) const;
  bool asks_programs() const;
  std::vector<told_amount> ask_programs();
  cycle::amount ask_program(const cycle::dynamic_resource& d, cycle::resource_id resource);
  static void fill_run(schema::ProposeRun::Builder to, const cycle::proposed_run& run);
  void remember_victims(const cycle::result& decided);
  void leave_out(const start& what);
  void say_why_left_out(cycle::result& decided, const start& what) const;
  void send_answers(const cycle::result& decided, std::uint64_t number);
  void send_runs(const cycle::result& decided, std::uint64_t number);
  void send_reasons(const cycle::result& decided, std::uint64_t number);
  void send_estimates(const cycle::result& decided);
  void ask_for_full_view();
  void log_cycle(const cycle::result& decided);

  scheduler_identity self_;
  std::optional<own_object> own_;
  std::string why_;
  outlets out_;
  directory_keeper directories_;
  cycle::view view_;
  cycle::policy policy_;
  std::string policy_text_, policy_hash_;
  bool policy_sent_ = false;
  bool greeted_ = false;                                   // somebody heard our hello
  std::optional<bool> counting_told_;                      // since the hello: whether usage is to be counted
  bool names_checked_ = false;                             // those in sched_config, against the resources there are
  bool view_wanted_ = false;                               // the server was asked and has not answered
  std::vector<schema::sealed<schema::ToScheduler>> asks_;  // runJob whose view is not here yet
  std::set<std::uint64_t> preempting_;                     // proposed with victims, since the connection began
  std::optional<start> waiting_;                           // a cycle whose view is not here yet
  std::set<std::uint64_t> left_out_;                       // since the last cycle that considered all
  std::map<std::uint64_t, std::string> refusals_;          // by job: what its comment is to say, since that cycle began
};

}  // namespace annals::actors
