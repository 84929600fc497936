// Links over TLS: who is let in, who is not, silence, loss and new attempts.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>

#include "actors/link/wire/frames.hpp"
#include "actors/link/wire/socket_path.hpp"
#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;
using kind = identity::kind;

namespace {

// A cluster's CA, and files for its daemons.
struct cluster {
  directory dir;
  authority ca = authority::open_or_create(dir.at("ca"));
  credentials of(kind what, const std::string& name) const {
    const std::string file = dir.at(std::string(word_of(what)) + "-" + name + ".pem");
    if (!std::filesystem::exists(file)) create_private_file(file, ca.issue(what, name).bundle());
    return credentials::bundle(file);
  }
};

struct on_tls {
  cluster here;
  record server, mom;
  io_pool pool;
  std::unique_ptr<listener> door;
  std::unique_ptr<io_pool::dialer> dialer;
  explicit on_tls(io_options o = patient(), unsigned threads = 1) : pool(threads, o) {}
  void listen(handler h, std::uint16_t port = 0) {
    door = pool.listen_tls("127.0.0.1", port, here.of(kind::server, "q1"), std::move(h));
  }
  void dial(const credentials& c, kind expected = kind::server, const std::string& name = {}) {
    dialer = pool.dial_tls("127.0.0.1", door->port(), c, expected, mom.keeping(), name);
  }
};

unique_fd connected_to(std::uint16_t port) {
  unique_fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  BOOST_REQUIRE(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  return fd;
}

// A port that no other process gets while nobody listens here.
class kept_port {
 public:
  kept_port() {
    const int yes = 1;  // as listeners have it: one may bind the port too, since this socket never listens
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    BOOST_REQUIRE(::setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0);
    BOOST_REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&at), size) == 0);
    BOOST_REQUIRE(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&at), &size) == 0);
    number_ = ntohs(at.sin_port);
  }
  std::uint16_t number() const { return number_; }

 private:
  const unique_fd fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t number_ = 0;
};

bool read_end(const unique_fd& fd) {
  char c[256];
  ssize_t n;
  while ((n = ::recv(fd.get(), c, sizeof c, 0)) > 0) {}
  return n <= 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tls_links)

BOOST_AUTO_TEST_CASE(both_sides_learn_from_certificates_who_the_other_is) {
  on_tls t;
  t.listen(t.server.echoing());
  t.dial(t.here.of(kind::mom, "n1.cluster"));
  BOOST_REQUIRE(t.mom.until_opened());
  BOOST_REQUIRE(t.server.until_opened());
  BOOST_TEST((t.server.first()->peer().what == kind::mom));
  BOOST_TEST(t.server.first()->peer().name == "n1.cluster");
  BOOST_TEST(contains(t.server.first()->peer().address, "127.0.0.1:"));
  BOOST_TEST((t.mom.first()->peer().what == kind::server));
  BOOST_TEST(t.mom.first()->peer().name == "q1");
}

BOOST_AUTO_TEST_CASE(thousands_of_frames_come_back_in_order) {
  on_tls t(patient(), 2);
  t.listen(t.server.echoing());
  t.dial(t.here.of(kind::mom, "n1"));
  BOOST_REQUIRE(t.mom.until_opened());
  constexpr std::uint64_t n = 5000;
  for (std::uint64_t i = 0; i < n; ++i) t.mom.first()->send(message(i, i % 5000));
  BOOST_REQUIRE(t.mom.until_received(n));
  BOOST_TEST(t.mom.now().received == counting(n), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_frame_of_ten_megabytes_passes_between_daemons) {
  on_tls t;
  t.listen(t.server.echoing());
  t.dial(t.here.of(kind::scheduler, "default"));
  BOOST_REQUIRE(t.mom.until_opened());
  t.mom.first()->send(message(1, 10 << 20));
  BOOST_REQUIRE(t.mom.until_received(1));
}

BOOST_AUTO_TEST_CASE(a_message_above_the_limit_closes_the_connection_that_should_carry_it) {
  on_tls t;
  t.listen(t.server.keeping());
  t.dial(t.here.of(kind::mom, "n1"));
  BOOST_REQUIRE(t.mom.until_opened());
  t.mom.first()->send(message(1, limits::daemon_frame_bytes_max));
  BOOST_REQUIRE(t.mom.until_closed());
  BOOST_TEST(contains(t.mom.now().closed.at(0), "larger than the limit of 16777216"));
}

BOOST_AUTO_TEST_CASE(a_certificate_of_another_ca_is_refused_on_both_sides) {
  on_tls t;
  const cluster other;
  t.listen(t.server.keeping());
  t.dial(other.of(kind::mom, "n1"));
  BOOST_REQUIRE(t.mom.until_failed());
  BOOST_TEST(contains(t.mom.now().failed.at(0), "connect to 127.0.0.1:"));
  BOOST_TEST(contains(t.mom.now().failed.at(0), "certificate verify failed"));
  // A peer that does not care who we are is turned away by the listener: our CA's certificate, another CA's key.
  const auto mixed = credentials{t.here.ca.ca_file(), other.of(kind::mom, "n1").certificate_file,
                                 other.of(kind::mom, "n1").key_file};
  record liar;
  const auto dialer = t.pool.dial_tls("127.0.0.1", t.door->port(), mixed, kind::server, liar.keeping());
  BOOST_REQUIRE(t.server.until([](const auto& s) {
    for (const auto& why : s.failed)
      if (contains(why, "certificate verify failed")) return true;
    return false;
  }));
  BOOST_REQUIRE(liar.until_failed());
  BOOST_TEST(contains(liar.now().failed.at(0), "turned us away"));
  BOOST_TEST(t.server.now().opened.empty());
  BOOST_TEST(t.mom.now().opened.empty());
  BOOST_TEST(liar.now().opened.empty());
}

BOOST_AUTO_TEST_CASE(a_host_can_not_pose_as_the_server) {
  on_tls t;
  t.door = t.pool.listen_tls("127.0.0.1", 0, t.here.of(kind::mom, "n2"), t.server.keeping());
  t.dial(t.here.of(kind::mom, "n1"), kind::server);
  BOOST_REQUIRE(t.mom.until_failed());
  BOOST_TEST(contains(t.mom.now().failed.at(0), "the peer is mom n2, not server"));
  BOOST_TEST(t.mom.now().opened.empty());
}

BOOST_AUTO_TEST_CASE(a_server_of_another_name_is_refused_when_a_name_is_asked_for) {
  on_tls t;
  t.listen(t.server.keeping());
  t.dial(t.here.of(kind::mom, "n1"), kind::server, "q2");
  BOOST_REQUIRE(t.mom.until_failed());
  BOOST_TEST(contains(t.mom.now().failed.at(0), "the peer is server q1, not server q2"));
}

BOOST_AUTO_TEST_CASE(garbage_on_the_port_is_turned_away_and_others_live_on) {
  on_tls t;
  t.listen(t.server.echoing());
  t.dial(t.here.of(kind::mom, "n1"));
  BOOST_REQUIRE(t.mom.until_opened());
  const auto noise = connected_to(t.door->port());
  BOOST_REQUIRE(::send(noise.get(), "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL) == 18);
  BOOST_TEST(read_end(noise));
  BOOST_REQUIRE(t.server.until_failed());
  BOOST_TEST(contains(t.server.now().failed.at(0), "TLS handshake failed"));
  t.mom.first()->send(message(1));
  BOOST_REQUIRE(t.mom.until_received(1));
}

BOOST_AUTO_TEST_CASE(who_connects_and_says_nothing_is_not_kept) {
  io_options o;
  o.handshake_ms = 50;
  on_tls t(o);
  t.listen(t.server.keeping());
  const auto mute = connected_to(t.door->port());
  BOOST_TEST(read_end(mute));
  BOOST_REQUIRE(t.server.until_failed());
  BOOST_TEST(t.server.now().failed.at(0) == "127.0.0.1: no TLS handshake within 50 ms");
}

BOOST_AUTO_TEST_CASE(a_peer_whose_heartbeats_stop_is_closed) {
  // The peer's pool has long heartbeats: to us it looks like one whose machine stopped.
  io_options quick, slow;
  quick.heartbeat_ms = 20;
  quick.peer_silence_ms = 200;
  on_tls t(quick);
  record mom;  // hears of its connections until the pool is gone
  io_pool stopped(1, slow);
  t.listen(t.server.keeping());
  const auto dialer = stopped.dial_tls("127.0.0.1", t.door->port(), t.here.of(kind::mom, "n1"), kind::server, mom.keeping());
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(t.server.now().closed.at(0) == "peer silent for 200 ms");
  BOOST_REQUIRE(mom.until_closed());
}

BOOST_AUTO_TEST_CASE(heartbeats_keep_an_idle_connection_open) {
  // A machine may stand still for as long as the silence that is tried: then a longer one tells.
  std::vector<std::string> closed{"not tried"};
  for (const int silence_ms : {2000, 8000, 32000}) {
    if (closed.empty()) break;
    io_options quick;
    quick.heartbeat_ms = 20;
    quick.peer_silence_ms = silence_ms;
    on_tls t(quick);
    t.listen(t.server.keeping());
    t.dial(t.here.of(kind::mom, "n1"));
    BOOST_REQUIRE(t.mom.until_opened());
    // A second pair that has no heartbeats is the clock: when it was closed for silence, ours has been idle as long.
    io_options slow;
    slow.heartbeat_ms = 60000;
    record other;  // hears of its connections until the pool is gone
    io_pool mute(1, slow);
    const auto dialer = mute.dial_tls("127.0.0.1", t.door->port(), t.here.of(kind::mom, "n2"), kind::server, other.keeping());
    BOOST_REQUIRE(other.until_closed());
    closed = t.mom.now().closed;
  }
  BOOST_TEST(closed.empty());
}

BOOST_AUTO_TEST_CASE(a_lost_connection_is_made_again_when_the_peer_is_back) {
  auto o = patient();
  o.redial_ms_min = 10;
  on_tls t(o);
  const kept_port reserved;
  const auto port = reserved.number();
  auto first = std::make_unique<io_pool>(1, patient());
  record before;
  auto door = first->listen_tls("127.0.0.1", port, t.here.of(kind::server, "q1"), before.keeping());
  t.dialer = t.pool.dial_tls("127.0.0.1", port, t.here.of(kind::mom, "n1"), kind::server, t.mom.keeping());
  BOOST_REQUIRE(t.mom.until_opened());
  door.reset();
  first.reset();
  BOOST_REQUIRE(t.mom.until_closed());
  BOOST_REQUIRE(t.mom.until_failed());
  BOOST_TEST(contains(t.mom.now().failed.at(0), "Connection refused"));
  t.listen(t.server.echoing(), port);
  BOOST_REQUIRE(t.mom.until_opened(2));
  t.mom.now().opened.at(1)->send(message(9));
  BOOST_REQUIRE(t.mom.until_received(1));
  BOOST_TEST(t.mom.now().opened.at(0)->id() != t.mom.now().opened.at(1)->id());
}

BOOST_AUTO_TEST_CASE(a_dialer_that_pauses_may_be_hurried) {
  auto o = patient();
  o.redial_ms_min = o.redial_ms_max = 3'600'000;
  on_tls t(o);
  const kept_port reserved;
  t.dialer = t.pool.dial_tls("127.0.0.1", reserved.number(), t.here.of(kind::mom, "n1"), kind::server, t.mom.keeping());
  BOOST_REQUIRE(t.mom.until_failed());
  t.listen(t.server.echoing(), reserved.number());
  t.dialer->now();
  t.dialer->now();
  BOOST_REQUIRE(t.mom.until_opened());
  t.mom.first()->send(message(9));
  BOOST_REQUIRE(t.mom.until_received(1));
  BOOST_TEST(t.mom.now().opened.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_dialer_that_goes_closes_its_connection) {
  on_tls t;
  t.listen(t.server.keeping());
  t.dial(t.here.of(kind::mom, "n1"));
  BOOST_REQUIRE(t.mom.until_opened());
  t.dialer.reset();
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(t.server.now().closed.at(0) == "closed by the peer");
}

BOOST_AUTO_TEST_CASE(a_port_in_use_is_named) {
  on_tls t;
  t.listen(t.server.keeping());
  const auto port = t.door->port();
  BOOST_CHECK_EXCEPTION(t.pool.listen_tls("127.0.0.1", port, t.here.of(kind::server, "q1"), t.server.keeping()), wire_error,
                        [&](const wire_error& e) {
                          return contains(e.what(), "127.0.0.1:" + std::to_string(port)) && contains(e.what(), "in use");
                        });
  BOOST_CHECK_THROW(t.pool.listen_tls("nowhere", 0, t.here.of(kind::server, "q1"), t.server.keeping()), wire_error);
}

BOOST_AUTO_TEST_CASE(the_end_of_the_pool_ends_dialers_that_find_nobody) {
  on_tls t;
  t.listen(t.server.keeping());
  const auto port = t.door->port();
  t.door.reset();
  auto pool = std::make_unique<io_pool>();
  const auto dialer = pool->dial_tls("localhost", port, t.here.of(kind::mom, "n1"), kind::server, t.mom.keeping());
  BOOST_REQUIRE(t.mom.until_failed());
  pool.reset();
  BOOST_TEST(t.mom.now().opened.empty());
}

BOOST_AUTO_TEST_SUITE_END()
