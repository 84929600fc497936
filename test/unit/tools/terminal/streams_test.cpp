#include "tools/terminal/streams.hpp"

#include <boost/test/unit_test.hpp>

using namespace annals::terminal;

namespace {

std::string all_of(sent_bytes& s, std::size_t most = 100) {
  std::string said;
  while (const auto piece = s.next(most)) said += std::to_string(piece->at) + ":" + std::string(piece->bytes) + " ";
  return said;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(what_is_sent_is_kept_until_it_was_taken) {
  sent_bytes s(10);
  s.add("abcdef");
  BOOST_TEST(s.room() == 4u);
  BOOST_TEST(all_of(s, 4) == "0:abcd 4:ef ");
  BOOST_TEST(s.taken(4));
  BOOST_TEST(s.room() == 8u);
  BOOST_TEST(all_of(s) == "");
  BOOST_TEST(s.again_from(5));
  BOOST_TEST(all_of(s) == "5:f ");
  BOOST_TEST(!s.all_taken());
  BOOST_TEST(s.taken(6));
  BOOST_TEST(s.all_taken());
}

BOOST_AUTO_TEST_CASE(no_more_is_kept_than_there_is_room_for) {
  sent_bytes s(3);
  s.add("abcd");
  BOOST_TEST(s.room() == 0u);
  BOOST_TEST(all_of(s) == "0:abc ");
}

BOOST_AUTO_TEST_CASE(who_took_what_was_never_said_is_not_believed) {
  sent_bytes s(10);
  s.add("abc");
  BOOST_TEST(!s.taken(1));
  BOOST_TEST(all_of(s) == "0:abc ");
  BOOST_TEST(!s.taken(4));
  BOOST_TEST(s.taken(2));
  BOOST_TEST(s.taken(1));  // old news
  BOOST_TEST(!s.again_from(1));
  BOOST_TEST(!s.again_from(4));
  BOOST_TEST(s.again_from(2));
  BOOST_TEST(all_of(s) == "2:c ");
}

BOOST_AUTO_TEST_CASE(what_comes_twice_is_dropped_and_what_is_missing_is_seen) {
  received_bytes r;
  BOOST_TEST(r.take(0, "abc").value() == "abc");
  BOOST_TEST(r.take(0, "abc").value() == "");
  BOOST_TEST(r.take(1, "bcde").value() == "de");
  BOOST_TEST(!r.take(6, "g"));
  BOOST_TEST(r.position() == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
