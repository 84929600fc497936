// One I/O thread: an event loop, the connections that live on it, and the clock tick that looks after them. Everything a
// connection does with its socket happens on its worker's thread, so nothing there needs a lock, save what other threads send (link.hpp).
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include "actors/link/wire/wire.hpp"

namespace annals::wire {

using steady = std::chrono::steady_clock;
using boost::system::error_code;

// What lives on a worker: connections, dialers, listeners. All calls on the worker's thread.
class resident {
 public:
  virtual ~resident() = default;
  virtual void tick(steady::time_point now) = 0;
  virtual void begin_end() = 0;  // the pool is closing: no new work, flush and close
  virtual void end_now() = 0;    // no more time: close the descriptor
};

class worker : public std::enable_shared_from_this<worker> {
 public:
  explicit worker(const io_options& options);
  void start();
  // Ends all residents, at the latest after close_ms, and then the thread. Any other thread.
  void begin_stop();
  void join() { thread_.join(); }

  boost::asio::io_context io{1};
  const io_options options;
  std::atomic<std::size_t> connections{0};  // that are open here, or on their way from an acceptor

  void add(std::shared_ptr<resident> r);  // on this thread; ended at once when the worker is ending
  void remove(const std::shared_ptr<resident>& r);
  bool on_this_thread() { return io.get_executor().running_in_this_thread(); }
  // Runs `what` on the worker's thread and waits until it has run; does nothing when the thread is gone.
  void run_and_wait(std::function<void()> what);

 private:
  void tick();
  void begin_end();

  boost::asio::steady_timer timer_{io};
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_;
  std::unordered_set<std::shared_ptr<resident>> residents_;
  bool ending_ = false;
  steady::time_point end_by_{};
  std::mutex gone_mutex_;
  bool gone_ = false;  // the thread runs nothing any more
  std::thread thread_;
};

}  // namespace annals::wire
