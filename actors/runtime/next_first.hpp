// Which thread runs which actor: CAF's work sharing, save that what the running actor tells another one is done next on the
// same thread. With work sharing each such message wakes a second thread, which on few cores pushes the first one aside,
// waits for the lock that the first one holds, and is woken again: a fifth of a submission's time.
//
// A place for one: if the actor tells a second one before it is done, the first goes to the queue that all threads share. Another
// thread is called if none is up, if much lies in the queue, or if those who are up have begun nothing for a while. So who was told
// waits for as many messages as an actor may handle in a row (scheduler.max-throughput), or for a long one: that number should be
// small, and an actor whose messages may block its thread has no place under this policy.
#pragma once

#include <caf/policy/unprofiled.hpp>
#include <caf/resumable.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace annals::actors {

class next_first : public caf::policy::unprofiled {
 public:
  struct coordinator_data {
    explicit coordinator_data(caf::scheduler::abstract_coordinator*) {}
    std::mutex lock;
    std::condition_variable work_came;
    std::deque<caf::resumable*> queue;
    std::size_t sleepers = 0;
    std::size_t awake = 0;
    bool waking = false;  // somebody was called and has not come yet

    // A thread is called if none is up, or if those who are up leave much lying. What one event leads to is a handful of short
    // pieces: done one after the other they take less than a second thread takes to wake.
    static constexpr std::size_t short_queue = 8;
    bool wants_another() const { return sleepers > 0 && !waking && (awake == 0 || queue.size() > short_queue || stuck()); }

    // Those who are up have begun nothing new for so long: a handler takes its time, and others must not wait for it.
    static constexpr std::chrono::microseconds long_piece{200};
    bool stuck() const { return std::chrono::steady_clock::now() - began_at.load(std::memory_order_relaxed) > long_piece; }
    std::atomic<std::chrono::steady_clock::time_point> began_at{};
  };
  struct worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator*) {}
    caf::resumable* next = nullptr;  // of the worker's own thread alone
    unsigned in_a_row = 0;           // how many came from there since the queue was asked
    bool is_up = false;              // counted in `awake`
  };

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    auto& all = self->data();
    bool wakes = false;
    {
      const std::lock_guard lock(all.lock);
      all.queue.push_back(job);
      wakes = all.wants_another();
      if (wakes) all.waking = true;
    }
    if (wakes) all.work_came.notify_one();
  }
  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }
  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    if (auto* before = std::exchange(self->data().next, job)) central_enqueue(self->parent(), before);
  }
  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }

  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    auto& own = self->data();
    auto& all = self->parent()->data();
    if (own.next && ++own.in_a_row < in_a_row_max) {
      all.began_at.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
      return std::exchange(own.next, nullptr);
    }
    own.in_a_row = 0;
    std::unique_lock lock(all.lock);
    if (!std::exchange(own.is_up, true)) ++all.awake;
    if (own.next) all.queue.push_back(std::exchange(own.next, nullptr));
    while (all.queue.empty()) {
      ++all.sleepers;
      --all.awake;
      all.work_came.wait(lock);
      --all.sleepers;
      ++all.awake;
      all.waking = false;
    }
    auto* job = all.queue.front();
    all.queue.pop_front();
    all.began_at.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
    const bool wakes = all.wants_another();
    if (wakes) all.waking = true;
    lock.unlock();
    if (wakes) all.work_came.notify_one();
    return job;
  }

  // The thread ends: it no longer counts as one that is up, and what came meanwhile is another's.
  template <class Worker>
  void before_shutdown(Worker* self) {
    auto& all = self->parent()->data();
    const std::lock_guard lock(all.lock);
    --all.awake;
    if (all.queue.empty() || !all.wants_another()) return;
    all.waking = true;
    all.work_came.notify_one();
  }

  template <class Worker, class F>
  void foreach_resumable(Worker* self, F f) {
    if (auto* left = std::exchange(self->data().next, nullptr)) f(left);
  }
  template <class Coordinator, class F>
  void foreach_central_resumable(Coordinator* self, F f) {
    const std::lock_guard lock(self->data().lock);
    for (auto* job : std::exchange(self->data().queue, {})) f(job);
  }

 private:
  // Two actors that talk to each other without end must not keep others waiting.
  static constexpr unsigned in_a_row_max = 16;
};

}  // namespace annals::actors
