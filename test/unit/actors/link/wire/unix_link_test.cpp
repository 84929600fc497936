// Links over Unix sockets, the commands' client at one end and a pool at the other.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "actors/link/wire/frames.hpp"
#include "actors/link/wire/socket_path.hpp"
#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;

namespace {

// A peer that writes what it likes.
struct raw_peer {
  unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  explicit raw_peer(const std::string& path) {
    const socket_address a(path);
    BOOST_REQUIRE(::connect(fd.get(), a.get(), a.size()) == 0);
  }
  void write(std::span<const std::byte> data) {
    BOOST_REQUIRE(::send(fd.get(), data.data(), data.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(data.size()));
  }
  bool read_end() {  // true: the other end closed
    char c;
    return ::recv(fd.get(), &c, 1, 0) <= 0;
  }
};

struct on_unix {
  directory dir;
  std::string path = dir.at("s");
  record server;
  io_pool pool;
  std::unique_ptr<listener> door;
  explicit on_unix(io_options o = {}, unsigned threads = 1) : pool(threads, o) {}
  void echo() { door = pool.listen_unix(path, 0666, server.echoing()); }
  void keep() { door = pool.listen_unix(path, 0666, server.keeping()); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(unix_links)

BOOST_AUTO_TEST_CASE(the_kernel_says_who_the_peer_is) {
  on_unix t;
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  const auto who = t.server.first()->peer();
  BOOST_TEST((who.what == identity::kind::local));
  BOOST_TEST(who.uid == ::getuid());
  BOOST_TEST(who.gid == ::getgid());
  BOOST_TEST(who.pid == ::getpid());
  BOOST_TEST(!who.name.empty());
  if (::getuid() == 0) BOOST_TEST(who.name == "root");
}

BOOST_AUTO_TEST_CASE(thousands_of_frames_come_back_in_order) {
  on_unix t;
  t.echo();
  auto client = blocking_client::connect_unix(t.path);
  constexpr std::uint64_t n = 20000;
  for (std::uint64_t i = 0; i < n; ++i) client.send(message(i, i % 300));
  for (std::uint64_t i = 0; i < n; ++i) BOOST_REQUIRE(number_of(client.receive(60000)) == i);
}

// What a thread writes itself, what the socket took a part of, and what waits for the I/O thread: one stream.
BOOST_AUTO_TEST_CASE(answers_of_another_thread_arrive_whole_and_in_order) {
  on_unix t;
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  constexpr std::uint64_t n = 5000;
  std::thread answers([to = t.server.first()] {
    for (std::uint64_t i = 0; i < n; ++i) to->send(message(i, i % 7 == 0 ? 20'000 : 10));
  });
  for (std::uint64_t i = 0; i < n; ++i) BOOST_REQUIRE(number_of(client.receive(60000)) == i);
  answers.join();
}

// Two threads send while the connection is closed, by us or by the peer: what arrives is whole and in each one's order.
BOOST_AUTO_TEST_CASE(threads_that_send_while_the_connection_closes_harm_nothing) {
  for (int round = 0; round < 60; ++round) {
    on_unix t;
    t.keep();
    auto client = std::make_unique<blocking_client>(blocking_client::connect_unix(t.path));
    BOOST_REQUIRE(t.server.until_opened());
    const auto to = t.server.first();
    std::vector<std::thread> senders;
    for (std::uint64_t k : {0u, 1u})
      senders.emplace_back([&, k] {
        for (std::uint64_t i = 0; i < 400; ++i) to->send(message(2 * i + k, i % 5 == 0 ? 30'000 : 10));
      });
    std::uint64_t next[2] = {0, 1};
    for (int i = 0; i < 20 * (round % 10); ++i) {
      const auto n = number_of(client->receive(60000));
      BOOST_REQUIRE(n == std::exchange(next[n % 2], next[n % 2] + 2));
    }
    if (round % 2 == 0) to->close("enough");
    else client.reset();
    for (auto& s : senders) s.join();
    client.reset();
    BOOST_REQUIRE(t.server.until_closed());
  }
}

BOOST_AUTO_TEST_CASE(both_ends_may_send_a_lot_before_either_reads) {
  io_options o;
  o.unsent_pause_bytes = 1 << 20;
  on_unix t(o);
  t.echo();
  auto client = blocking_client::connect_unix(t.path);
  for (std::uint64_t i = 0; i < 40; ++i) client.send(message(i, 1 << 20));  // ten times what the server keeps unsent
  for (std::uint64_t i = 0; i < 40; ++i) BOOST_REQUIRE(number_of(client.receive(60000)) == i);
}

BOOST_AUTO_TEST_CASE(who_sends_much_hears_when_the_peer_has_taken_it) {
  io_options o;
  o.unsent_pause_bytes = 1 << 20;
  on_unix t(o);
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  const auto c = t.server.first();
  c->send(message(0, 1000));  // little: nothing is told
  BOOST_REQUIRE(number_of(client.receive(60000)) == 0u);
  for (std::uint64_t i = 1; i <= 60; ++i) c->send(message(i, 100'000));
  BOOST_TEST(c->unsent_bytes() > o.unsent_pause_bytes);
  BOOST_TEST(t.server.now().drained == 0u);
  for (std::uint64_t i = 1; i <= 60; ++i) BOOST_REQUIRE(number_of(client.receive(60000)) == i);
  BOOST_TEST(t.server.until([](const auto& seen) { return seen.drained > 0; }));
  BOOST_TEST(t.server.now().drained == 1u);
}

BOOST_AUTO_TEST_CASE(frames_of_every_size_come_back_whole) {
  on_unix t;
  t.echo();
  auto client = blocking_client::connect_unix(t.path);
  for (const std::size_t size : {0u, 1u, 4000u, 4096u, 5000u, 65536u, 1000000u, 4000000u}) {
    client.send(message(size, size));
    const auto back = client.receive(60000);
    BOOST_TEST(back.root<schema::Request>().getHello().getVersion().size() == size);
  }
}

BOOST_AUTO_TEST_CASE(senders_on_many_threads_do_not_mix_their_frames) {
  on_unix t({}, 2);
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  const auto c = t.server.first();
  constexpr std::uint64_t each = 2000, threads = 4;
  std::vector<std::thread> senders;
  for (std::uint64_t s = 0; s < threads; ++s)
    senders.emplace_back([&, s] {
      for (std::uint64_t i = 0; i < each; ++i) c->send(message(s * each + i, i % 7000));
    });
  std::vector<std::uint64_t> seen(threads, 0);
  bool in_order = true;
  for (std::uint64_t i = 0; i < each * threads; ++i) {
    const auto n = number_of(client.receive(60000));
    in_order = in_order && n % each == seen[n / each]++;
  }
  for (auto& s : senders) s.join();
  BOOST_TEST(in_order);
}

BOOST_AUTO_TEST_CASE(what_was_sent_before_close_arrives_and_then_the_end) {
  on_unix t;
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  const auto c = t.server.first();
  for (std::uint64_t i = 0; i < 100; ++i) c->send(message(i, 50000));
  c->close("enough");
  c->send(message(999));
  for (std::uint64_t i = 0; i < 100; ++i) BOOST_REQUIRE(number_of(client.receive(60000)) == i);
  BOOST_CHECK_THROW(client.receive(60000), wire_error);
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(t.server.now().closed.at(0) == "enough");
}

BOOST_AUTO_TEST_CASE(the_end_of_the_pool_sends_what_waits_and_tells_every_owner) {
  directory dir;
  record server;
  auto pool = std::make_unique<io_pool>();
  auto door = pool->listen_unix(dir.at("s"), 0666, server.keeping());
  auto client = blocking_client::connect_unix(dir.at("s"));
  BOOST_REQUIRE(server.until_opened());
  const auto c = server.first();
  c->send(message(7));
  pool.reset();
  BOOST_TEST(number_of(client.receive(60000)) == 7u);
  BOOST_TEST(server.now().closed.size() == 1u);
  c->send(message(8));  // a connection may outlive its pool: nothing happens
  c->resume_reading();
  c->close("late");
  BOOST_TEST(c->unsent_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(garbage_ends_its_own_connection_only) {
  on_unix t;
  t.echo();
  auto good = blocking_client::connect_unix(t.path);
  raw_peer oversized(t.path), odd(t.path), noise(t.path), short_one(t.path);
  oversized.write(frame_header(limits::client_frame_bytes_max + 8));
  odd.write(frame_header(9));
  noise.write(frame_header(256));
  noise.write(std::vector<std::byte>(256, std::byte{0xa5}));
  short_one.write(frame_header(256));
  short_one.write(std::vector<std::byte>(100));
  ::shutdown(short_one.fd.get(), SHUT_WR);
  BOOST_TEST(oversized.read_end());
  BOOST_TEST(odd.read_end());
  BOOST_TEST(noise.read_end());
  BOOST_TEST(short_one.read_end());
  BOOST_REQUIRE(t.server.until_closed(4));
  std::string reasons;
  for (const auto& why : t.server.now().closed) reasons += why + "\n";
  BOOST_TEST(contains(reasons, "larger than the limit of 4194304"));
  BOOST_TEST(contains(reasons, "not a multiple of 8"));
  BOOST_TEST(contains(reasons, "not a message"));
  BOOST_TEST(contains(reasons, "closed by the peer in the middle of a frame"));
  good.send(message(5));
  BOOST_TEST(number_of(good.receive(60000)) == 5u);
}

BOOST_AUTO_TEST_CASE(a_message_whose_reader_finds_it_malformed_ends_its_connection) {
  on_unix t;
  t.door = t.pool.listen_unix(t.path, 0666, t.server.keeping([](const connection_ptr&, const schema::sealed_message&) {
    KJ_FAIL_REQUIRE("a text without its end");
  }));
  auto client = blocking_client::connect_unix(t.path);
  client.send(message(1));
  BOOST_CHECK_THROW(client.receive(60000), wire_error);
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(contains(t.server.now().closed.at(0), "a text without its end"));
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_read_is_closed_when_too_much_waits_for_it) {
  io_options o;
  o.unread_bytes_max = 1 << 20;
  o.unread_ms = 50;
  on_unix t(o);
  t.keep();
  raw_peer sleeper(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  for (std::uint64_t i = 0; i < 8; ++i) t.server.first()->send(message(i, 1 << 20));
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(t.server.now().closed.at(0) == "the peer read nothing for 50 ms");
  BOOST_TEST(t.server.first()->unsent_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(no_peer_holds_more_of_our_memory_than_the_limit) {
  io_options o;
  o.unsent_bytes_max = 4 << 20;
  on_unix t(o);
  t.keep();
  raw_peer sleeper(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  for (std::uint64_t i = 0; i < 20; ++i) t.server.first()->send(message(i, 1 << 20));
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(contains(t.server.now().closed.at(0), "more than the limit of 4194304 bytes wait for the peer"));
}

BOOST_AUTO_TEST_CASE(closing_does_not_wait_for_a_peer_that_takes_nothing) {
  io_options o;
  o.close_ms = 50;
  on_unix t(o);
  t.keep();
  raw_peer sleeper(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  for (std::uint64_t i = 0; i < 8; ++i) t.server.first()->send(message(i, 1 << 20));
  t.server.first()->close("enough");
  BOOST_REQUIRE(t.server.until_closed());
  BOOST_TEST(t.server.now().closed.at(0) == "enough");
}

BOOST_AUTO_TEST_CASE(while_reading_is_paused_nothing_is_delivered) {
  on_unix t;
  t.door = t.pool.listen_unix(t.path, 0666, t.server.keeping([](const connection_ptr& c, const schema::sealed_message& m) {
    if (number_of(m) == 0) c->pause_reading();  // also what came in the same read stays where it is
    c->send(m);
  }));
  auto client = blocking_client::connect_unix(t.path);
  for (std::uint64_t i = 0; i < 10; ++i) client.send(message(i));
  BOOST_TEST(number_of(client.receive(60000)) == 0u);
  BOOST_TEST(t.server.now().received.size() <= 1u);
  t.server.first()->resume_reading();
  BOOST_REQUIRE(t.server.until_received(10));
  BOOST_TEST(t.server.now().received == counting(10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_socket_left_by_a_dead_process_is_replaced_and_a_living_one_is_not) {
  on_unix t;
  {
    const socket_address a(t.path);  // bound, and nobody listens any more
    const unique_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    BOOST_REQUIRE(::bind(fd.get(), a.get(), a.size()) == 0);
  }
  t.echo();
  BOOST_CHECK_EXCEPTION(t.pool.listen_unix(t.path, 0666, t.server.echoing()), wire_error,
                        [](const wire_error& e) { return contains(e.what(), "in use"); });
  auto client = blocking_client::connect_unix(t.path);
  client.send(message(3));
  BOOST_TEST(number_of(client.receive(60000)) == 3u);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_listener_takes_its_socket_away_and_leaves_open_connections) {
  on_unix t;
  t.echo();
  auto client = blocking_client::connect_unix(t.path);
  client.send(message(1));
  BOOST_TEST(number_of(client.receive(60000)) == 1u);
  t.door.reset();
  BOOST_TEST(!std::filesystem::exists(t.path));
  BOOST_CHECK_THROW(blocking_client::connect_unix(t.path), wire_error);
  client.send(message(2));
  BOOST_TEST(number_of(client.receive(60000)) == 2u);
}

BOOST_AUTO_TEST_CASE(a_file_in_the_sockets_place_is_left_alone) {
  on_unix t;
  std::ofstream(t.path) << "precious";
  BOOST_CHECK_THROW(t.keep(), wire_error);
  BOOST_TEST(std::filesystem::file_size(t.path) == 8u);
}

BOOST_AUTO_TEST_CASE(the_sockets_mode_is_as_asked) {
  on_unix t;
  t.door = t.pool.listen_unix(t.path, 0600, t.server.keeping());
  struct stat s {};
  BOOST_REQUIRE(::stat(t.path.c_str(), &s) == 0);
  BOOST_TEST((s.st_mode & 07777) == 0600u);
}

BOOST_AUTO_TEST_CASE(a_path_longer_than_the_kernel_takes_works) {
  on_unix t;
  t.path = t.dir.at(std::string(60, 'a') + "/" + std::string(60, 'b'));
  std::filesystem::create_directories(t.path);
  t.path += "/server.sock";
  t.echo();
  auto client = blocking_client::connect_unix(t.path);
  client.send(message(4));
  BOOST_TEST(number_of(client.receive(60000)) == 4u);
}

BOOST_AUTO_TEST_CASE(a_client_says_why_it_can_not_connect) {
  const directory dir;
  BOOST_CHECK_EXCEPTION(blocking_client::connect_unix(dir.at("none")), wire_error,
                        [](const wire_error& e) { return contains(e.what(), "No such file or directory"); });
}

BOOST_AUTO_TEST_CASE(a_client_waits_no_longer_than_it_was_told) {
  on_unix t;
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_CHECK_EXCEPTION(client.receive(20), wire_error,
                        [](const wire_error& e) { return contains(e.what(), "nothing came from the server for 20 ms"); });
}

BOOST_AUTO_TEST_CASE(a_client_refuses_to_send_what_the_server_would_not_take) {
  on_unix t;
  t.echo();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_CHECK_THROW(client.send(message(1, limits::client_frame_bytes_max)), wire_error);
  client.send(message(2));
  BOOST_TEST(number_of(client.receive(60000)) == 2u);
}

BOOST_AUTO_TEST_CASE(sockets_are_not_inherited_by_programs_we_start) {
  on_unix t;
  t.keep();
  auto client = blocking_client::connect_unix(t.path);
  BOOST_REQUIRE(t.server.until_opened());
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    std::error_code ec;
    const auto target = std::filesystem::read_symlink(entry.path(), ec).string();
    if (!ec && target.starts_with("socket:")) BOOST_TEST((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
