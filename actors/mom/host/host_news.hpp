// What a real_process_host has to tell of its runs: collected while a task works with the lock, told after it without.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "actors/mom/host/event_loop.hpp"
#include "events/ports/process_host.hpp"

namespace annals::mom {

class host_news {
 public:
  using events = ports::process_host::events;
  using telling = std::function<void(const events&)>;

  void listen(events e);
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  // Runs a task with the lock, then tells what it wanted told.
  void guarded(const event_loop::task& t);

  // In tasks that are guarded.
  void tell(telling t) { tellings_.push_back(std::move(t)); }
  void failed(const values::program_key& key, int code, const std::string& text);
  void appended(const values::run_key& key);
  void acted(const values::run_key& key);

 private:
  std::mutex mutex_;  // held for one task at most
  events events_;
  std::vector<telling> tellings_;
};

}  // namespace annals::mom
