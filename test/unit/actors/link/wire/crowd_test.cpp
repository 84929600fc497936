// Too many connections, frames that never end and frames that are too large: whoever does it loses his own connection and is
// told why, and everybody else gets in.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "actors/link/wire/complaints.hpp"
#include "actors/link/wire/cut_handshake.hpp"
#include "actors/link/wire/frames.hpp"
#include "actors/link/wire/room.hpp"
#include "actors/link/wire/socket_path.hpp"
#include "test/support/skip.hpp"
#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;

namespace {

// The text travels where a request has its version.
std::vector<schema::sealed_message> words(refusal why, const std::string& text) {
  return {schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(why == refusal::no_room ? 1000 : 2000);
    r.initHello().setVersion(text);
  })};
}

struct told {
  std::uint64_t number = 0;
  std::string text;
};
told last_words_of(blocking_client& c) {
  const auto m = c.receive(60000);
  return {number_of(m), m.root<schema::Request>().getHello().getVersion().cStr()};
}

struct crowded {
  directory dir;
  std::string path = dir.at("s");
  record server;
  io_pool pool;
  std::unique_ptr<listener> door;
  explicit crowded(io_options o) : pool(1, o) {
    auto h = server.echoing();
    h.last_words = words;
    door = pool.listen_unix(path, 0666, h);
  }
  blocking_client client() { return blocking_client::connect_unix(path); }
  bool answers(blocking_client& c) {
    c.send(message(7));
    return number_of(c.receive(60000)) == 7;
  }
};

io_options of_descriptors(std::size_t n) {
  auto o = patient();
  o.descriptors = n;
  return o;
}

unique_fd connected(const std::string& path) {
  unique_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const socket_address a(path);
  BOOST_REQUIRE(::connect(fd.get(), a.get(), a.size()) == 0);
  return fd;
}

bool write_all(const unique_fd& fd, std::span<const std::byte> data) {
  while (!data.empty()) {
    const auto n = ::send(fd.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool read_end(const unique_fd& fd) {
  char c[256];
  ssize_t n;
  while ((n = ::recv(fd.get(), c, sizeof c, 0)) > 0) {}
  return n <= 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(crowds)

BOOST_AUTO_TEST_CASE(nobody_gets_more_places_than_are_left_for_others) {
  const auto r = std::make_shared<room<int>>(12);
  std::vector<std::shared_ptr<void>> places;
  std::size_t has = 0;
  const auto fill = [&](int who) {
    std::size_t got = 0;
    for (; auto place = r->enter(who, has); ++got) places.push_back(std::move(place));
    return got;
  };
  BOOST_TEST(fill(1) == 6u);
  BOOST_TEST(has == 6u);
  BOOST_TEST(fill(2) == 3u);
  BOOST_TEST(fill(3) == 2u);
  BOOST_TEST(fill(4) == 1u);
  BOOST_TEST(fill(5) == 0u);
  BOOST_TEST(has == 0u);
  places.erase(places.begin(), places.begin() + 6);  // the first user's
  BOOST_TEST(fill(5) == 3u);
  BOOST_TEST(fill(1) == 2u);
}

BOOST_AUTO_TEST_CASE(a_room_has_places_however_few_descriptors_there_are_and_not_more_than_memory_allows) {
  const rooms few(1), many(std::size_t{1} << 30);
  std::size_t has = 0;
  BOOST_TEST(few.ordinary->enter(1, has).get() != nullptr);
  BOOST_TEST(few.unproven->enter("a", has).get() != nullptr);
  BOOST_TEST(few.unproven_root->enter("a", has).get() != nullptr);
  BOOST_TEST(many.ordinary->places() == limits::ordinary_connections_max);
}

BOOST_AUTO_TEST_CASE(of_each_user_the_log_has_a_line_and_then_a_count) {
  std::vector<std::string> lines;
  complaints c([&](const std::string& line) { lines.push_back(line); }, 60000);
  const auto start = std::chrono::steady_clock::time_point{} + std::chrono::hours(1);
  const auto at = [&](int s) { return start + std::chrono::seconds(s); };
  const auto said = [&] { return std::exchange(lines, {}); };
  using list = std::vector<std::string>;
  for (int i = 0; i < 1000; ++i) c.add("anna", "anna came " + std::to_string(i), at(i / 100));
  c.add("bob", "bob came", at(3));
  BOOST_TEST(said() == (list{"anna came 0", "bob came"}), boost::test_tools::per_element());
  c.tick(at(59));
  BOOST_TEST(said().empty());
  c.tick(at(60));
  BOOST_TEST(said() == (list{"anna came 999 (999 times more)"}), boost::test_tools::per_element());
  c.add("anna", "anna came again", at(61));
  c.tick(at(119));
  BOOST_TEST(said().empty());
  c.tick(at(120));
  BOOST_TEST(said() == (list{"anna came again (1 times more)"}), boost::test_tools::per_element());
  c.tick(at(180));
  c.add("anna", "anna is back", at(181));
  BOOST_TEST(said() == (list{"anna is back"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(those_beyond_the_number_that_is_kept_apart_are_counted_together) {
  std::vector<std::string> lines;
  complaints c([&](const std::string& line) { lines.push_back(line); }, 60000);
  const std::chrono::steady_clock::time_point start{};
  for (std::size_t i = 0; i < 2 * limits::complaints_max; ++i) c.add(std::to_string(i), "line", start);
  BOOST_TEST(lines.size() == limits::complaints_max + 1);
  c.tick(start + std::chrono::minutes(1));
  BOOST_TEST(lines.back() == "line (" + std::to_string(limits::complaints_max - 1) + " times more)");
}

BOOST_AUTO_TEST_CASE(who_has_too_many_connections_is_told_and_gets_in_when_he_has_less) {
  crowded t(of_descriptors(32));  // root and the process's own user have a quarter, and one of them half of it
  std::vector<blocking_client> mine;
  for (int i = 0; i < 4; ++i) {
    mine.push_back(t.client());
    BOOST_TEST(t.answers(mine.back()));
  }
  auto fifth = t.client();
  const auto said = last_words_of(fifth);
  BOOST_TEST(said.number == 1000u);
  BOOST_TEST(contains(said.text, "too many connections (limit 4)"));
  BOOST_TEST(said.text.starts_with("user " + t.server.first()->peer().name));
  BOOST_CHECK_THROW(fifth.receive(60000), wire_error);
  for (auto& c : mine) BOOST_TEST(t.answers(c));
  mine.pop_back();
  BOOST_REQUIRE(t.server.until_closed());
  auto next = t.client();
  BOOST_TEST(t.answers(next));
  BOOST_REQUIRE(t.server.until_failed());
  BOOST_TEST(contains(t.server.now().failed.at(0), "turned away: too many connections (limit 4)"));
}

BOOST_AUTO_TEST_CASE(who_is_told_so_after_he_has_sent_his_request_hears_it_all_the_same) {
  crowded t(of_descriptors(16));
  std::vector<blocking_client> mine;
  for (int i = 0; i < 2; ++i) {
    mine.push_back(t.client());
    BOOST_TEST(t.answers(mine.back()));
  }
  auto third = t.client();
  BOOST_REQUIRE(t.server.until_failed());                       // the other end is closed, or is about to be
  for (int i = 0; i < 50; ++i) third.send(message(1, 100000));  // more than the kernel takes for nobody
  BOOST_TEST(last_words_of(third).number == 1000u);
}

BOOST_AUTO_TEST_CASE(a_crowd_leaves_a_line_and_a_count) {
  constexpr std::size_t refusals = 20;
  auto o = of_descriptors(16);
  o.complaint_ms = 2000;  // some refusals are in one period, however slow they are
  crowded t(o);
  std::vector<blocking_client> mine;
  for (int i = 0; i < 2; ++i) {
    mine.push_back(t.client());
    BOOST_TEST(t.answers(mine.back()));
  }
  for (std::size_t i = 0; i < refusals; ++i) {
    auto one = t.client();
    BOOST_REQUIRE(last_words_of(one).number == 1000u);
  }
  BOOST_REQUIRE(t.server.until([](const record::seen& s) {
    return std::ranges::any_of(s.failed, [](const std::string& line) { return contains(line, " times more)"); });
  }));
  BOOST_TEST(t.server.now().failed.size() < refusals);
}

BOOST_AUTO_TEST_CASE(a_process_without_descriptors_says_so_and_goes_on_when_it_has_some) {
#ifdef __SANITIZE_ADDRESS__
  return test::skip("the sanitizer opens a pipe to look whether memory can be read, and calls every object invalid when it can't");
#endif
  crowded t(of_descriptors(1024));
  unique_fd first(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const socket_address a(t.path);
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_cur, 128);
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  std::string said;
  {
    std::vector<unique_fd> all;
    for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) all.emplace_back(fd);
    const bool came = ::connect(first.get(), a.get(), a.size()) == 0;
    char text[4096];
    const auto n = came ? ::recv(first.get(), text, sizeof text, 0) : 0;
    if (n > 0) said.assign(text, static_cast<std::size_t>(n));
  }
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  BOOST_TEST(contains(said, "no file descriptors are left"));
  auto next = t.client();
  BOOST_TEST(t.answers(next));
  BOOST_TEST(contains(t.server.now().failed.at(0), "no file descriptors are left"));
}

BOOST_AUTO_TEST_CASE(a_frame_has_to_be_whole_in_time_and_quiet_peers_may_stay) {
  io_options o;
  o.frame_ms = 50;
  crowded t(o);
  auto quiet = t.client();
  BOOST_TEST(t.answers(quiet));
  const auto header = frame_header(256);
  std::vector<std::byte> header_and_part(header.begin(), header.end());
  header_and_part.resize(header.size() + 100);
  const auto length_only = connected(t.path), half = connected(t.path), slow = connected(t.path);
  BOOST_TEST(write_all(length_only, header));
  BOOST_TEST(write_all(half, header_and_part));
  BOOST_TEST(write_all(slow, frame_header(1 << 20)));
  std::thread drops([&] {
    const std::byte one[1] = {};
    // Byte after byte, each in time, until the server has closed.
    for (pollfd closed{slow.get(), POLLIN, 0}; ::poll(&closed, 1, 1) == 0;)
      if (!write_all(slow, one)) break;
  });
  BOOST_TEST(read_end(length_only));
  BOOST_TEST(read_end(half));
  drops.join();
  BOOST_REQUIRE(t.server.until_closed(3));
  for (const auto& why : t.server.now().closed) BOOST_TEST(why == "a frame was not whole within 50 ms");
  BOOST_TEST(t.answers(quiet));
  BOOST_REQUIRE(t.server.until_failed());
  BOOST_TEST(contains(t.server.now().failed.at(0), "(pid " + std::to_string(::getpid()) + "): a frame was not whole within 50 ms"));
}

BOOST_AUTO_TEST_CASE(a_frame_that_we_do_not_read_is_not_late) {
  io_options o;
  o.frame_ms = 50;
  directory dir;
  record server;
  io_pool pool(1, o);
  const auto door = pool.listen_unix(dir.at("s"), 0666, server.keeping([](const connection_ptr& c, const schema::sealed_message& m) {
    if (number_of(m) == 1) c->pause_reading();
  }));
  const auto peer = connected(dir.at("s")), late = connected(dir.at("s"));
  std::vector<std::byte> bytes;
  for (const auto number : {1, 2}) {
    const auto m = message(static_cast<std::uint64_t>(number), 64);
    const auto header = frame_header(m.bytes().size());
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), m.bytes().begin(), m.bytes().end());
  }
  const std::span<const std::byte> all(bytes);
  BOOST_TEST(write_all(peer, all.first(bytes.size() - 8)));
  BOOST_REQUIRE(server.until_received(1));
  BOOST_TEST(write_all(late, frame_header(256)));  // when this one is closed, the first would have been
  BOOST_REQUIRE(server.until_closed());
  BOOST_TEST(server.now().closed.size() == 1u);
  BOOST_TEST(write_all(peer, all.last(8)));
  for (const auto& c : server.now().opened) c->resume_reading();
  BOOST_REQUIRE(server.until_received(2));
}

BOOST_AUTO_TEST_CASE(a_frame_above_the_limit_is_answered_with_the_limit) {
  io_options o;
  o.client_frame_bytes_max = 1 << 20;
  crowded t(o);
  auto client = t.client();
  client.send(message(1, 2 << 20));
  const auto said = last_words_of(client);
  BOOST_TEST(said.number == 2000u);
  BOOST_TEST(contains(said.text, "a frame of 2097"));
  BOOST_TEST(contains(said.text, "is larger than the limit of 1048576"));
  BOOST_CHECK_THROW(client.receive(60000), wire_error);
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_REQUIRE(t.server.until_failed());
  BOOST_TEST(contains(t.server.now().failed.at(0), "user "));
  BOOST_TEST(contains(t.server.now().failed.at(0), "is larger than the limit of 1048576"));
}

BOOST_AUTO_TEST_CASE(an_address_can_not_take_all_handshakes_and_daemons_do_not_count) {
  directory dir;
  const auto ca = authority::open_or_create(dir.at("ca"));
  create_private_file(dir.at("q1.pem"), ca.issue(identity::kind::server, "q1").bundle());
  create_private_file(dir.at("n1.pem"), ca.issue(identity::kind::mom, "n1").bundle());
  record server, mom, second, third;  // they hear of their connections until the pools are gone
  io_pool pool(1, of_descriptors(128)), moms(1, patient());
  const auto door = pool.listen_tls("127.0.0.1", 0, credentials::bundle(dir.at("q1.pem")), server.keeping());
  const auto knock = [&] {
    unique_fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(door->port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    return fd;
  };
  const auto dial = [&](record& r) {
    return moms.dial_tls("127.0.0.1", door->port(), credentials::bundle(dir.at("n1.pem")), identity::kind::server, r.keeping());
  };
  const auto in_before = dial(mom);
  BOOST_REQUIRE(mom.until_opened());
  BOOST_REQUIRE(server.until_opened());  // its handshake is over here too
  {
    const auto one = knock(), two = knock(), too_many = knock();
    BOOST_TEST(read_end(too_many));
    BOOST_REQUIRE(server.until_failed());
    BOOST_TEST(server.now().failed.at(0) == "127.0.0.1 turned away: too many TLS handshakes at once (limit 2)");
    BOOST_TEST(server.now().closed.empty());
    const auto dialer = dial(third);
    if (::geteuid() == 0) {  // it calls from a port of root
      BOOST_REQUIRE(third.until_opened());
    } else {
      BOOST_REQUIRE(third.until_failed());
      BOOST_TEST(third.now().failed.at(0) == "connect to 127.0.0.1:" + std::to_string(door->port()) + ": " + std::string(cut_handshake));
    }
  }
  const auto after = dial(second);
  BOOST_REQUIRE(second.until_opened());
}

BOOST_AUTO_TEST_SUITE_END()
