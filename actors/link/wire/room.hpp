// Places for connections of one kind, and who has them: users of a Unix socket, or addresses that have not proved who they are.
//
// Nobody may have more than are still free. So whoever takes all that he can get has half of them, two such users have a third
// each, and there is always room for somebody who has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "actors/link/wire/requests_in_hand.hpp"

namespace annals::wire {

template <class Key>
class room : public std::enable_shared_from_this<room<Key>> {
 public:
  explicit room(std::size_t places) : places_(places) {}

  std::size_t places() const { return places_; }

  // A place, given back when the pointer's last copy is gone; any thread. Null: there is none, and `has` says how many this one has.
  std::shared_ptr<void> enter(const Key& who, std::size_t& has) {
    const std::lock_guard held(guard_);
    const auto at = taken_.find(who);
    has = at == taken_.end() ? 0 : at->second;
    if (has >= places_ - total_) return nullptr;
    ++total_;
    ++taken_[who];
    return std::shared_ptr<void>(this, [self = this->shared_from_this(), who](void*) { self->leave(who); });
  }

 private:
  void leave(const Key& who) {
    const std::lock_guard held(guard_);
    --total_;
    if (const auto at = taken_.find(who); --at->second == 0) taken_.erase(at);
  }

  const std::size_t places_;
  std::mutex guard_;
  std::size_t total_ = 0;
  std::map<Key, std::size_t> taken_;
};

// The rooms of a process, by the descriptors that it may have, and what it has in hand of those who are inside.
struct rooms {
  explicit rooms(std::size_t descriptors, in_hand_bounds bounds = {});
  std::shared_ptr<room<std::uint32_t>> ordinary;  // by uid
  std::shared_ptr<room<std::uint32_t>> own;       // root and the user of this process, by uid
  // TCP peers before they are known, by address; half of the places are for calls from a port that only root has: a user of a host has
  // its address, not these ports.
  std::shared_ptr<room<std::string>> unproven, unproven_root;
  std::shared_ptr<requests_in_hand> in_hand;
};

}  // namespace annals::wire
