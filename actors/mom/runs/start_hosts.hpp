// The hosts that a run would keep, before its program: they are asked whether they are there, before others are let go and before the
// program is started. It never starts with fewer of them than it was promised. docs/design/0037-failures-that-a-job-bears.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/runs/roll_call.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/runs/run_sisters.hpp"
#include "hooks-runtime/chain/release.hpp"

namespace annals::actors {

class start_hosts {
 public:
  start_hosts(const run_context& run, const job_hooks& hooks, run_sisters& sisters) : run_(run), hooks_(hooks), sisters_(sisters) {}

  /// Asks those that have joined whether they are there. Absent ones become a command; the owner looks again when more is known.
  bool all_are_there();
  /// True while nothing has happened since all were there.
  bool were_all_there() const { return roll_call_.was_complete(moment()); }
  /// Something takes its time while hosts may fail unseen: what they have answered so far no longer counts.
  void ask_anew() { ++waits_before_program_; }
  /// A host has answered, or has taken in what the run has now, which is an answer too. True: nobody else is missing.
  bool on_present(const std::string& host, std::uint32_t question) { return roll_call_.on_answer(host, question); }
  bool on_updated(const std::string& host) { return roll_call_.on_taken_in(host); }

  /// Hooks have asked for a release. It is kept until the hosts that stay have answered.
  struct wanted_release {
    model::hooks_done done;
    bool by_select;                  // they said what is to stay
    std::vector<std::string> shown;  // hosts that had failed, as they were told
  };
  void want_release(wanted_release wanted);
  bool has_wanted_release() const { return wanted_release_.has_value(); }

  // Each is true if it has become a command: the release, or the end of the start. The program is not started then.
  bool release_what_hooks_want();
  /// Lets go of hosts that a job with rjselect asked for in case others fail. may_have_started: by an earlier life, with all of them.
  bool prunes_by_itself(bool may_have_started);
  bool has_too_few();

 private:
  const model::run_state& state() const { return run_.state; }
  std::uint64_t moment() const;
  std::vector<std::string> failed_hosts() const;
  std::optional<model::planned_release> planned(const std::string& keep_select, const std::string& by,
                                                const std::vector<std::string>& failed, const hooks::line_taker& tell) const;
  void give_up_start(const std::string& why, std::vector<schema::sealed<schema::HookRun>> runs = {});

  const run_context& run_;
  const job_hooks& hooks_;
  run_sisters& sisters_;
  roll_call roll_call_;
  std::uint64_t waits_before_program_ = 0;  // so often something took its time while hosts could fail unseen
  std::optional<wanted_release> wanted_release_;
  bool prune_told_ = false, given_up_told_ = false;  // in the log
};

}  // namespace annals::actors
