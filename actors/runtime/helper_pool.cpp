#include "actors/runtime/helper_pool.hpp"

#include <caf/send.hpp>

#include <pthread.h>

#include <exception>
#include <string>

#include "actors/runtime/run_this.hpp"

namespace annals::actors {

namespace {
caf::behavior helper(caf::event_based_actor*, const std::string& thread_name) {
  if (!thread_name.empty()) pthread_setname_np(pthread_self(), thread_name.c_str());
  return {[](const run_this& what) { what.work(); }};
}
}  // namespace

caf::actor helper_pool::new_helper() {
  ++helpers_;
  return detached_ ? self_->spawn<caf::detached + caf::linked>(helper, "help." + name_) : self_->spawn<caf::linked>(helper, std::string());
}

bool helper_pool::ask(work what) {
  if (idle_.empty() && helpers_ == helpers_max_ && waiting_.size() >= waiting_max_) return false;
  ask_always(std::move(what));
  return true;
}

void helper_pool::ask_always(work what) {
  if (idle_.empty() && helpers_ < helpers_max_) idle_.push_back(new_helper());
  if (idle_.empty()) return waiting_.push_back(std::move(what));
  const auto to = std::move(idle_.back());
  idle_.pop_back();
  give(to, std::move(what));
}

namespace {
std::function<void()> done_or_thrown(const helper_pool::work& what) {
  try {
    return what();
  } catch (const std::exception&) {
    return [thrown = std::current_exception()] { std::rethrow_exception(thrown); };
  }
}
}  // namespace

// The owner is alive as long as it hears this: who is gone gets no messages.
void helper_pool::give(const caf::actor& helper, work what) {
  caf::anon_send(helper, run_this{[this, helper, what = std::move(what), owner = caf::actor(self_)] {
                   auto then = done_or_thrown(what);
                   caf::anon_send(owner, run_this{[this, helper, then = std::move(then)] {
                                    on_done(helper);
                                    then();
                                  }});
                 }});
}

void helper_pool::on_done(const caf::actor& helper) {
  if (waiting_.empty()) return idle_.push_back(helper);
  auto next = std::move(waiting_.front());
  waiting_.pop_front();
  give(helper, std::move(next));
}

}  // namespace annals::actors
