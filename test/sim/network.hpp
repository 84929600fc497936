// One link of the simulated network.
#pragma once

#include "test/sim/world.hpp"

namespace annals::sim {

class link {
 public:
  link(world& w, endpoint a, endpoint b) : world_(w), ends_{std::move(a), std::move(b)} {}
  void open(std::shared_ptr<link> self);
  void put(int from, const schema::sealed_message& m);
  void break_with(const std::string& why);
  bool deliver_due();
  std::int64_t next_due() const;
  bool broken() const { return broken_; }
  bool belongs_to(const life& process) const { return ends_[0].alive == process || ends_[1].alive == process; }
  wire::connection_ptr end(int side) const { return connections_[side]; }

 private:
  struct parcel {
    std::int64_t due;
    schema::sealed_message message;
  };
  world& world_;
  endpoint ends_[2];
  wire::connection_ptr connections_[2];
  std::deque<parcel> under_way_[2];  // towards end 0, towards end 1
  bool broken_ = false;
};

}  // namespace annals::sim
