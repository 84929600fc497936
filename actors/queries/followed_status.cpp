#include "actors/queries/followed_status.hpp"

#include <algorithm>
#include <utility>

namespace annals::actors {

namespace {

// To fold so many takes a few milliseconds: it has not had the processor for long.
constexpr std::size_t records_behind = 1024;

}  // namespace

void followed_status::catch_up() {
  const auto commits = parts_.inbox->take();
  look_how_far(commits);
  for (const auto& records : commits) fold(*records);
  if (parts_.inbox->tell_at_once(waits())) parts_.look_soon();
}

void followed_status::catch_up_to(std::uint64_t sequence) {
  if (sequence > now().sequence())
    for (const auto& records : parts_.inbox->take(sequence)) fold(*records);
}

// A thread that yields to others falls ever more behind when the processors are busy and others submit without end.
void followed_status::look_how_far(const std::vector<records_ptr>& commits) {
  std::size_t records = 0;
  for (const auto& c : commits) records += c->size();
  if (const bool now_behind = records >= records_behind; std::exchange(behind_, now_behind) != now_behind) parts_.hurry(now_behind);
}

bool followed_status::waits() const {
  return std::any_of(watchers_.begin(), watchers_.end(), [](const auto* w) { return w->waits(); });
}

void followed_status::fold(const std::vector<log::record_ptr>& records) {
  for (const auto& record : records) {
    parts_.now->fold(*record);
    parts_.index->fold(*record, *parts_.now);
    for (auto* watcher : watchers_) watcher->folded(*record);
  }
  for (auto* watcher : watchers_) watcher->all_folded();
}

}  // namespace annals::actors
