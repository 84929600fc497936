// Where things are: names and ids to streams, the settings rules consult, and which runs the log says a host has. A fold,
// kept by the gateway; pure, no actors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/server/messages.hpp"
#include "events/log/record.hpp"
#include "events/model/hook.hpp"
#include "events/model/hook_look.hpp"
#include "events/model/objects.hpp"
#include "hooks-runtime/catalog/events.hpp"

namespace annals::actors {

class directory {
 public:
  explicit directory(std::string pbs_home = {}) : home_(std::move(pbs_home)) {}
  void fold(const log::record& record);
  std::uint64_t sequence() const { return sequence_; }

  std::optional<std::uint64_t> job_serial(std::uint64_t number) const;
  std::optional<std::uint64_t> job_number(std::uint64_t serial) const;
  // Name -> stream, for queues, hosts and schedulers.
  using names = std::map<std::string, std::uint64_t, std::less<>>;
  const names& queues() const { return queues_; }
  const names& hosts() const { return hosts_; }
  const names& schedulers() const { return schedulers_; }
  const names& hooks() const { return hooks_; }
  const model::hook_state* hook(const std::string& name) const;
  const std::map<std::uint64_t, model::hook_state>& hook_states() const { return hook_states_; }   // in the order of creation
  bool had_hooks() const { return had_hooks_; }                     // now or at any time before
  std::uint32_t hook_events() const { return hook_events_; }       // bits of events at which some hook runs
  // Runs of hooks that look on (model::look_at) are owed from the event until HookRan, whose cause it is.
  struct owed_look {
    std::uint64_t sequence;                                        // of the event
    std::string subject;                                           // a job's id, a vnode
    std::uint64_t hook;                                            // its stream
    auto operator<=>(const owed_look&) const = default;
  };
  using looks = std::map<owed_look, const hooks::hook_event*>;     // in the order of the events
  const looks& owed_looks() const { return looks_; }
  std::optional<std::string> host_of_vnode(std::string_view vnode) const;
  struct mom_place { std::string address; std::uint16_t port = 0; };
  mom_place mom_of(std::string_view host) const;                // where other MoMs reach it; empty: not heard of
  const names& vnodes() const { return vnodes_; }               // vnode -> host's stream
  std::uint64_t server_stream() const { return server_.serial; }
  std::uint64_t next_number() const { return next_number_; }    // of a job; the first is 0 (pbs guide: job ids)

  const model::site_ptr& site() const { return site_; }          // new after each change of a setting
  bool has_run(const std::string& host, std::uint64_t serial, std::uint32_t run) const;
  std::vector<expected_run> runs_on(const std::string& host) const;
  std::vector<std::uint64_t> jobs_with_runs() const;             // serials of jobs that hold vnodes
  bool anything_runs() const { return !runs_.empty(); }

 private:
  void fold_job(const model::event_place& at, schema::Event::Reader event);
  void fold_hook(const model::event_place& at, schema::Event::Reader event);
  void fold_stream(const model::event_place& at, const log::record& record);
  void fold_looks(const log::record& record);
  std::vector<std::string> subjects_of(const model::look& look, std::uint64_t stream) const;
  void rebuild_site();

  std::string home_;
  std::uint64_t sequence_ = 0;
  std::uint64_t next_number_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> serial_of_number_, number_of_serial_;
  names queues_, hosts_, schedulers_, vnodes_, hooks_;
  std::map<std::uint64_t, model::hook_state> hook_states_;
  std::uint32_t hook_events_ = 0;
  looks looks_;
  bool had_hooks_ = false;
  std::map<std::uint64_t, std::string> host_names_;
  std::map<std::string, mom_place, std::less<>> moms_;
  model::server_state server_;
  std::map<std::uint64_t, model::queue_state> queue_states_;
  model::site_ptr site_ = std::make_shared<model::site>();
  struct run_place { std::uint32_t run; std::string primary; std::vector<std::string> hosts; std::uint64_t assigned = 0; };
  std::map<std::uint64_t, run_place> runs_;                      // by job serial; those that hold vnodes
};

}  // namespace annals::actors
