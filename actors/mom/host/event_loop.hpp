// The one thread of a real_process_host: waits for file descriptors, timers and posted work, and runs one thing at a
// time. No task runs after stop().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace annals::mom {

class event_loop {
 public:
  using task = std::function<void()>;

  using complaint = std::function<void(const std::string&)>;

  // name: of its thread. complain: hears on that of what can't be watched. Throws std::system_error.
  event_loop(std::string name, complaint complain);
  ~event_loop() { stop(); }
  void stop();  // waits for the task that runs now; none runs afterwards
  event_loop(const event_loop&) = delete;
  event_loop& operator=(const event_loop&) = delete;

  void post(task t);  // on any thread

  // In tasks only. `t` runs each time the descriptor is readable (or hung up), until unwatch; closing is the caller's. A descriptor that
  // takes the number of one that was closed is another one, also for what was known of the first by then.
  // One that is watched already is a fault that is complained of; from then on `t` runs alone.
  void watch(int fd, task t);
  void unwatch(int fd);
  void after(std::chrono::milliseconds delay, task t);

 private:
  using clock = std::chrono::steady_clock;
  struct watched {
    std::uint32_t number = 0;  // of the watch: another one each time
    task t;
    bool waits = false;  // until the kernel has room for it
  };
  void run();
  void begin_watch(int fd, watched& w);
  bool stopping();
  void run_ready(std::uint64_t what);
  int wait_ms() const;
  void run_posted();
  void run_due();

  const complaint complain_;
  int epoll_ = -1, wake_ = -1;
  std::map<int, watched> watched_;  // by descriptor
  std::uint32_t last_watch_ = 0;
  std::multimap<clock::time_point, task> timers_;
  std::mutex mutex_;  // of the next two
  std::vector<task> posted_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace annals::mom
