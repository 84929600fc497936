// Hooks without Python, for tests and the simulation: the test says what each hook does. Nothing runs by itself: a run
// is kept until step() or until the simulation's scheduler calls it, so that hooks can be late, refuse or die at any
// step.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::hooks {

class fake_hook_runner final : public hook_runner {
 public:
  // What the hook of that name answers; a hook that is not set accepts.
  using behaviour = std::function<void(protocol::Request::Reader, protocol::Reply::Builder)>;
  void when(std::string hook, behaviour what) {
    when_asking(std::move(hook),
                [what = std::move(what)](const hook_run& order, protocol::Reply::Builder reply) { what(*order.request, reply); });
  }
  // The same for one that asks questions: hook_run::ask answers them.
  using asking_behaviour = std::function<void(const hook_run&, protocol::Reply::Builder)>;
  void when_asking(std::string hook, asking_behaviour what) { behaviours_[std::move(hook)] = std::move(what); }
  // Replies come from a queue of the simulation: given the work to do, it decides when to do it. Unset: kept for
  // step().
  void use_scheduler(std::function<void(std::function<void()>)> later) { later_ = std::move(later); }

  // Attended runs are done within run(), as the real runner does when the worker is quick.
  void answer_the_attended_at_once() { quick_ = true; }

  void run(hook_run order, run_done done) override {
    ++runs_;
    const bool at_once = quick_ && order.attended;
    if (at_once && order.meanwhile) order.meanwhile();
    auto work = [this, order = std::move(order), done = std::move(done)] {
      done(schema::make<protocol::Reply>([&](protocol::Reply::Builder reply) {
        const auto found = behaviours_.find(schema::str(order.request.get().getHookName()));
        if (found != behaviours_.end()) found->second(order, reply);
      }));
    };
    if (at_once) work();
    else defer(std::move(work));
  }
  void compile(std::shared_ptr<const hook_code>, std::function<void(std::string)> done) override {
    defer([done = std::move(done)] { done({}); });
  }
  void know_resources(std::vector<resource_type>) override {}
  void know_hooks(std::set<known_hook> hooks) override { known_ = std::move(hooks); }

  // Does the oldest kept run. False: there is none.
  bool step() {
    if (kept_.empty()) return false;
    auto work = std::move(kept_.front());
    kept_.pop_front();
    work();
    return true;
  }
  std::size_t runs() const { return runs_; }
  // As they were told last. Unset: never.
  const std::optional<std::set<known_hook>>& known() const { return known_; }

 private:
  void defer(std::function<void()> work) {
    if (later_)
      later_(std::move(work));
    else
      kept_.push_back(std::move(work));
  }
  std::map<std::string, asking_behaviour> behaviours_;
  std::deque<std::function<void()>> kept_;
  std::function<void(std::function<void()>)> later_;
  std::optional<std::set<known_hook>> known_;
  std::size_t runs_ = 0;
  bool quick_ = false;
};

}  // namespace annals::hooks
