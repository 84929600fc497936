// Whoever asks for more than is answered is not read on until answers have made room, and others are.
#include <algorithm>
#include <iterator>

#include "actors/link/wire/requests_in_hand.hpp"
#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;

namespace {

using tokens = std::vector<std::shared_ptr<void>>;

constexpr std::size_t frame = 1000, counted = frame + limits::bytes_beside_request;  // of each request here

// A connection, and how often it was told to go on.
struct peer {
  std::shared_ptr<std::size_t> told = std::make_shared<std::size_t>(0);  // requests that are left keep the line, and may tell it
  std::shared_ptr<requests_in_hand::line> line;
  tokens taken;

  peer(requests_in_hand& all, const std::string& user) : line(all.open(user, [told = told] { ++*told; })) {}
  // Reads on until it may not; how many it has read.
  std::size_t read(std::size_t most = 1000) {
    std::size_t n = 0;
    for (; n < most && line->may_take(); ++n) taken.push_back(line->take(frame));
    return n;
  }
  void answer(std::size_t n) { taken.erase(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(n)); }
};

std::shared_ptr<requests_in_hand> in_hand(in_hand_bounds bounds) { return std::make_shared<requests_in_hand>(bounds); }

constexpr std::size_t plenty = std::size_t{1} << 40;

}  // namespace

BOOST_AUTO_TEST_SUITE(in_hand_of_peers)

BOOST_AUTO_TEST_CASE(no_more_is_read_of_a_connection_until_half_of_so_many_requests_are_answered) {
  const auto all = in_hand({.requests = 8, .bytes = plenty, .bytes_of_all = plenty});
  peer anna(*all, "anna");
  BOOST_TEST(anna.read() == 8u);
  anna.answer(3);
  BOOST_TEST(*anna.told == 0u);
  BOOST_TEST(anna.read() == 0u);
  anna.answer(1);
  BOOST_TEST(*anna.told == 1u);
  BOOST_TEST(anna.read() == 4u);
}

BOOST_AUTO_TEST_CASE(who_was_never_stopped_is_told_nothing) {
  const auto all = in_hand({.requests = 8, .bytes = plenty, .bytes_of_all = plenty});
  peer anna(*all, "anna");
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(anna.read(7) == 7u);
    anna.answer(7);
  }
  BOOST_TEST(*anna.told == 0u);
}

BOOST_AUTO_TEST_CASE(a_requests_second_holder_keeps_it_in_hand) {
  const auto all = in_hand({.requests = 1, .bytes = plenty, .bytes_of_all = plenty});
  peer anna(*all, "anna");
  BOOST_TEST(anna.read() == 1u);
  const auto also = anna.taken;
  anna.answer(1);
  BOOST_TEST(anna.read() == 0u);
}

BOOST_AUTO_TEST_CASE(large_requests_are_weighed) {
  const auto all = in_hand({.requests = 1000, .bytes = 10 * counted, .bytes_of_all = plenty});
  peer anna(*all, "anna"), her_other(*all, "anna");
  BOOST_TEST(anna.read() == 10u);
  BOOST_TEST(her_other.read() == 10u);
  anna.answer(5);
  BOOST_TEST(*anna.told == 1u);
  BOOST_TEST(*her_other.told == 0u);
}

BOOST_AUTO_TEST_CASE(nobody_has_more_in_hand_than_is_left_for_others) {
  const auto all = in_hand({.requests = 1000, .bytes = plenty, .bytes_of_all = 12 * counted});
  peer anna(*all, "anna"), her_other(*all, "anna"), bob(*all, "bob"), carol(*all, "carol");
  BOOST_TEST(anna.read() == 6u);
  BOOST_TEST(her_other.read() == 0u);
  BOOST_TEST(bob.read() == 3u);
  BOOST_TEST(carol.read() == 2u);
  anna.answer(6);
  BOOST_TEST(*anna.told == 1u);
  BOOST_TEST(*her_other.told == 1u);
  BOOST_TEST(*bob.told == 1u);
  BOOST_TEST(her_other.read(1) == 1u);
}

BOOST_AUTO_TEST_CASE(who_has_nothing_in_hand_always_gets_one_read) {
  const auto all = in_hand({.requests = 1000, .bytes = plenty, .bytes_of_all = 2 * counted});
  peer anna(*all, "anna"), bob(*all, "bob"), carol(*all, "carol");
  for (peer* p : {&anna, &bob, &carol}) BOOST_TEST(p->read() == 1u);
  for (peer* p : {&anna, &bob, &carol}) BOOST_TEST(p->read() == 0u);
  carol.answer(1);
  BOOST_TEST(carol.read() == 1u);
}

BOOST_AUTO_TEST_CASE(a_daemons_own_frames_take_nothing_from_users_and_wait_for_none) {
  const auto all = in_hand({.requests = 100, .bytes = plenty, .bytes_of_all = 2 * counted});
  peer mom(*all, ""), anna(*all, "anna");
  BOOST_TEST(mom.read() == 100u);
  BOOST_TEST(anna.read() == 1u);
  mom.answer(100);
  BOOST_TEST(mom.read() == 100u);
}

BOOST_AUTO_TEST_CASE(what_a_daemon_says_for_users_counts_for_each_of_them) {
  const auto all = in_hand({.requests = 1000, .bytes = plenty, .bytes_of_all = 4 * counted});
  peer relay(*all, ""), anna(*all, "anna");
  relay.line->counts_for("anna");
  BOOST_TEST(relay.read() == 2u);
  BOOST_TEST(anna.read() == 0u);
  *anna.told = 0;
  relay.line->counts_for("");  // she is gone, and what she asked for is still being done
  BOOST_TEST(anna.read() == 0u);
  relay.answer(2);
  BOOST_TEST(*anna.told == 1u);
  BOOST_TEST(anna.read() == 2u);
}

BOOST_AUTO_TEST_CASE(requests_of_a_connection_that_is_gone_count_until_they_are_done) {
  const auto all = in_hand({.requests = 1000, .bytes = plenty, .bytes_of_all = 4 * counted});
  tokens left;
  {
    peer gone(*all, "anna"), stopped(*all, "anna");
    BOOST_TEST(gone.read() == 2u);
    BOOST_TEST(stopped.read() == 0u);
    left = gone.taken;
  }
  peer anna(*all, "anna");
  BOOST_TEST(anna.read() == 0u);
  left.clear();
  BOOST_TEST(anna.read() == 2u);
}

BOOST_AUTO_TEST_CASE(a_socket_is_not_read_while_too_much_of_its_peer_is_in_hand) {
  directory dir;
  record server;
  std::mutex guard;
  tokens kept;
  io_options o;
  o.in_hand.requests = 4;
  io_pool pool(1, o);
  const auto door = pool.listen_unix(dir.at("s"), 0666, server.keeping([&](const connection_ptr& c, const schema::sealed_message& m) {
    if (number_of(m) >= 100) return;
    const std::lock_guard held(guard);
    kept.push_back(c->take_in_hand(m.bytes().size()));
  }));
  const auto answer_all = [&] {
    tokens answered;
    const std::lock_guard held(guard);
    answered.swap(kept);
  };
  auto greedy = blocking_client::connect_unix(dir.at("s"));
  auto other = blocking_client::connect_unix(dir.at("s"));
  for (std::uint64_t i = 0; i < 10; ++i) greedy.send(message(i));
  BOOST_REQUIRE(server.until_received(4));
  other.send(message(100));
  BOOST_REQUIRE(server.until_received(5));
  BOOST_TEST(server.now().received == (std::vector<std::uint64_t>{0, 1, 2, 3, 100}), boost::test_tools::per_element());
  answer_all();
  BOOST_REQUIRE(server.until_received(9));
  answer_all();
  BOOST_REQUIRE(server.until_received(11));
  auto numbers = server.now().received;
  std::erase(numbers, 100u);
  BOOST_TEST(numbers == counting(10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(requests_may_be_answered_when_the_pool_is_gone) {
  directory dir;
  record server;
  tokens kept;
  auto pool = std::make_unique<io_pool>();
  auto door = pool->listen_unix(dir.at("s"), 0666, server.keeping([&](const connection_ptr& c, const schema::sealed_message& m) {
    kept.push_back(c->take_in_hand(m.bytes().size()));
  }));
  auto client = blocking_client::connect_unix(dir.at("s"));
  client.send(message(1));
  BOOST_REQUIRE(server.until_received(1));
  door.reset();
  pool.reset();
  BOOST_TEST(kept.size() == 1u);
  kept.clear();
}

BOOST_AUTO_TEST_SUITE_END()
