// How the threads of a scheduler's sockets and signals reach the one that schedules.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "actors/link/wire/wire.hpp"

namespace annals::daemons {

struct happening {
  enum class kind { opened,
                    received,
                    closed,
                    failed,
                    called,
                    signal };
  kind what;
  wire::connection_ptr connection;
  schema::sealed_message message;
  std::string text;
  int signal = 0;
};

class mailbox {
 public:
  void put(happening h) {
    std::lock_guard held(guard_);
    waiting_.push_back(std::move(h));
    arrived_.notify_one();
  }
  // Nothing: it is later than `until`, if there is such a time.
  std::optional<happening> take(std::optional<std::chrono::steady_clock::time_point> until = {}) {
    std::unique_lock held(guard_);
    const auto some = [&] { return !waiting_.empty(); };
    if (!until) arrived_.wait(held, some);
    else if (!arrived_.wait_until(held, *until, some)) return std::nullopt;
    happening h = std::move(waiting_.front());
    waiting_.pop_front();
    return h;
  }

 private:
  std::mutex guard_;
  std::condition_variable arrived_;
  std::deque<happening> waiting_;
};

}  // namespace annals::daemons
