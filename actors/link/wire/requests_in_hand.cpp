#include "actors/link/wire/requests_in_hand.hpp"

#include <algorithm>
#include <utility>

namespace annals::wire {

class requests_in_hand::request {
 public:
  request(std::shared_ptr<line> taken_from, shares::iterator whose, std::size_t size)
      : from(std::move(taken_from)), user(whose), bytes(size + limits::bytes_beside_request) {}
  ~request() { from->all_->done(*this); }

  const std::shared_ptr<line> from;
  const shares::iterator user;
  const std::size_t bytes;
};

std::shared_ptr<requests_in_hand::line> requests_in_hand::open(const std::string& user, std::function<void()> go_on) {
  return std::make_shared<line>(shared_from_this(), user, std::move(go_on));
}

// As in a room (room.hpp): one who takes all that he can get has half of it, and whoever has nothing gets something.
bool requests_in_hand::has_enough(const shares::value_type& user) const {
  const auto& [name, has] = user;
  return !name.empty() && has.bytes > 0 && has.bytes + bytes_ >= bounds_.bytes_of_all;
}

void requests_in_hand::add(const request& r) {
  ++r.from->requests_;
  r.from->bytes_ += r.bytes;
  r.user->second.bytes += r.bytes;
  if (!r.user->first.empty()) bytes_ += r.bytes;
}

void requests_in_hand::done(const request& r) {
  lines woken;  // outlives the lock: the last of a line may go with it
  {
    const std::lock_guard held(guard_);
    --r.from->requests_;
    r.from->bytes_ -= r.bytes;
    r.user->second.bytes -= r.bytes;
    if (!r.user->first.empty()) bytes_ -= r.bytes;
    woken = let_go_on(*r.from);
    forget_if_empty(r.user);
  }
  for (const auto& l : woken) l->go_on_();
}

// Whether its user has enough is asked of each before it takes the next.
requests_in_hand::lines requests_in_hand::let_go_on(line& answered) {
  lines woken;
  const auto wake = [&](const std::shared_ptr<line>& l) {
    l->state_ = line::state::takes;
    woken.push_back(l);
  };
  const bool half = answered.requests_ <= bounds_.requests / 2 && answered.bytes_ <= bounds_.bytes / 2;
  if (answered.state_ == line::state::full && half) wake(answered.shared_from_this());
  std::erase_if(stopped_, [&](const shares::iterator& user) {
    if (has_enough(*user)) return false;
    for (const auto& stopped : std::exchange(user->second.stopped, {}))
      if (const auto l = stopped.lock()) wake(l);
    return true;
  });
  return woken;
}

// One with nothing in hand has no stopped lines either.
void requests_in_hand::forget_if_empty(shares::iterator user) {
  if (user->second.lines == 0 && user->second.bytes == 0) shares_.erase(user);
}

requests_in_hand::line::line(std::shared_ptr<requests_in_hand> all, const std::string& user, std::function<void()> go_on)
    : all_(std::move(all)), go_on_(std::move(go_on)) {
  const std::lock_guard held(all_->guard_);
  user_ = all_->shares_.try_emplace(user).first;
  ++user_->second.lines;
}

requests_in_hand::line::~line() {
  const std::lock_guard held(all_->guard_);
  --user_->second.lines;
  all_->forget_if_empty(user_);
}

bool requests_in_hand::line::may_take() {
  const std::lock_guard held(all_->guard_);
  if (state_ != state::takes) return false;
  if (requests_ >= all_->bounds_.requests || bytes_ >= all_->bounds_.bytes) {
    state_ = state::full;
  } else if (all_->has_enough(*user_)) {
    state_ = state::stopped;
    if (user_->second.stopped.empty()) all_->stopped_.push_back(user_);
    user_->second.stopped.push_back(weak_from_this());
  }
  return state_ == state::takes;
}

std::shared_ptr<void> requests_in_hand::line::take(std::size_t bytes) {
  const std::lock_guard held(all_->guard_);
  const auto taken = std::make_shared<request>(shared_from_this(), user_, bytes);
  all_->add(*taken);
  return taken;
}

void requests_in_hand::line::counts_for(const std::string& user) {
  const std::lock_guard held(all_->guard_);
  const auto before = std::exchange(user_, all_->shares_.try_emplace(user).first);
  ++user_->second.lines;
  --before->second.lines;
  all_->forget_if_empty(before);
}

}  // namespace annals::wire
