// When the runs of a host that is down are given up (pbs guide: node_fail_requeue).
#include <boost/test/unit_test.hpp>

#include "actors/server/absence_desk.hpp"
#include "test/support/folded_log.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using names = std::vector<std::string>;

namespace {

// A desk that follows a log with two hosts, and gives up after 300 seconds.
struct followed : test::folded_log<actors::absence_desk> {
  model::site site = test::small_site();
  std::uint64_t borg = added("borg"), federer = added("federer");

  followed() {
    fold.begin(clock.ns);
    patience("300");
  }
  void patience(const char* text) { site.server.set(attributes::server::node_fail_requeue, text); }
  names round() { return fold.given_up(clock.ns, site); }
  // How long from now until the desk wants to be asked again; -1: never.
  std::int64_t wait() const {
    const auto next = fold.next_ns(site);
    return next ? (*next - clock.ns) / test::second : -1;
  }
  void down(std::uint64_t host) { write(host, model::make_event([](auto e) { e.initHostWentDown().setText("link lost"); })); }
  void up(std::uint64_t host) { write(host, model::make_event([](auto e) { e.initHostCameUp(); })); }
  void remove(std::uint64_t host) { write(host, model::make_event([](auto e) { e.initHostRemoved().setName("any"); })); }

 private:
  std::uint64_t added(const char* name) {
    return write(0, model::make_event([&](auto e) { e.initHostAdded().setName(name); }));
  }
  std::uint64_t write(std::uint64_t stream, model::event event) {
    std::vector<model::event> events;
    events.push_back(std::move(event));
    return folded_log::write(schema::StreamKind::HOST, stream, std::move(events));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_that_is_up_needs_no_timer) {
  followed f;
  BOOST_TEST(f.wait() == -1);
  f.down(f.borg);
  f.up(f.borg);
  BOOST_TEST(f.wait() == -1);
}

BOOST_AUTO_TEST_CASE(a_host_is_given_up_when_its_time_is_over_and_again_while_it_stays_away) {
  followed f;
  f.down(f.borg);
  f.later(100);
  f.down(f.federer);
  BOOST_TEST(f.wait() == 200);
  f.later(199);
  BOOST_TEST(f.round() == names{});
  f.later(1);
  BOOST_TEST(f.round() == names{"borg"});
  BOOST_TEST(f.round() == names{});
  f.later(f.wait());
  BOOST_TEST(f.round() == names{"borg"});
  f.up(f.borg);
  BOOST_TEST(f.wait() == 40);
  f.remove(f.federer);
  BOOST_TEST(f.wait() == -1);
}

BOOST_AUTO_TEST_CASE(the_time_begins_with_the_server) {
  followed f;
  f.down(f.borg);
  f.later(1000);
  f.fold.begin(f.clock.ns);
  BOOST_TEST(f.round() == names{});
  BOOST_TEST(f.wait() == 300);
}

BOOST_AUTO_TEST_CASE(zero_and_unset_are_for_ever_and_less_is_a_second) {
  followed f;
  f.down(f.borg);
  f.later(1);
  f.patience("0");
  BOOST_TEST(f.wait() == -1);
  BOOST_TEST(f.round() == names{});
  f.site.server.erase(attributes::server::node_fail_requeue);
  BOOST_TEST(f.wait() == -1);
  f.patience("-5");
  BOOST_TEST(f.round() == names{"borg"});
}
