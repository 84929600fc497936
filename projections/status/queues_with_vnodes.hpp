// The queues that have vnodes of their own (the vnode attribute `queue`), kept up with the events of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "events/model/host/host.hpp"

namespace annals::projections {

class queues_with_vnodes {
 public:
  using hosts = std::map<std::uint64_t, model::host_state>;  // by serial
  void before(std::uint64_t host, schema::HostEvent::Reader event, const hosts& all);
  void after(std::uint64_t host, schema::HostEvent::Reader event, const hosts& all);
  void make_anew(const hosts& all);
  bool has(std::string_view queue) const { return vnodes_of_queue_.contains(queue); }

 private:
  void put(const model::vnode_state& vnode);
  void take_out(std::string_view vnode);

  std::map<std::string, std::string, std::less<>> queue_of_vnode_;  // of those that are in one
  std::map<std::string, std::size_t, std::less<>> vnodes_of_queue_;
};

}  // namespace annals::projections
