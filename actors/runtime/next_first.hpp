// Which thread runs which actor: CAF's work sharing, save that what the running actor tells another one is done next on the
// same thread. With work sharing each such message wakes a second thread, which on few cores pushes the first one aside,
// waits for the lock that the first one holds, and is woken again: a fifth of a submission's time.
//
// A place for one: if the actor tells a second one before it is done, the first goes to the queue that all threads share, and
// a thread that sleeps is woken, unless one is on its way already: that one looks what is left. So who was told waits for as many
// messages as an actor may handle in a row (scheduler.max-throughput) at most: that number should be small, and an actor whose
// messages may block its thread has no place under this policy.
//
// While the pool has nothing to do, a thread beside it (one that reads requests, or writes the log) may do itself what it tells:
// next_first::here. A lone request then wakes no thread of the pool at all.
//
// An actor that blocks has a thread of its own (spawn_with_thread).
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/policy/unprofiled.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "actors/runtime/own_thread.hpp"

namespace annals::actors {

class next_first : public caf::policy::unprofiled {
 public:
  class guest;
  static constexpr std::size_t own_threads_max = 4;
  struct coordinator_data {
    explicit coordinator_data(caf::scheduler::abstract_coordinator* c) : all(c) {}
    caf::scheduler::abstract_coordinator* const all;
    std::mutex lock;
    std::condition_variable work_came;
    std::deque<caf::resumable*> queue;
    std::map<std::thread::id, guest> guests;                           // an actor that ran here keeps its address
    std::array<std::unique_ptr<own_thread>, own_threads_max> threads;  // of actors that have their own; only more of them come
    std::atomic<std::size_t> threads_made = 0;
    std::size_t sleepers = 0;
    bool waking = false;  // one was called and has not come yet: when it comes it calls the next, if something is left

    bool wants_another() const { return sleepers > 0 && !waking && !queue.empty(); }
    own_thread* thread_of(const caf::resumable* actor) const {
      const auto end = threads.begin() + static_cast<std::ptrdiff_t>(threads_made.load());
      const auto at = std::find_if(threads.begin(), end, [&](const auto& t) { return t->is_of(actor); });
      return at == end ? nullptr : at->get();
    }
    bool nobody_works() const { return sleepers == all->num_workers() && queue.empty(); }
  };
  struct worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator*) {}
    caf::resumable* next = nullptr;  // of the worker's own thread alone
    unsigned in_a_row = 0;           // how many came from there since the queue was asked
  };

  // What `tell` tells actors, and what they tell others, is done on this thread, as far as it is little and the pool sleeps.
  template <class Tell>
  static void here(caf::actor_system& system, Tell tell);

  // An actor that may block; detached under another policy than this one.
  template <class Behavior, class... Parts>
  static caf::actor spawn_with_thread(caf::actor_system& system, const char* name, Behavior behavior, Parts... parts);

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    auto& all = self->data();
    if (auto* own = all.thread_of(job)) return own->wake();
    if (offered_to_guest(all, job)) return;
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
    if (auto* own = self->parent()->data().thread_of(job)) return own->wake();
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
  static bool offered_to_guest(coordinator_data& all, caf::resumable* job);

  static caf::scheduler::coordinator<next_first>* pool_of(caf::actor_system& system) {
    return dynamic_cast<caf::scheduler::coordinator<next_first>*>(&system.scheduler());
  }

  // Two actors that talk to each other without end must not keep others waiting.
  static constexpr unsigned in_a_row_max = 16;
};

// A thread beside the pool, while it does what it told: who was told last comes first. What is too much goes to the pool.
class next_first::guest final : public caf::execution_unit {
 public:
  guest(caf::actor_system* system, coordinator_data& all) : execution_unit(system), all_(all) {}
  guest(const guest&) = delete;

  template <class Tell>
  void run(Tell tell) {
    const visit now(*this);
    tell();
    for (unsigned i = 0; i < in_a_row_max && !next_.empty(); ++i) {
      auto* job = next_.back();
      next_.pop_back();
      resume(job);
    }
  }
  static guest* present() { return present_; }

  bool take(caf::resumable* job) {
    if (next_.size() >= waiting_max) return false;
    {
      const std::lock_guard lock(all_.lock);
      if (!all_.nobody_works()) return false;
    }
    next_.push_back(job);
    return true;
  }
  void exec_later(caf::resumable* job) override { system().scheduler().enqueue(job); }

 private:
  // What is left at its end goes to the pool.
  struct visit {
    explicit visit(guest& g) : of(g) { present_ = &of; }
    ~visit() {
      present_ = nullptr;
      for (auto* job : std::exchange(of.next_, {})) of.system().scheduler().enqueue(job);
    }
    guest& of;
  };

  void resume(caf::resumable* job) {
    switch (job->resume(this, all_.all->max_throughput())) {
      case caf::resumable::resume_later: return system().scheduler().enqueue(job);
      case caf::resumable::done:
      case caf::resumable::awaiting_message: return caf::intrusive_ptr_release(job);
      case caf::resumable::shutdown_execution_unit: return;  // is for the pool's own threads, and never offered
    }
  }

  // Who was told waits for those after it: few, as one of them may take long.
  static constexpr std::size_t waiting_max = 4;
  static inline thread_local guest* present_ = nullptr;
  coordinator_data& all_;
  std::vector<caf::resumable*> next_;
};

inline bool next_first::offered_to_guest(coordinator_data&, caf::resumable* job) {
  auto* here = guest::present();
  return here && here->take(job);
}

template <class Tell>
void next_first::here(caf::actor_system& system, Tell tell) {
  auto* pool = pool_of(system);
  if (!pool || guest::present()) return tell();
  auto& all = pool->data();
  guest* me = nullptr;
  {
    const std::lock_guard lock(all.lock);
    me = &all.guests.try_emplace(std::this_thread::get_id(), &system, all).first->second;
  }
  me->run(std::move(tell));
}

template <class Behavior, class... Parts>
caf::actor next_first::spawn_with_thread(caf::actor_system& system, const char* name, Behavior behavior, Parts... parts) {
  static_assert(sizeof...(parts) > 0, "CAF 0.17 reads the arguments of a function also where there are none");
  auto* pool = pool_of(system);
  if (!pool) return system.spawn<caf::detached>(behavior, std::move(parts)...);
  auto actor = system.spawn<caf::lazy_init>(behavior, std::move(parts)...);  // it runs when it is told something
  auto& all = pool->data();
  const std::lock_guard lock(all.lock);
  const auto n = all.threads_made.load();
  if (n == own_threads_max) throw std::length_error("too many actors with a thread of their own");
  auto* const runs = dynamic_cast<caf::resumable*>(caf::actor_cast<caf::abstract_actor*>(actor));
  all.threads[n] = std::make_unique<own_thread>(&system, runs, name);
  all.threads_made = n + 1;
  return actor;
}

}  // namespace annals::actors
