// Names of groups, remembered: a submission asks for its user's group, and reading it takes 20 us from a file and as long as it
// likes from a directory service.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "actors/gateway/authorise.hpp"
#include "events/model/limits.hpp"
#include "events/ports/clock.hpp"

namespace annals::actors {

class group_names {
 public:
  explicit group_names(const ports::clock& clock) : clock_(clock) {}

  // As group_name() said within the last group_name_memory_s.
  const std::string& of(std::uint32_t gid) {
    const auto now = clock_.now_ns();
    auto& known = known_[gid];
    const auto age = now - known.asked_ns;
    if (known.name.empty() || age < 0 || age > limits::group_name_memory_s * 1'000'000'000) known = {group_name(gid), now};
    return known.name;
  }

 private:
  struct entry {
    std::string name;
    std::int64_t asked_ns = 0;
  };
  const ports::clock& clock_;
  std::map<std::uint32_t, entry> known_;
};

}  // namespace annals::actors
