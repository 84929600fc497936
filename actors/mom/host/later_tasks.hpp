// What can't be done now and is tried again: a name service that is ill, a file that can't be written. In guarded tasks only.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/host_news.hpp"
#include "actors/mom/host/work_name.hpp"

namespace annals::mom {

class later_tasks {
 public:
  later_tasks(event_loop& loop, host_news& news) : loop_(loop), news_(news) {}

  // A later request of this name takes its place.
  void after(std::chrono::milliseconds delay, const work_name& name, event_loop::task again);
  void forget(const work_name& name) { numbers_.erase(name); }

 private:
  event_loop& loop_;
  host_news& news_;
  std::map<work_name, std::uint64_t> numbers_;  // by name: of the one that counts
  std::uint64_t last_number_ = 0;
};

}  // namespace annals::mom
