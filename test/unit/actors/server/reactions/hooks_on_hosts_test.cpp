// What MoMs must hear of: their hooks, and resources once there are hooks (docs/design/0023-hooks.md).
#include <boost/test/unit_test.hpp>

#include "test/unit/actors/server/reactions/watched.hpp"

using namespace annals;
using test::targets;

namespace {

struct of_moms : test::watched<reactions::hooks_on_hosts> {
  void resource(const char* name) {
    write(server, model::make_event([&](auto e) {
            auto r = e.initServer().initResourceCreated();
            r.setName(name);
            r.setType("long");
          }));
  }
  std::uint64_t hook() {
    return write(0, model::make_event([](auto e) { e.initHook().initCreated().setName("h"); }));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hooks_on_hosts, of_moms)

BOOST_AUTO_TEST_CASE(without_hooks_nothing_is_sent) {
  host("n1");
  resource("foo");
  BOOST_TEST(due() == targets{});
}

BOOST_AUTO_TEST_CASE(hooks_resources_and_hosts_are_each_a_reason_and_a_run_is_none) {
  const auto h = hook();
  BOOST_TEST(due().size() == 1u);
  BOOST_TEST(due() == targets{});
  host("n1");
  BOOST_TEST(due().size() == 1u);
  resource("foo");
  BOOST_TEST(due().size() == 1u);
  write(h, model::make_event([](auto e) { e.initHook().initRan().setSubject("n1"); }));
  BOOST_TEST(due() == targets{});
  write(h, model::make_event([](auto e) { e.initHook().initDeleted().setName("h"); }));
  BOOST_TEST(due().size() == 1u);  // they are to be rid of it
}

BOOST_AUTO_TEST_SUITE_END()
