// A thread for one actor that blocks. CAF's detached actors are woken under a lock that they need first: where the woken thread takes
// the processor of who wakes it, it sleeps again at once, and is woken a second time. Here nothing is held.
// Governed by docs/design/0027-who-runs-next.md.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <utility>

namespace annals::actors {

class own_thread final : public caf::execution_unit {
 public:
  // `whose` has not been told anything yet. The thread ends with the actor, or with this.
  own_thread(caf::actor_system* system, caf::resumable* whose, std::string name) : execution_unit(system), whose_(whose) {
    sem_init(&told_, 0, 0);
    thread_ = std::thread([this, name = std::move(name)] {
      pthread_setname_np(pthread_self(), name.c_str());
      run();
    });
  }
  ~own_thread() override {
    ending_ = true;
    sem_post(&told_);
    thread_.join();
    if (auto* whose = whose_.load(); whose && ready_) caf::intrusive_ptr_release(whose);
    sem_destroy(&told_);
  }
  own_thread(const own_thread&) = delete;

  bool is_of(const caf::resumable* actor) const { return whose_ == actor; }
  // The actor was told something while it waited. Any thread.
  void wake() {
    ready_ = true;
    sem_post(&told_);
  }
  void exec_later(caf::resumable* job) override { system().scheduler().enqueue(job); }

 private:
  void run() {
    for (auto* const whose = whose_.load();;) {
      while (sem_wait(&told_) != 0) {}  // interrupted
      if (ending_) return;
      ready_ = false;
      auto then = caf::resumable::resume_later;
      while (then == caf::resumable::resume_later) then = whose->resume(this, std::numeric_limits<std::size_t>::max());
      if (then == caf::resumable::done) whose_ = nullptr;  // another may get its address
      caf::intrusive_ptr_release(whose);
      if (then == caf::resumable::done) return;
    }
  }

  std::atomic<caf::resumable*> whose_;
  std::atomic<bool> ready_ = false, ending_ = false;
  sem_t told_;
  std::thread thread_;
};

}  // namespace annals::actors
