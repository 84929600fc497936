// When finished jobs leave the history. Knows which finished jobs there are, in the order of their ends, and so the one moment
// at which the next of them is to go: no job needs a timer, and 100,000 of them take 3 MB.
//
// Only so many are told at one time, so that a history turned off with 100,000 jobs in it does not hold up everybody else.
// Whether a job's time is over its own rules decide (events/model/job/reports.cpp); one that was asked too early is asked again.
// Source: pbs guide, job_history_enable, job_history_duration.
#include <algorithm>
#include <deque>
#include <unordered_set>

#include "actors/server/reactions/all.hpp"
#include "events/model/limits.hpp"
#include "events/values/job_id.hpp"

namespace annals::reactions {

namespace {

class expiry final : public reaction {
 public:
  bool fold(const log::record& record) override {
    const auto r = record.get();
    if (schema::is(record.event(), schema::JobEvent::QUEUED) && values::is_subjob(record.event().getJob().getQueued().getNumber())) {
      subjobs_.insert(r.getStream());
      return false;
    } else if (subjobs_.contains(r.getStream())) {
      if (schema::is(record.event(), schema::JobEvent::FORGOTTEN)) subjobs_.erase(r.getStream());
      return false;
    } else if (schema::is(record.event(), schema::JobEvent::ENDED)) {
      ended({r.getWallNs(), r.getSequence(), r.getStream()});
    } else if (schema::is(record.event(), schema::JobEvent::FORGOTTEN)) {
      forgotten(r.getStream());
    } else {
      return false;
    }
    return true;
  }

  std::vector<order_ptr> owed(const moment& at) override {
    std::vector<order_ptr> orders;
    for (const auto& job : ended_) {
      if (orders.size() == limits::history_round_jobs_max || at.now_ns < due_ns(job, at.settings)) break;
      if (gone_.contains(job.serial)) continue;
      orders.push_back(make_order({.cause = job.sequence,
                                   .target = "job " + std::to_string(job.serial),
                                   .what = tell_job{job.serial, model::forget_job{}, {"", at.settings.host_name, schema::Role::SERVER}}}));
    }
    return orders;
  }

  std::optional<std::int64_t> next_ns(const moment& at) const override {
    for (const auto& job : ended_)
      if (!gone_.contains(job.serial)) {
        const auto due = due_ns(job, at.settings);
        // While some are owed, what becomes of them leads to the next look.
        return at.now_ns < due ? std::optional(due) : std::nullopt;
      }
    return std::nullopt;
  }
  // Those that are not forgotten, each by what it has more than the one before: a history may have a million of them.
  void store(stored::writer& to) const override {
    const auto is_there = [&](const end& job) { return !gone_.contains(job.serial); };
    to(subjobs_);
    to.number(static_cast<std::uint64_t>(std::ranges::count_if(ended_, is_there)));
    end before{};
    for (const auto& job : ended_) {
      if (!is_there(job)) continue;
      to(more(before.at_ns, job.at_ns), more(before.sequence, job.sequence), more(before.serial, job.serial));
      before = job;
    }
  }
  void restore(stored::reader& from) override {
    from(subjobs_);
    ended_.clear();
    gone_.clear();
    end job{};
    for (auto n = from.count(); n > 0; --n) {
      std::int64_t time = 0, sequence = 0, serial = 0;
      from(time, sequence, serial);
      add(job.at_ns, time);
      add(job.sequence, sequence);
      add(job.serial, serial);
      ended_.push_back(job);
    }
  }

 private:
  struct end {
    std::int64_t at_ns;
    std::uint64_t sequence, serial;
  };

  template <class Number>
  static std::int64_t more(Number before, Number now) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(before));
  }
  template <class Number>
  static void add(Number& to, std::int64_t more) {
    to = static_cast<Number>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(more));
  }

  static std::int64_t due_ns(const end& job, const model::settings& settings) {
    return job.at_ns + model::history_seconds(settings) * second_ns;
  }

  // Those that ended while the clock was ahead stay behind those that ended since, and keep their time: their history lasts longer.
  void ended(const end& job) {
    ended_.insert(std::ranges::upper_bound(ended_, job.at_ns, {}, &end::at_ns), job);
  }

  void forgotten(std::uint64_t serial) {
    if (!ended_.empty() && ended_.back().serial == serial) ended_.pop_back();  // it ended without a history
    else gone_.insert(serial);
    while (!ended_.empty() && gone_.erase(ended_.front().serial) > 0) ended_.pop_front();
  }

  // In the order of time.
  std::deque<end> ended_;
  std::unordered_set<std::uint64_t> gone_;     // forgotten, and still inside ended_
  std::unordered_set<std::uint64_t> subjobs_;  // they go with their arrays
};

}  // namespace

std::unique_ptr<reaction> history_expiry() { return std::make_unique<expiry>(); }

}  // namespace annals::reactions
