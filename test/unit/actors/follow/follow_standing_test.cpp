// What a follower says of how far it is behind.
#include <boost/test/unit_test.hpp>

#include "actors/follow/follow_standing.hpp"

using namespace annals::actors;
using std::chrono::seconds;

BOOST_AUTO_TEST_SUITE(standing_of_a_follower)

BOOST_AUTO_TEST_CASE(it_tells_events_and_since_when) {
  const follow_standing::time_point start{};
  follow_standing s("portal", "borg", start);
  BOOST_TEST(s.text(start + seconds(3)) == "portal, up to record 0; server borg is not there since 3 s");
  s.lost("connect to borg:15001: Connection refused", start + seconds(4));
  BOOST_TEST(s.text(start + seconds(5)) ==
             "portal, up to record 0; server borg is not there since 5 s: connect to borg:15001: Connection refused");
  s.told(10, start + seconds(6));
  BOOST_TEST(s.text(start + seconds(8)) == "portal, 10 events and 2 s behind server borg");
  s.has(7, start + seconds(8));
  BOOST_TEST(s.text(start + seconds(9)) == "portal, 3 events and 3 s behind server borg");
  s.has(10, start + seconds(10));
  BOOST_TEST(s.text(start + seconds(100)) == "portal, 0 events and 0 s behind server borg");
  s.told(11, start + seconds(200));
  BOOST_TEST(s.text(start + seconds(201)) == "portal, 1 events and 1 s behind server borg");
}

BOOST_AUTO_TEST_CASE(a_server_that_is_lost_is_missed_from_that_moment_on) {
  const follow_standing::time_point start{};
  follow_standing s("portal", "borg", start);
  s.told(5, start + seconds(1));
  s.has(5, start + seconds(1));
  s.lost("peer silent for 10 s", start + seconds(20));
  s.lost("connect to borg:15001: No route to host", start + seconds(30));
  BOOST_TEST(s.text(start + seconds(60)) ==
             "portal, up to record 5; server borg is not there since 40 s: connect to borg:15001: No route to host");
  s.ended("record 6: its chain hash does not match record 5");
  BOOST_TEST(s.text(start + seconds(60)) == "portal, up to record 5 and no further: record 6: its chain hash does not match record 5");
}

BOOST_AUTO_TEST_SUITE_END()
