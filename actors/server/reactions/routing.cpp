// What is in a started routing queue is moved on: to the first of route_destinations that takes it, else again after route_retry_time.
// Held and waiting jobs only if the queue says so. Source: pbs guide, routing queues.
#include <algorithm>
#include <map>
#include <set>

#include "actors/server/reactions/all.hpp"
#include "events/model/job/routing.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::reactions {

namespace {

// Of one queue at a time, the oldest. Each try wakes a job, and so many a minute are no burden; those behind them wait until some have
// left.
constexpr std::size_t routed_at_once_max = 10'000;

namespace queue_ids = attributes::queue;

std::int64_t retry_ns(const attributes::attribute_set& queue) {
  const auto given = values::parse_integer(queue.get(queue_ids::route_retry_time).value_or("")).value_or(model::route_retry_seconds);
  return std::max<std::int64_t>(given, 1) * second_ns;
}

class of_queues final : public stored_reaction<of_queues> {
 public:
  bool fold(const log::record& record) override {
    const auto event = record.event();
    if (event.isQueue()) note_queue(record.get().getStream(), event.getQueue());  // settings: owed is asked in any case
    return event.isJob() && fold_job(record, event.getJob());
  }

  void clock_went_back(std::int64_t to_ns) override {
    for (auto& [serial, job] : jobs_) job.since_ns = std::min(job.since_ns, to_ns);
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    next_over_ns_.reset();
    std::map<std::string_view, std::size_t> given;
    for (const auto& [since, serial] : in_order_) {
      const auto& job = jobs_.at(serial);
      const auto* queue = at.settings.queue(job.queue);
      if (!queue || !model::is_routing(queue->attributes)) continue;
      if (given[job.queue] == routed_at_once_max) continue;
      if (auto order = owed_to(serial, since, job, queue->attributes, at)) {
        orders.push_back(std::move(order));
        ++given[job.queue];
      }
    }
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment&) const override { return next_over_ns_; }

  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: next_over_ns_, because it is of the last look
    io(self.names_, self.routing_, self.jobs_, self.in_order_);
  }

 private:
  struct routed {
    std::string queue;
    std::uint64_t since = 0;  // the record with which it came into the queue
    std::int64_t since_ns = 0;
    std::uint8_t holds = 0;
    bool waits = false;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.queue, self.since, self.since_ns, self.holds, self.waits);
    }
  };

  void note_queue(std::uint64_t stream, schema::QueueEvent::Reader event) {
    if (event.isCreated()) names_[stream] = schema::str(event.getCreated().getName());
    else if (event.isDeleted()) forget_queue(stream);
    else if (event.isChanged())
      for (const auto c : event.getChanged().getChanges())
        if (c.getName() == "queue_type") note_type(names_[stream], c);
  }
  void note_type(const std::string& queue, schema::Attribute::Reader type) {
    if (type.getOp() != schema::AttributeOp::UNSET && type.getValue() == "Route") routing_.insert(queue);
    else routing_.erase(queue);
  }
  void forget_queue(std::uint64_t stream) {
    routing_.erase(names_[stream]);
    names_.erase(stream);
  }

  bool fold_job(const log::record& record, schema::JobEvent::Reader job) {
    const auto serial = record.get().getStream();
    if (job.isQueued()) return queued(record, job.getQueued());
    if (job.isMoved()) return moved(record, schema::str(job.getMoved().getQueue()));
    if (jobs_.empty()) return false;
    const auto at = jobs_.find(serial);
    if (at == jobs_.end()) return false;
    if (job.isEnded()) leave(serial);
    else if (job.isHeld()) at->second.holds |= bits_of(job.getHeld().getHolds());
    else if (job.isReleased()) at->second.holds &= static_cast<std::uint8_t>(~bits_of(job.getReleased().getHolds()));
    else if (job.isWaitEnded()) at->second.waits = false;
    else if (job.isAltered()) note_changes(at->second, record, job.getAltered().getChanges());
    else return false;
    return true;
  }

  bool queued(const log::record& record, schema::JobQueued::Reader job) {
    const auto queue = schema::text(job.getQueue());
    if (!routing_.contains(queue)) return false;
    come(record, {schema::str(job.getQueue()), 0, 0, bits_of(job.getHolds()), job.getExecutionTime() > 0});
    return true;
  }

  // What was in an execution queue is held or waits as it did there: nobody knows it here.
  bool moved(const log::record& record, std::string queue) {
    const auto serial = record.get().getStream();
    const auto before = jobs_.find(serial);
    const bool leaves = before != jobs_.end();
    if (!routing_.contains(queue)) {
      if (leaves) leave(serial);
      return leaves;
    }
    routed job = leaves ? before->second : routed{};
    job.queue = std::move(queue);
    if (leaves) leave(serial);
    come(record, std::move(job));
    return true;
  }

  void note_changes(routed& job, const log::record& record, capnp::List<schema::Attribute>::Reader changes) {
    for (const auto c : changes) {
      const bool is_set = c.getOp() != schema::AttributeOp::UNSET;
      if (c.getName() == "Execution_Time")
        job.waits = is_set && values::parse_integer(schema::text(c.getValue())).value_or(0) * second_ns > record.get().getWallNs();
      if (c.getName() == "Hold_Types")
        job.holds = values::parse_hold_set(is_set ? schema::text(c.getValue()) : std::string_view()).value_or(values::hold_set{}).bits;
    }
  }

  static std::uint8_t bits_of(capnp::List<schema::HoldType>::Reader holds) {
    std::uint8_t bits = 0;
    for (const auto h : holds) bits |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(h));
    return bits;
  }

  void come(const log::record& record, routed job) {
    job.since = record.sequence();
    job.since_ns = record.get().getWallNs();
    in_order_[job.since] = record.get().getStream();
    jobs_[record.get().getStream()] = std::move(job);
  }
  void leave(std::uint64_t serial) {
    in_order_.erase(jobs_.at(serial).since);
    jobs_.erase(serial);
  }

  order_ptr owed_to(std::uint64_t serial, std::uint64_t since, const routed& job, const attributes::attribute_set& queue,
                    const moment& at) {
    const auto left = model::lifetime_left(queue, job.since_ns / second_ns, at.now_ns / second_ns);
    const bool is_over = left && *left <= 0;
    if (left && !is_over) {
      const auto then = at.now_ns + *left * second_ns;
      next_over_ns_ = std::min(next_over_ns_.value_or(then), then);
    }
    if (!is_over && model::not_to_be_routed(queue, job.holds != 0, job.waits)) return nullptr;
    const auto destinations = queue.get(queue_ids::route_destinations).value_or("");
    return make_order({.cause = since,
                       .target = "job " + std::to_string(serial) + (is_over ? ", whose time there is over" : ""),
                       .what = route_job{serial, values::split_list(destinations), is_over},
                       .given = order::repeat::until_accepted,
                       .again_ns = retry_ns(queue)});
  }

  std::map<std::uint64_t, std::string> names_;       // of queues, by stream
  std::set<std::string, std::less<>> routing_;       // names of routing queues
  std::map<std::uint64_t, routed> jobs_;             // in them, by serial
  std::map<std::uint64_t, std::uint64_t> in_order_;  // their serials, by the record with which they came
  std::optional<std::int64_t> next_over_ns_;         // when the next one's time in its queue is over, as of the last look
};

}  // namespace

std::unique_ptr<reaction> routing() { return std::make_unique<of_queues>(); }

}  // namespace annals::reactions
