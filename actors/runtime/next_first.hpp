// Which thread runs which actor: CAF's work sharing, save that what the running actor tells another one is done next on the
// same thread. With work sharing each such message wakes a second thread, which on few cores pushes the first one aside,
// waits for the lock that the first one holds, and is woken again: a fifth of a submission's time.
//
// A place for one: if the actor tells a second one before it is done, the first goes to the queue that all threads share, and
// a thread that sleeps is woken, unless one is on its way already: that one looks what is left. So who was told waits for as many
// messages as an actor may handle in a row (scheduler.max-throughput) at most: that number should be small, and an actor whose
// messages may block its thread has no place under this policy.
#pragma once

#include <caf/policy/unprofiled.hpp>
#include <caf/resumable.hpp>

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
    bool waking = false;  // one was called and has not come yet: when it comes it calls the next, if something is left

    bool wants_another() const { return sleepers > 0 && !waking && !queue.empty(); }
  };
  struct worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator*) {}
    caf::resumable* next = nullptr;  // of the worker's own thread alone
    unsigned in_a_row = 0;           // how many came from there since the queue was asked
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
    if (own.next && ++own.in_a_row < in_a_row_max) return std::exchange(own.next, nullptr);
    auto& all = self->parent()->data();
    own.in_a_row = 0;
    std::unique_lock lock(all.lock);
    if (own.next) all.queue.push_back(std::exchange(own.next, nullptr));
    while (all.queue.empty()) {
      ++all.sleepers;
      all.work_came.wait(lock);
      --all.sleepers;
      all.waking = false;
    }
    auto* job = all.queue.front();
    all.queue.pop_front();
    const bool wakes = all.wants_another();
    if (wakes) all.waking = true;
    lock.unlock();
    if (wakes) all.work_came.notify_one();
    return job;
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
