// The server's log lines that follow from events: one place, so that a line is written when the fact is on disk and never
// otherwise. Source: pbs guide, "logs".
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/runtime/daemon_log.hpp"
#include "events/log/record.hpp"
#include "events/model/job_names.hpp"
#include "events/values/dense_map.hpp"
#include "events/values/stored_state.hpp"

namespace annals::actors {

class event_notes {
 public:
  // follows_mask: the server's log_events say which lines are written.
  explicit event_notes(daemon_log& to, bool follows_mask = true) : to_(to), follows_mask_(follows_mask) {}
  void learn(const log::record& record);                   // at replay: ids only, no lines
  void note(const std::vector<log::record_ptr>& records);  // their lines, in one write

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: to_, follows_mask_, because who makes the notes says them
    // not stored: left_early_, ended_, because lines of this process need them
    io(self.mask_, self.job_names_, self.jobs_, self.queues_, self.names_, self.further_vnodes_, self.reservations_);
  }
  void restored();

 private:
  void learn_mask(schema::ServerEvent::Reader event);
  void set_mask(std::int64_t mask);
  void learn_job(std::uint64_t stream, schema::JobEvent::Reader event);
  void learn_reservation(std::uint64_t stream, schema::ReservationEvent::Reader event);
  void note_one(const log::record& record);
  void note_queued(const std::string& id, const std::string& by, schema::JobQueued::Reader e);
  void note_step(const std::string& id, schema::RunEvent::Reader step);
  void note_cleared(const std::string& id, schema::VnodesReleased::Reader released);
  void note_lines(const std::string& id, const std::string& text);

  struct subject {
    const char* cls;
    const std::string& name;
    const std::string& by;
  };  // class and name of a line; who asked
  void note_line(const subject& of, std::uint32_t bits, const std::string& text);
  struct of_job {
    std::uint32_t queue : 29 = 0;  // among queues_
    bool runs : 1 = false, ended : 1 = false;
    bool purged : 1 = false;  // somebody asked for it to be deleted from the history too
    // In one number: there may be a million jobs.
    void store(stored::writer& to) const {
      to.number(std::uint64_t{queue} << 3 | std::uint64_t{runs} << 2 | std::uint64_t{ended} << 1 | std::uint64_t{purged});
    }
    void restore(stored::reader& from) {
      const auto n = from.number();
      queue = static_cast<std::uint32_t>(n >> 3);
      runs = (n >> 2 & 1) != 0;
      ended = (n >> 1 & 1) != 0;
      purged = (n & 1) != 0;
    }
  };
  of_job& about(std::uint64_t job);
  std::uint32_t queue_named(std::string name);
  std::string name_of(const log::record& record) const;
  void note_job(const subject& of, const log::record& record, schema::JobEvent::Reader event);
  void note_delete(const subject& of, const log::record& record, schema::JobDeleteRequested::Reader asked);
  void note_forgotten(const subject& of, const log::record& record);
  void note_changes(const subject& of, schema::ObjectKind kind, capnp::List<schema::Attribute>::Reader changes);
  void note_missing(const subject& of, schema::ObjectKind kind, capnp::List<schema::Attribute>::Reader changes);
  void note_server(const std::string& by, schema::ServerEvent::Reader event);
  void note_definition(const std::string& by, schema::ResourceDefined::Reader resource, bool created);
  void note_known_to_hooks(const char* what);
  void note_queue(const subject& of, schema::QueueEvent::Reader event);
  void note_host(const subject& of, const log::record& record);
  void note_vnodes(const subject& of, const log::record& record);
  void note_scheduler(const subject& of, schema::SchedulerEvent::Reader event);
  void note_hook(const subject& of, schema::HookEvent::Reader event);
  void note_reservation(std::uint64_t stream, schema::ReservationEvent::Reader event);

  struct reservation {
    std::string id;            // with the server's name
    unsigned occurrences = 0;  // of a standing one
    bool of_running_job = false;
    bool alters = false;         // a change waits for an answer
    bool answers_alter = false;  // what was confirmed last was a change
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.id, self.occurrences, self.of_running_job, self.alters, self.answers_alter);
    }
  };

  daemon_log& to_;
  const bool follows_mask_;
  std::optional<std::int64_t> mask_;  // log_events, as it was set last
  std::string left_early_;            // a job; its next event frees hosts that have left its run
  struct {
    std::uint64_t stream = 0, sequence = 0;
  } ended_;  // the job that ended last, and where in the log
  model::job_names job_names_;
  values::dense_map<of_job> jobs_;                                           // by serial
  std::vector<std::string> queues_;                                          // that jobs were in
  std::unordered_map<std::uint64_t, std::string> names_;                     // of queues, hosts and schedulers, by serial
  std::unordered_map<std::uint64_t, std::set<std::string>> further_vnodes_;  // of hosts that have more than their natural one, by serial
  std::unordered_map<std::uint64_t, reservation> reservations_;              // that are there, by serial
};

}  // namespace annals::actors
