// Which of a reaction's orders were given, and when each is given again. Only a memory of this process: after a start every
// order that is owed is given anew. Pure, no actors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/server/reactions/reaction.hpp"

namespace annals::reactions {

class order_keeper {
 public:
  // Those of the owed orders that are to be given now; what is no longer owed is forgotten.
  std::vector<order_ptr> reconcile(const std::vector<order_ptr>& owed, std::int64_t now_ns);
  // The order's target did not take it. That it took one says nothing: the fold does, and until then it is given no second time. False: it
  // is not owed any more, or is not given again because of this.
  bool refused(const order_ptr& what, std::int64_t now_ns);
  // No repeat waits longer than its pause from now on.
  void clock_went_back(std::int64_t to_ns);
  // Refused orders are given at the next reconcile, without waiting any longer.
  void try_again();
  // When reconcile is to be called for a repeat; nothing: no order waits for a time.
  std::optional<std::int64_t> next_ns() const;

 private:
  // An order is known by its cause and target; mostly it is the very same one.
  struct hash {
    std::size_t operator()(const order_ptr& o) const { return std::hash<std::string>()(o->target) * 31 + o->cause; }
  };
  struct same {
    bool operator()(const order_ptr& a, const order_ptr& b) const { return a == b || (a->cause == b->cause && a->target == b->target); }
  };
  struct entry {
    std::int64_t again_ns = 0;  // when it is given again
    std::int64_t pause_ns = 0;
    order::repeat given = order::repeat::until_folded;
    bool refused = false;
    std::uint64_t round = 0;  // of the last reconcile that had it
  };

  std::unordered_map<order_ptr, entry, hash, same> given_;
  std::uint64_t round_ = 0;
  std::int64_t next_ns_ = 0;  // the earliest again_ns
  void remind(std::int64_t at_ns);
};

}  // namespace annals::reactions
