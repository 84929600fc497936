#include "actors/link/wire/worker.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <future>
#include <vector>

namespace annals::wire {

namespace {

// Often enough for the shortest time that is watched, and once a second on a real cluster: a host has other work.
std::chrono::milliseconds tick_length(const io_options& o) {
  const int shortest = std::min({o.heartbeat_ms, o.peer_silence_ms, o.handshake_ms, o.unread_ms, o.close_ms, o.frame_ms, o.complaint_ms});
  return std::chrono::milliseconds(std::clamp(shortest / 2, 2, 1000));
}

// A process's signals are for the thread that its main() chose.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

worker::worker(const io_options& o) : options(o) { work_.emplace(io.get_executor()); }

void worker::start() {
  thread_ = std::thread([self = shared_from_this()] {
    block_signals();
    self->tick();
    self->io.run();
    {
      std::lock_guard lock(self->gone_mutex_);
      self->gone_ = true;
    }
    self->io.restart();  // what was posted between the end of run() and `gone_`
    self->io.poll();
  });
}

void worker::begin_stop() {
  boost::asio::post(io, [this] { begin_end(); });
}

void worker::run_and_wait(std::function<void()> what) {
  if (on_this_thread()) return what();
  std::promise<void> done;
  {
    std::lock_guard lock(gone_mutex_);
    if (gone_) return;
    boost::asio::post(io, [&] {
      what();
      done.set_value();
    });
  }
  done.get_future().wait();
}

void worker::add(std::shared_ptr<resident> r) {
  residents_.insert(r);
  if (ending_) r->end_now();
}

void worker::remove(const std::shared_ptr<resident>& r) {
  residents_.erase(r);
  if (ending_ && residents_.empty()) timer_.cancel();
}

void worker::begin_end() {
  ending_ = true;
  end_by_ = steady::now() + std::chrono::milliseconds(options.close_ms);
  work_.reset();
  for (const auto& r : std::vector(residents_.begin(), residents_.end())) r->begin_end();
  if (residents_.empty()) timer_.cancel();
}

void worker::tick() {
  const auto now = steady::now();
  for (const auto& r : std::vector(residents_.begin(), residents_.end())) {
    if (ending_ && now > end_by_) r->end_now();
    else r->tick(now);
  }
  if (ending_ && residents_.empty()) return;
  // A name that is still being looked up would keep us here as long as the resolver likes.
  if (ending_ && now > end_by_ + std::chrono::milliseconds(options.close_ms)) return io.stop();
  timer_.expires_after(tick_length(options));
  timer_.async_wait([this](error_code ec) {
    if (!ec) tick();
  });
}

}  // namespace annals::wire
