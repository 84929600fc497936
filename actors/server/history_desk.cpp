#include "actors/server/history_desk.hpp"

#include "events/model/job.hpp"
#include "events/model/limits.hpp"

namespace annals::actors {

namespace {
constexpr std::int64_t second = 1'000'000'000;
// A round that is not done by then is repeated: a full disk, an actor that had to be rebuilt.
constexpr std::int64_t patience = 10 * second;
}  // namespace

void history_desk::fold(const log::record& record) {
  const auto r = record.get();
  if (record.event().isJobEnded()) ended_.push_back({r.getWallNs(), r.getStream()});
  if (record.event().isJobForgotten()) forgotten(r.getStream());
}

void history_desk::forgotten(std::uint64_t serial) {
  asked_.erase(serial);
  if (!ended_.empty() && ended_.back().serial == serial) ended_.pop_back();      // it ended without a history
  else gone_.insert(serial);
  while (!ended_.empty() && gone_.erase(ended_.front().serial) > 0) ended_.pop_front();
}

std::vector<std::uint64_t> history_desk::next_round(std::int64_t now_ns, const model::site& site) {
  std::vector<std::uint64_t> due;
  if (!asked_.empty() && now_ns < asked_ns_ + patience) return due;
  asked_.clear();
  asked_ns_ = now_ns;
  const auto keeps = model::history_seconds(site) * second;
  for (const auto& job : ended_) {
    if (due.size() == limits::history_round_jobs_max || (keeps > 0 && now_ns < job.at_ns + keeps)) break;
    if (gone_.contains(job.serial)) continue;
    due.push_back(job.serial);
    asked_.insert(job.serial);
  }
  return due;
}

std::optional<std::int64_t> history_desk::next_ns(const model::site& site) const {
  if (ended_.empty()) return std::nullopt;
  if (!asked_.empty()) return asked_ns_ + patience;
  return ended_.front().at_ns + model::history_seconds(site) * second;
}

}  // namespace annals::actors
