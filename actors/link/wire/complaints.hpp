// What a listener has to say of those it turns away or cuts off, for the log: of each user or address the first at once, and of
// what follows within a time its number and the last of it. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace annals::wire {

class complaints {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  complaints(std::function<void(const std::string& line)> tell, int period_ms) : tell_(std::move(tell)), period_(period_ms) {}

  void add(const std::string& who, const std::string& line, time_point now);
  void tick(time_point now);

 private:
  struct entry {
    time_point since;
    std::size_t more = 0;  // not told
    std::string last;
  };

  const std::function<void(const std::string&)> tell_;
  const std::chrono::milliseconds period_;
  std::mutex guard_;
  std::map<std::string, entry> of_;
};

}  // namespace annals::wire
