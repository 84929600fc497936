// Which workers stay when they have nothing to do, and which end: by the hooks that there are, by their rest, and for want of a place.
#include <algorithm>
#include <tuple>
#include <utility>

#include "hooks-runtime/pool/pool_server.hpp"

namespace annals::hooks {

void pool_server::know_hooks(std::set<known_hook> hooks) {
  hooks_ = std::move(hooks);
  for (auto w = workers_.begin(); w != workers_.end(); ++w) {
    w->known = w->code ? is_known(*w->code) : !hooks_->empty();
    if (!w->known && (w->now == phase::idle || w->now == phase::unbound)) end(w, protocol::Verdict::ERROR, {});
  }
}

std::size_t pool_server::places() const {
  return std::min<std::size_t>(settings_.workers_max, settings_.at_once_max + (hooks_ ? hooks_->size() : 0));
}

bool pool_server::has_fellow(worker_at w) const {
  return std::ranges::any_of(
      workers_, [&](const worker& x) { return x.id != w->id && (x.now == phase::idle || x.now == phase::running) && x.key == w->key; });
}

// An idle worker makes way; its place is free when it is gone. First one whose hook has another, then one that has rested long, then
// one that ran seldom; of equal ones the one that ran last, since hooks that run in turn need that one latest again.
void pool_server::make_room() {
  if (std::ranges::any_of(workers_, [](const worker& w) { return w.now == phase::ending; })) return;  // one is about to be free
  const auto long_ago = clock::now() - settings_.rest_max;
  const auto worth = [&](worker_at w) {
    return std::tuple(!has_fellow(w), w->used > long_ago, w->runs, -w->used.time_since_epoch());
  };
  worker_at least = workers_.end();
  for (auto w = workers_.begin(); w != workers_.end(); ++w)
    if (w->now == phase::idle && (least == workers_.end() || worth(w) < worth(least))) least = w;
  if (least != workers_.end()) end(least, protocol::Verdict::ERROR, {});
}

// It has run, and is kept for the next run.
void pool_server::rest(worker_at w) {
  w->now = phase::idle;
  const auto most =
      w->known ? settings_.rest_max : std::min<std::chrono::milliseconds>(settings_.rest_max, limits::former_hook_worker_rest_max);
  w->deadline = w->used + most;
}

// In the server a hook keeps one worker: nobody who submits a job after a quiet hour waits for all of them to start.
void pool_server::has_rested(worker_at w) {
  if (w->known && !settings_.on_mom && !has_fellow(w)) w->deadline = clock::time_point::max();
  else end(w, protocol::Verdict::ERROR, {});
}

void pool_server::keep_one_ready() {
  if (hooks_ && hooks_->empty()) return;
  if (workers_.empty() || workers_.size() >= places() || clock::now() < no_start_before_) return;
  if (std::ranges::any_of(workers_, [](const worker& w) { return w.now == phase::unbound; })) return;
  start_worker();
  no_start_why_.clear();
}

}  // namespace annals::hooks
