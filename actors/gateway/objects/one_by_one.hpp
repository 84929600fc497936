// Requests that are decided one after the other, in the order in which they came: each is begun when the one before it was answered, or
// when nobody can answer that any more. By then what it did is in the gateway's fold. Part of the gateway's actor.
#pragma once

#include <caf/event_based_actor.hpp>

#include <deque>
#include <functional>
#include <utility>

#include "actors/runtime/reply.hpp"

namespace annals::actors {

class one_by_one {
 public:
  explicit one_by_one(caf::event_based_actor* self) : self_(self) {}

  // Begins now, or when its turn has come; the turn is over with the reply that it is given.
  using request = std::function<void(const reply_ptr& reply)>;
  void put(reply_ptr reply, request what);
  bool idle() const { return !busy_; }

 private:
  class in_turn;
  void begin_next();

  caf::event_based_actor* self_;
  bool busy_ = false;
  std::deque<std::pair<reply_ptr, request>> waiting_;
};

}  // namespace annals::actors
