// Which workers of the pool stay and which end, with real workers (docs/design/0019-hook-workers.md).
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "test/support/hook_runs.hpp"

using namespace annals;
using namespace annals::test;
using namespace std::chrono_literals;

namespace {

// Looks at a condition again and again, because other processes and threads make it true.
template <class Condition>
bool comes_true(const Condition& condition) {
  for (const auto end = std::chrono::steady_clock::now() + 1min; std::chrono::steady_clock::now() < end; std::this_thread::yield())
    if (condition()) return true;
  return false;
}

std::vector<hook_case> different_hooks(int count) {
  std::vector<hook_case> hooks;
  for (int i = 0; i < count; ++i) hooks.push_back({.source = "import pbs  # " + std::to_string(i) + "\n"});
  return hooks;
}

struct pool_fixture {
  hooks::pool_settings settings;
  std::unique_ptr<hook_runs> runs;

  void start() { runs = std::make_unique<hook_runs>(settings); }
  hooks::pool_figures figures() const { return runs->pool().figures(); }
  void know(const std::vector<hook_case>& cases) const {
    std::set<hooks::known_hook> known;
    for (const auto& c : cases) {
      const auto order = hook_runs::order_of(c);
      known.insert({order.code->name, order.code->hash});
    }
    runs->pool().know_hooks(std::move(known));
  }
  void run_in_turn(const std::vector<hook_case>& cases, int rounds) const {
    for (int round = 0; round < rounds; ++round)
      for (const auto& c : cases) BOOST_TEST(summary(runs->run(c)) == "accept");
  }
  // The one that is kept ready is among them.
  bool workers_become(unsigned count) const {
    return comes_true([&] { return figures().workers == count; });
  }
};

const hook_case asking{.source = "import pbs\npbs.server().queue('none')\n"};

// A run of such a hook, which goes on until it has its answer.
struct held_run {
  std::future<hooks::sealed_reply> reply;
  hooks::hook_run::answer_to answer;

  explicit held_run(hook_runs& runs, const hook_case& c = asking) {
    const auto asked = std::make_shared<std::promise<hooks::hook_run::answer_to>>();
    const auto replied = std::make_shared<std::promise<hooks::sealed_reply>>();
    reply = replied->get_future();
    auto order = hook_runs::order_of(c);
    order.ask = [asked](const hooks::sealed_question&, hooks::hook_run::answer_to to) { asked->set_value(std::move(to)); };
    runs.pool().run(std::move(order), [replied](hooks::sealed_reply r) { replied->set_value(std::move(r)); });
    auto question = asked->get_future();
    BOOST_REQUIRE((question.wait_for(150s) == std::future_status::ready));
    answer = question.get();
  }
  std::string end() {
    answer({});
    return summary(reply.get());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(workers_that_are_kept, pool_fixture)

BOOST_AUTO_TEST_CASE(each_hook_that_is_known_keeps_its_worker) {
  settings.at_once_max = 2;
  start();
  const auto hooks = different_hooks(6);
  know(hooks);
  run_in_turn(hooks, 3);
  BOOST_TEST(figures().started == 7u);  // theirs, and the one kept ready
}

BOOST_AUTO_TEST_CASE(of_more_hooks_in_turn_than_places_most_keep_their_worker) {
  settings.workers_max = 4;
  settings.rest_max = 1h;
  start();
  const auto hooks = different_hooks(5);
  know(hooks);
  run_in_turn(hooks, 3);
  BOOST_TEST(figures().started == 9u);  // 5 in the first round, then 2 in each: the last two take each other's place
}

BOOST_AUTO_TEST_CASE(no_more_run_at_once_than_may_though_more_are_kept) {
  settings.at_once_max = 1;
  start();
  const auto other = different_hooks(1).front();
  know({asking, other});
  held_run first(*runs);
  std::promise<std::string> said;
  runs->pool().run(hook_runs::order_of(other), [&](const hooks::sealed_reply& r) { said.set_value(summary(r)); });
  BOOST_TEST(comes_true([&] { return figures().waiting == 1; }));
  BOOST_TEST(first.end() == "accept");
  BOOST_TEST(said.get_future().get() == "accept");
  BOOST_TEST(workers_become(3));
}

BOOST_AUTO_TEST_CASE(a_hook_that_is_gone_or_another_loses_its_worker) {
  settings.rest_max = 0ms;
  start();
  const auto hooks = different_hooks(2);
  know(hooks);
  run_in_turn(hooks, 1);
  BOOST_TEST(workers_become(3));
  know({hooks[0]});
  BOOST_TEST(workers_become(2));
  const auto before = figures().started;
  run_in_turn({hooks[0]}, 1);
  BOOST_TEST(figures().started == before);
  know({});
  BOOST_TEST(workers_become(0));
}

BOOST_AUTO_TEST_CASE(a_hook_that_goes_while_it_runs_ends_its_run) {
  settings.rest_max = 0ms;
  start();
  know({asking});
  held_run held(*runs);
  know({});
  BOOST_TEST(held.end() == "accept");
  BOOST_TEST(workers_become(0));
}

BOOST_AUTO_TEST_CASE(a_run_that_was_on_its_way_when_its_hook_went_is_done) {
  settings.rest_max = 0ms;
  start();
  know({});
  run_in_turn(different_hooks(1), 2);
  BOOST_TEST(workers_become(0));
}

BOOST_AUTO_TEST_CASE(a_script_is_compiled_where_there_is_no_hook_and_nothing_stays) {
  start();
  know({});
  std::promise<std::string> said;
  runs->pool().compile(hook_runs::order_of(asking).code, [&](std::string m) { said.set_value(std::move(m)); });
  BOOST_TEST(said.get_future().get() == "");
  BOOST_TEST(workers_become(0));
}

BOOST_AUTO_TEST_CASE(on_a_host_a_worker_ends_when_it_has_rested) {
  settings.on_mom = true;
  settings.rest_max = 0ms;
  start();
  const auto hooks = different_hooks(1);
  know(hooks);
  run_in_turn(hooks, 1);
  BOOST_TEST(workers_become(1));
  run_in_turn(hooks, 1);
  BOOST_TEST(workers_become(1));
}

BOOST_AUTO_TEST_CASE(in_the_server_a_hook_keeps_one_worker_when_they_have_rested) {
  settings.rest_max = 0ms;
  start();
  know({asking});
  BOOST_TEST(held_run(*runs).end() == "accept");
  BOOST_TEST(workers_become(2));  // and one that is ready
  const auto before = figures().started;
  BOOST_TEST(held_run(*runs).end() == "accept");
  BOOST_TEST(figures().started == before);
}

BOOST_AUTO_TEST_SUITE_END()
