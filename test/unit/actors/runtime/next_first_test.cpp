// The scheduling policy with real threads: nothing that was told is lost, nobody waits for ever, and what the running actor
// tells another one is done on its own thread.
#include "actors/runtime/next_first.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/coordinator.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

// What an actor of these tests does when it is told to.
struct task {
  std::function<void(caf::event_based_actor*)> what;
};

}  // namespace

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(task)

namespace {

using namespace annals;

class task_doer : public caf::event_based_actor {
 public:
  using event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[this](const task& t) { t.what(this); }};
  }
};

struct fixture {
  explicit fixture(std::size_t threads, std::size_t throughput = 300) : system(settings(threads, throughput)) {}

  caf::actor doer() { return system.spawn<task_doer>(); }
  caf::actor_system_config& settings(std::size_t threads, std::size_t throughput) {
    config.set("scheduler.max-threads", threads);
    config.set("scheduler.max-throughput", throughput);
    return config.load<caf::scheduler::coordinator<actors::next_first>>();
  }

  caf::actor_system_config config;
  caf::actor_system system;
};

// Hands itself round until it was handed on often enough.
void hand_round(caf::event_based_actor* self, int left, const std::vector<caf::actor>& ring,
                const std::shared_ptr<std::promise<void>>& done) {
  if (left == 0) return done->set_value();
  self->send(ring[static_cast<std::size_t>(left) % ring.size()],
             task{[=](caf::event_based_actor* next) { hand_round(next, left - 1, ring, done); }});
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_many_actors_tell_each_other_is_all_done) {
  for (const std::size_t threads : {1, 2, 4}) {
    fixture f(threads);
    std::vector<caf::actor> ring;
    for (int i = 0; i < 7; ++i) ring.push_back(f.doer());
    std::vector<std::future<void>> done;
    for (int i = 0; i < 50; ++i) {
      auto promise = std::make_shared<std::promise<void>>();
      done.push_back(promise->get_future());
      caf::anon_send(ring.front(), task{[=](caf::event_based_actor* self) { hand_round(self, 500, ring, promise); }});
    }
    for (auto& d : done) d.get();
    BOOST_TEST(done.size() == 50u);
  }
}

BOOST_AUTO_TEST_CASE(what_the_running_actor_tells_is_done_on_its_thread) {
  std::promise<bool> same;
  fixture f(4);
  const auto first = f.doer();
  caf::anon_send(first, task{[&](caf::event_based_actor* self) {
                   self->send(self->spawn<task_doer>(), task{[&same, told_on = std::this_thread::get_id()](caf::event_based_actor*) {
                                same.set_value(std::this_thread::get_id() == told_on);
                              }});
                 }});
  BOOST_TEST(same.get_future().get());
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_an_actor_that_is_stuck) {
  std::promise<void> begun, others_were_done, over;
  fixture f(2);
  const auto stuck = f.doer();
  std::vector<caf::actor> others{f.doer(), f.doer(), f.doer()};
  caf::anon_send(stuck, task{[&](caf::event_based_actor*) {
                   begun.set_value();
                   others_were_done.get_future().wait();
                   over.set_value();
                 }});
  begun.get_future().get();
  std::atomic<int> done{0};
  for (const auto& other : others)
    caf::anon_send(other, task{[&](caf::event_based_actor*) {
                     if (++done == 3) others_were_done.set_value();
                   }});
  over.get_future().get();
  BOOST_TEST(done == 3);
}

BOOST_AUTO_TEST_CASE(who_was_told_first_goes_to_another_thread_when_a_second_one_is_told) {
  std::promise<void> one_was_done, over;
  fixture f(2);
  const auto teller = f.doer();
  caf::anon_send(teller, task{[&](caf::event_based_actor* self) {
                   self->send(self->spawn<task_doer>(), task{[&](caf::event_based_actor*) { one_was_done.set_value(); }});
                   self->spawn<task_doer>();
                   one_was_done.get_future().wait();  // for ever, if it had to wait for the end of this message
                   over.set_value();
                 }});
  over.get_future().get();
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(who_was_told_waits_for_a_few_messages_only) {
  std::promise<void> all_sent, one_was_done, over;
  fixture f(1, 4);
  const auto teller = f.doer(), one = f.doer();
  caf::anon_send(teller, task{[&](caf::event_based_actor* self) {
                   all_sent.get_future().wait();
                   self->send(one, task{[&](caf::event_based_actor*) { one_was_done.set_value(); }});
                 }});
  for (int i = 0; i < 3; ++i) caf::anon_send(teller, task{[](caf::event_based_actor*) {}});
  caf::anon_send(teller, task{[&](caf::event_based_actor*) {
                   one_was_done.get_future().wait();  // for ever, if the whole mailbox went first
                   over.set_value();
                 }});
  all_sent.set_value();
  over.get_future().get();
  BOOST_TEST(true);
}

namespace {

// Tells an actor from this thread, until it was done here: the pool's threads have to have gone to sleep first.
bool is_done_here(fixture& f, const caf::actor& who) {
  const auto me = std::this_thread::get_id();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (std::thread::id by; std::chrono::steady_clock::now() < deadline;) {
    std::promise<void> done;
    actors::next_first::here(f.system, [&] {
      caf::anon_send(who, task{[&](caf::event_based_actor*) {
                       by = std::this_thread::get_id();
                       done.set_value();
                     }});
    });
    done.get_future().get();
    if (by == me) return true;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_thread_beside_the_pool_does_what_it_tells_while_the_pool_sleeps) {
  for (const std::size_t threads : {1, 3}) {
    fixture f(threads);
    BOOST_TEST(is_done_here(f, f.doer()));
  }
}

BOOST_AUTO_TEST_CASE(it_does_nothing_while_a_thread_of_the_pool_works) {
  fixture f(2);
  const auto busy = f.doer(), who = f.doer();
  BOOST_TEST(is_done_here(f, who));
  std::promise<void> begun, over;
  caf::anon_send(busy, task{[&begun, until = over.get_future().share()](caf::event_based_actor*) {
                   begun.set_value();
                   until.wait();
                 }});
  begun.get_future().get();
  std::promise<std::thread::id> done_by;
  actors::next_first::here(f.system, [&] {
    caf::anon_send(who, task{[&](caf::event_based_actor*) { done_by.set_value(std::this_thread::get_id()); }});
  });
  BOOST_TEST((done_by.get_future().get() != std::this_thread::get_id()));
  over.set_value();
}

BOOST_AUTO_TEST_CASE(what_was_told_before_an_exception_is_done_by_the_pool) {
  fixture f(2);
  const auto who = f.doer();
  BOOST_TEST(is_done_here(f, who));
  std::promise<void> done;
  const auto tell_and_fail = [&] {
    caf::anon_send(who, task{[&](caf::event_based_actor*) { done.set_value(); }});
    throw std::runtime_error("no more");
  };
  BOOST_CHECK_THROW(actors::next_first::here(f.system, tell_and_fail), std::runtime_error);
  done.get_future().get();
  BOOST_TEST(is_done_here(f, who));
}

BOOST_AUTO_TEST_CASE(what_is_much_goes_to_the_pool) {
  fixture f(2);
  std::vector<caf::actor> ring;
  for (int i = 0; i < 9; ++i) ring.push_back(f.doer());
  BOOST_TEST(is_done_here(f, ring.front()));
  const auto at_once = std::make_shared<std::promise<void>>(), in_a_row = std::make_shared<std::promise<void>>();
  std::atomic<int> left{9};
  actors::next_first::here(f.system, [&] {
    for (const auto& each : ring)
      caf::anon_send(each, task{[&, at_once](caf::event_based_actor*) {
                       if (--left == 0) at_once->set_value();
                     }});
  });
  at_once->get_future().get();
  BOOST_TEST(is_done_here(f, ring.front()));
  actors::next_first::here(f.system, [&] {
    caf::anon_send(ring.front(), task{[=](caf::event_based_actor* self) { hand_round(self, 500, ring, in_a_row); }});
  });
  in_a_row->get_future().get();
}

BOOST_AUTO_TEST_CASE(two_that_talk_without_end_do_not_keep_others_waiting) {
  bool enough = false;  // of the only thread
  std::function<void(caf::event_based_actor*, const caf::actor&)> talk = [&](caf::event_based_actor* self, const caf::actor& with) {
    if (!enough) self->send(with, task{[&, me = caf::actor(self)](caf::event_based_actor* other) { talk(other, me); }});
  };
  std::promise<void> heard;
  fixture f(1, 1);
  const auto a = f.doer(), b = f.doer(), third = f.doer();
  caf::anon_send(a, task{[&](caf::event_based_actor* self) { talk(self, b); }});
  caf::anon_send(third, task{[&](caf::event_based_actor*) {
                   enough = true;
                   heard.set_value();
                 }});
  heard.get_future().get();
  BOOST_TEST(enough);
}

namespace {

caf::behavior doing(caf::event_based_actor* self, int) {
  return {[self](const task& t) { t.what(self); }};
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_actor_that_blocks_has_a_thread_of_its_own) {
  fixture f(1);
  const auto blocks = actors::next_first::spawn_with_thread(f.system, "blocks", doing, 0), other = f.doer();
  std::promise<void> begun, over;
  std::promise<std::thread::id> first, second;
  caf::anon_send(blocks, task{[&](caf::event_based_actor* self) {
                   begun.set_value();
                   over.get_future().wait();
                   first.set_value(std::this_thread::get_id());
                   self->send(self, task{[&](caf::event_based_actor*) { second.set_value(std::this_thread::get_id()); }});
                 }});
  begun.get_future().get();
  std::promise<std::thread::id> beside;
  caf::anon_send(other, task{[&](caf::event_based_actor*) { beside.set_value(std::this_thread::get_id()); }});
  const auto pool = beside.get_future().get();
  over.set_value();
  const auto own = first.get_future().get();
  BOOST_TEST((own != pool));
  BOOST_TEST((own == second.get_future().get()));
}

BOOST_AUTO_TEST_CASE(its_thread_does_everything_that_anybody_tells_it) {
  constexpr int each = 2000, tellers = 4;
  fixture f(2);
  const auto own = actors::next_first::spawn_with_thread(f.system, "own", doing, 0);
  std::atomic<std::thread::id> by{};
  int heard = 0;  // of its thread alone
  bool elsewhere = false;
  std::promise<void> all;
  const task count{[&](caf::event_based_actor*) {
    const auto here = std::this_thread::get_id();
    if (heard == 0) by = here;
    elsewhere |= by.load() != here;
    if (++heard == each * tellers) all.set_value();
  }};
  std::vector<std::thread> threads;
  for (int i = 0; i < tellers - 1; ++i)
    threads.emplace_back([&, here = i == 0] {
      for (int n = 0; n < each; ++n) {
        if (here) actors::next_first::here(f.system, [&] { caf::anon_send(own, count); });
        else caf::anon_send(own, count);
      }
    });
  const auto pooled = f.doer();
  for (int n = 0; n < each; ++n) caf::anon_send(pooled, task{[&](caf::event_based_actor* self) { self->send(own, count); }});
  all.get_future().get();
  for (auto& t : threads) t.join();
  BOOST_TEST(heard == each * tellers);
  BOOST_TEST(!elsewhere);
}

BOOST_AUTO_TEST_CASE(its_thread_ends_with_it_and_others_go_on) {
  fixture f(1);
  for (int i = 0; i < 2; ++i) {
    const auto own = actors::next_first::spawn_with_thread(f.system, "own", doing, 0);
    std::promise<void> done;
    caf::anon_send(own, task{[&](caf::event_based_actor* self) {
                     self->quit();
                     done.set_value();
                   }});
    done.get_future().get();
  }
  const auto told = actors::next_first::spawn_with_thread(f.system, "told", doing, 0);
  const auto never_told = actors::next_first::spawn_with_thread(f.system, "never_told", doing, 0);
  std::promise<void> done;
  caf::anon_send(told, task{[&](caf::event_based_actor*) { done.set_value(); }});
  done.get_future().get();
  BOOST_CHECK_THROW((void)actors::next_first::spawn_with_thread(f.system, "one too many", doing, 0), std::length_error);
}
