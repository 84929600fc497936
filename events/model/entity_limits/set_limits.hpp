// Which limits are set at the server and at each queue: those of submissions ready for being asked, of all others only that they are
// there, since old-style and new-style ones don't go together anywhere in the complex (pbs guide: limits). Part of the ledger.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/values/limit_table.hpp"

namespace annals::model {

// The limits of submissions at one place. Amounts are those of job_counts.hpp.
struct submission_limits {
  using by_resource = std::map<std::string, values::limit_table, std::less<>>;
  values::limit_table max_queued, queued_jobs_threshold;
  by_resource max_queued_res, queued_jobs_threshold_res;
  std::optional<std::int64_t> max_queuable;
  bool empty() const {
    return max_queued.empty() && queued_jobs_threshold.empty() && max_queued_res.empty() && queued_jobs_threshold_res.empty() &&
           !max_queuable;
  }
  bool operator==(const submission_limits&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.max_queued, self.queued_jobs_threshold, self.max_queued_res, self.queued_jobs_threshold_res, self.max_queuable);
  }
};

class set_limits {
 public:
  // 15141: the change would mix the styles.
  std::optional<rejection> check(schema::ServerEvent::Reader event) const;
  std::optional<rejection> check(schema::QueueEvent::Reader event) const;
  void apply(schema::ServerEvent::Reader event);
  void apply(const event_place& at, schema::QueueEvent::Reader event);

  const submission_limits& of_server() const { return server_.submission; }
  const submission_limits* of_queue(std::string_view name) const;  // nullptr: none is set there
  bool any_of_submissions() const;
  bool operator==(const set_limits&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.server_, self.queues_, self.limited_queues_);
  }

 private:
  using changes = capnp::List<schema::Attribute>::Reader;
  struct place {
    std::string name;
    submission_limits submission;
    std::set<std::string> old_style, new_style;  // that are set: "max_run_res.mem"
    bool operator==(const place&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.name, self.submission, self.old_style, self.new_style);
    }
  };
  std::optional<rejection> check(schema::ObjectKind kind, changes all) const;
  static void apply_to(place& to, schema::ObjectKind kind, changes all);
  bool anywhere(std::set<std::string> place::*style) const;

  place server_;
  std::map<std::uint64_t, place> queues_;                             // by stream
  std::map<std::string, std::uint64_t, std::less<>> limited_queues_;  // those with limits of submissions, by name
};

}  // namespace annals::model
