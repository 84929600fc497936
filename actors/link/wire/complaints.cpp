#include "actors/link/wire/complaints.hpp"

#include <vector>

#include "actors/link/wire/wire_limits.hpp"

namespace annals::wire {

void complaints::add(const std::string& who, const std::string& line, time_point now) {
  if (!tell_) return;
  {
    const std::lock_guard held(guard_);
    const bool kept_apart = of_.contains(who) || of_.size() < limits::complaints_max;
    const auto [at, first] = of_.try_emplace(kept_apart ? who : "others", entry{now, 0, {}});
    if (!first) {
      ++at->second.more;
      at->second.last = line;
      return;
    }
  }
  tell_(line);
}

// Whom there was more to say of stays for another time.
void complaints::tick(time_point now) {
  std::vector<std::string> lines;
  {
    const std::lock_guard held(guard_);
    for (auto at = of_.begin(); at != of_.end();) {
      auto& e = at->second;
      if (now - e.since < period_) {
        ++at;
      } else if (e.more == 0) {
        at = of_.erase(at);
      } else {
        lines.push_back(e.last + " (" + std::to_string(e.more) + " times more)");
        e = {now, 0, {}};
        ++at;
      }
    }
  }
  for (const auto& line : lines) tell_(line);
}

}  // namespace annals::wire
