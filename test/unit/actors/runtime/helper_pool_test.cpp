// Work that may block is done by helpers, in order, and a bounded number of pieces waits.
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "actors/runtime/helper_pool.hpp"
#include "actors/runtime/run_this.hpp"
#include "test/support/stepped_system.hpp"

using namespace annals;
using actors::helper_pool;
using actors::run_this;

namespace {

// An actor that has a pool, and what it was told so far.
struct owner {
  test::stepped_system system;
  std::shared_ptr<helper_pool> pool;
  std::string said;
  caf::actor self;

  owner(std::size_t helpers, std::size_t waiting, bool detached) {
    self = system->spawn([this, helpers, waiting](caf::event_based_actor* a, bool own_threads) -> caf::behavior {
      pool = std::make_shared<helper_pool>(a, "test", helpers, waiting, own_threads);
      return {[](const run_this& what) { what.work(); }};
    },
                         detached);
    system.run();
  }
  ~owner() { system.end({self}); }
  // A piece that leaves its name in the actor.
  helper_pool::work piece(const std::string& name) {
    return [this, name] { return [this, name] { said += name; }; };
  }
  bool asks(const std::string& name) { return pool->ask(piece(name)); }  // in the actor
  // In one turn of the actor; then everybody has his.
  void in_actor(std::function<void()> what) {
    caf::anon_send(self, run_this{std::move(what)});
    system.run();
  }
};

struct gate {
  std::mutex guard;
  std::condition_variable changed;
  bool is_open = false;
  void pass() {
    std::unique_lock held(guard);
    changed.wait(held, [&] { return is_open; });
  }
  void open() {
    const std::lock_guard held(guard);
    is_open = true;
    changed.notify_all();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(helper_pools)

BOOST_AUTO_TEST_CASE(one_helper_does_all_in_the_order_asked) {
  owner o(1, 10, false);
  o.in_actor([&] {
    for (const char* name : {"a", "b", "c", "d"}) BOOST_TEST(o.asks(name));
    BOOST_TEST(o.pool->helpers() == 1u);
    BOOST_TEST(o.pool->waiting() == 3u);
  });
  BOOST_TEST(o.said == "abcd");
  BOOST_TEST(o.pool->waiting() == 0u);
}

BOOST_AUTO_TEST_CASE(as_many_wait_as_may_and_one_more_is_refused) {
  owner o(2, 3, false);
  o.in_actor([&] {
    for (const char* name : {"a", "b", "c", "d", "e"}) BOOST_TEST(o.asks(name));  // two are done, three wait
    BOOST_TEST(o.pool->waiting() == 3u);
    BOOST_TEST(!o.asks("f"));
    o.pool->ask_always(o.piece("g"));  // who has a bound of his own
    BOOST_TEST(o.pool->waiting() == 4u);
  });
  BOOST_TEST(o.said.size() == 6u);
  BOOST_TEST(o.said.find('f') == std::string::npos);
  o.in_actor([&] { BOOST_TEST(o.asks("f")); });
  BOOST_TEST(o.said.back() == 'f');
}

BOOST_AUTO_TEST_CASE(helpers_are_made_when_they_are_needed_and_used_again) {
  owner o(4, 10, false);
  BOOST_TEST(o.pool->helpers() == 0u);
  for (int i = 0; i < 3; ++i) o.in_actor([&] { BOOST_TEST(o.asks("x")); });
  BOOST_TEST(o.pool->helpers() == 1u);
  BOOST_TEST(o.said == "xxx");
}

BOOST_AUTO_TEST_CASE(what_comes_of_it_may_ask_again) {
  owner o(1, 0, false);
  o.in_actor([&] {
    BOOST_TEST(o.pool->ask([&o] { return [&o] {
                                    o.said += "first ";
                                    BOOST_TEST(o.asks("second"));
                                  }; }));
  });
  BOOST_TEST(o.said == "first second");
}

BOOST_AUTO_TEST_CASE(the_actor_goes_on_while_a_helper_hangs) {
  const auto door = std::make_shared<gate>();
  owner o(2, 10, true);
  o.in_actor([&] {
    BOOST_TEST(o.pool->ask([&o, door] {
      door->pass();
      return [&o] { o.said += "slow"; };
    }));
    BOOST_TEST(o.asks("fast "));
  });
  BOOST_REQUIRE(o.system.until([&] { return o.said == "fast "; }));
  door->open();
  BOOST_REQUIRE(o.system.until([&] { return o.said == "fast slow"; }));
}

BOOST_AUTO_TEST_SUITE_END()
