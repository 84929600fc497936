#include "actors/follow/follow_standing.hpp"

#include <utility>

namespace annals::actors {

namespace {
std::string seconds_text(std::chrono::steady_clock::duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count()) + " s";
}
}  // namespace

follow_standing::follow_standing(std::string host, std::string server, time_point now)
    : host_(std::move(host)), server_(std::move(server)), lost_at_(now) {}

void follow_standing::has(std::uint64_t sequence, time_point now) {
  const std::lock_guard held(guard_);
  has_ = sequence;
  look(now);
}

void follow_standing::told(std::uint64_t last, time_point now) {
  const std::lock_guard held(guard_);
  connected_ = true;
  last_ = last;
  look(now);
}

void follow_standing::look(time_point now) {
  if (has_ >= last_) behind_since_.reset();
  else if (!behind_since_) behind_since_ = now;
}

void follow_standing::lost(const std::string& why, time_point now) {
  const std::lock_guard held(guard_);
  if (std::exchange(connected_, false)) lost_at_ = now;
  why_ = why;
}

void follow_standing::ended(const std::string& why) {
  const std::lock_guard held(guard_);
  ended_ = true;
  why_ = why;
}

std::string follow_standing::text(time_point now) const {
  const std::lock_guard held(guard_);
  const auto so_far = host_ + ", up to record " + std::to_string(has_);
  if (ended_) return so_far + " and no further: " + why_;
  if (!connected_)
    return so_far + "; server " + server_ + " is not there since " + seconds_text(now - lost_at_) + (why_.empty() ? "" : ": " + why_);
  const auto behind = has_ < last_ ? last_ - has_ : 0;
  return host_ + ", " + std::to_string(behind) + " events and " + seconds_text(behind_since_ ? now - *behind_since_ : now - now) +
         " behind server " + server_;
}

}  // namespace annals::actors
