// Where things are: names and ids to streams, the settings rules consult, and which runs the log says a host has. A fold,
// kept by the gateway; pure, no actors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/server/messages.hpp"
#include "actors/server/reactions/hook_table.hpp"
#include "actors/server/reactions/scheduler_table.hpp"
#include "events/log/losses.hpp"
#include "events/log/record.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/host/host.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/model/settings_fold.hpp"
#include "events/values/job_id.hpp"
#include "events/values/job_number_map.hpp"

namespace annals::actors {

struct mom_place {
  std::string address;
  std::uint16_t port = 0;
};

class directory {
 public:
  explicit directory(std::string pbs_home = {}) : settings_(std::move(pbs_home)) {}
  void fold(const log::record& record);
  std::uint64_t sequence() const { return sequence_; }

  std::optional<std::uint64_t> job_serial(std::uint64_t number) const;
  std::optional<std::uint64_t> job_number(std::uint64_t serial) const;
  // A job, or an array, of this id. Nothing: there is none, or subjobs are named.
  std::optional<std::uint64_t> job_named(const values::job_id& id) const;
  // A job array until it is forgotten, by its number; null: there is none.
  struct array_place {
    bool ended = false;
    std::set<std::uint32_t> runs;  // subjobs that have begun and not ended
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.ended, self.runs);
    }
  };
  const array_place* array(std::uint64_t number) const;
  // "12[].borg" of an array, "12[3].borg" of a subjob, "12.borg" of any other job.
  std::string job_id(std::uint64_t number) const;
  // Name -> stream, for queues, hosts and schedulers.
  using names = std::map<std::string, std::uint64_t, std::less<>>;
  const names& queues() const { return queues_; }
  const names& hosts() const { return hosts_; }
  const names& schedulers() const { return schedulers_; }
  const model::scheduler_state* scheduler(std::string_view name) const { return scheduler_table_.find(name); }
  const std::map<std::uint64_t, model::scheduler_state>& schedulers_as_they_are() const { return scheduler_table_.schedulers(); }
  const names& hooks() const { return hooks_; }
  const model::hook_state* hook(const std::string& name) const;
  const std::map<std::uint64_t, model::hook_state>& hook_states() const { return hook_table_.hooks(); }  // in the order of creation
  // Those that have not ended, by their id without the server's name.
  const names& reservations() const { return reservation_names_; }
  const std::map<std::uint64_t, model::reservation_state>& reservation_states() const { return reservations_; }
  // Bits of events at which some hook runs.
  std::uint32_t hook_events() const { return hook_table_.events(); }
  // Of the last change that MoMs must hear of; 0: never a hook.
  std::uint64_t mom_hooks_since() const { return mom_hooks_.since(); }
  std::optional<std::string> host_of_vnode(std::string_view vnode) const;
  const model::host_state* host_named(std::string_view host) const;                               // null: there is none
  const std::map<std::uint64_t, model::host_state>& host_states() const { return host_states_; }  // by stream
  // Where other MoMs reach it; empty: not heard of.
  mom_place mom_of(std::string_view host) const;
  const names& vnodes() const { return vnodes_; }  // vnode -> host's stream
  // What is set of these resources at the server, at queues and at vnodes: an entry for each object.
  struct resource_values {
    schema::ObjectKind kind;
    std::string name;                                      // of the server: empty
    std::vector<std::pair<std::string, std::string>> set;  // attribute, resource
  };
  std::vector<resource_values> values_of(const std::function<bool(std::string_view resource)>& is_one) const;
  std::uint64_t server_stream() const { return server_stream_; }
  std::uint64_t next_number() const { return next_number_; }  // of a job; the first is 0 (pbs guide: job ids)

  const model::settings_ptr& settings() const { return settings_.settings(); }  // new after each change of a setting
  bool has_run(const std::string& host, std::uint64_t serial, std::uint32_t run) const;
  // The same of a run whose program has not ended, as far as the log knows.
  bool has_program(const std::string& host, std::uint64_t serial, std::uint32_t run) const;
  std::vector<expected_run> runs_on(const std::string& host) const;
  // Returns the numbers of jobs that have something of their run on this host, whether or not it is their first one.
  std::vector<std::uint64_t> numbers_of_jobs_on(const std::string& host) const;
  // On this job's other hosts than its first.
  attributes::unreleasable_vnodes unreleasable_vnodes(std::uint64_t serial) const;
  // Values of resources that are not used up, by vnode: those of these vnodes, or these resources on all vnodes of the job's hosts.
  model::vnode_words words_of(const std::vector<std::string>& vnodes) const;
  model::vnode_words words_of_hosts(std::uint64_t serial, const std::set<std::string, std::less<>>& resources) const;
  // The script of a job that has not ended; null: it has none.
  struct script {
    std::string hash;
    std::uint64_t size = 0;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.hash, self.size);
    }
  };
  const script* script_of(std::uint64_t serial) const;
  const log::accepted_losses& losses() const { return losses_; }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.sequence_, self.next_number_, self.serial_of_number_, self.number_of_serial_, self.arrays_, self.queues_, self.hosts_,
       self.schedulers_, self.vnodes_, self.hooks_, self.reservation_names_, self.reservations_, self.hook_table_, self.mom_hooks_,
       self.scheduler_table_, self.host_states_, self.server_stream_, self.losses_, self.settings_, self.scripts_, self.runs_);
  }

 private:
  void fold_job(const model::event_place& at, schema::JobEvent::Reader event);
  void queued(std::uint64_t serial, schema::JobQueued::Reader e);
  void ended(std::uint64_t number);
  void program_ended(std::uint64_t serial);
  void fold_host(const model::event_place& at, schema::HostEvent::Reader event);
  void fold_hook(const log::record& record);
  void fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event);
  void fold_stream(const model::event_place& at, const log::record& record);

  std::uint64_t sequence_ = 0;
  std::uint64_t next_number_ = 0;
  values::job_number_map serial_of_number_;
  values::dense_numbers number_of_serial_;
  std::unordered_map<std::uint64_t, array_place> arrays_;  // by number
  names queues_, hosts_, schedulers_, vnodes_, hooks_, reservation_names_;
  std::map<std::uint64_t, model::reservation_state> reservations_;
  reactions::hook_table hook_table_;
  reactions::mom_hooks_fold mom_hooks_;
  reactions::scheduler_table scheduler_table_;
  std::map<std::uint64_t, model::host_state> host_states_;
  std::uint64_t server_stream_ = 0;
  template <class Wanted>
  void add_words(const model::vnode_state& vnode, Wanted wanted, model::vnode_words& to) const;

  log::accepted_losses losses_;
  model::settings_fold settings_;
  struct run_place {
    std::uint32_t run;
    std::string primary;
    std::vector<std::string> hosts;
    std::uint64_t assigned = 0;
    bool over = false;  // its program
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.run, self.primary, self.hosts, self.assigned, self.over);
    }
  };
  std::unordered_map<std::uint64_t, script> scripts_;  // by job serial
  std::map<std::uint64_t, run_place> runs_;            // by job serial; those that hold vnodes
};

}  // namespace annals::actors
