// Limits of submissions: max_queued, queued_jobs_threshold, their _res and max_queuable, at the server and at queues. Asked for a new
// job, for one that comes to another queue, and for one that asks for another amount or counts for somebody else. Part of the ledger, so
// that two submissions at once never both pass. Source: pbs guide, "limits"; governed by docs/design/0043-limits.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/model/entity_limits/job_counts.hpp"
#include "events/model/entity_limits/set_limits.hpp"

namespace annals::model {

class entity_limits {
 public:
  std::optional<rejection> check(schema::ServerEvent::Reader event) const { return set_.check(event); }
  std::optional<rejection> check(schema::QueueEvent::Reader event) const { return set_.check(event); }
  void apply(schema::ServerEvent::Reader event) { set_.apply(event); }
  void apply(const event_place& at, schema::QueueEvent::Reader event) { set_.apply(at, event); }

  // Whether the event may come next in the stream of this job. `queue`: where it is, "" of a new one. 15142, 15143, 15046.
  std::optional<rejection> check(const counted_job& job, std::string_view queue, schema::JobEvent::Reader event) const;
  void apply(counted_job& job, const event_place& at, schema::JobEvent::Reader event);

  const job_counts& counts() const { return counts_; }
  bool operator==(const entity_limits&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.set_, self.counts_);
  }

 private:
  struct newcomer;  // what a job would add
  std::optional<rejection> check_queued(schema::JobQueued::Reader e) const;
  std::optional<rejection> check_moved(const counted_job& job, std::string_view from, schema::JobMoved::Reader e) const;
  std::optional<rejection> check_altered(const counted_job& job, std::string_view queue, schema::AttributesChanged::Reader e) const;
  void take_the_rest(newcomer& n, const submission_limits& limits, const counted_job& job,
                     capnp::List<schema::Attribute>::Reader changes) const;
  std::optional<rejection> over_count(const submission_limits& limits, std::string_view place, const newcomer& n) const;
  std::optional<rejection> over_amounts(const submission_limits& limits, std::string_view place, const newcomer& n) const;
  std::optional<rejection> over(const submission_limits& limits, std::string_view place, const newcomer& n) const;
  void take_changes(counted_job& job, const event_place& at, capnp::List<schema::Attribute>::Reader changes);

  set_limits set_;
  job_counts counts_;
};

}  // namespace annals::model
