// What can't be done now and is tried again: a name service that is ill, a file that can't be written. In guarded tasks only.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/host_news.hpp"

namespace annals::mom {

class later_tasks {
 public:
  later_tasks(event_loop& loop, host_news& news) : loop_(loop), news_(news) {}

  // A later request of this name takes its place.
  void after(std::chrono::milliseconds delay, const std::string& name, event_loop::task again);
  void forget(const std::string& name) { numbers_.erase(name); }

 private:
  event_loop& loop_;
  host_news& news_;
  std::map<std::string, std::uint64_t> numbers_;  // by name: of the one that counts
  std::uint64_t last_number_ = 0;
};

}  // namespace annals::mom
