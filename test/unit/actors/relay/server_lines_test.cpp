// Connections of a login host that serve one command after another (docs/design/0063-login-hosts.md).
#include <boost/test/unit_test.hpp>

#include <memory>

#include "actors/relay/server_lines.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/comm.capnp.h"
#include "test/support/fake_peer.hpp"

using namespace annals;
using namespace annals::actors;
using namespace std::chrono_literals;

namespace {

struct counted_line final : server_dialer {
  explicit counted_line(int& n) : open(n) { ++open; }
  ~counted_line() override { --open; }
  int& open;
};

constexpr std::uint64_t alice = 1001, bob = 1002;

struct login_host {
  int dialed = 0;
  std::uint64_t last_line = 0, last_secret = 0x5ec0;
  server_lines lines{[this](std::uint64_t line) -> std::unique_ptr<server_dialer> {
                       last_line = line;
                       return std::make_unique<counted_line>(dialed);
                     },
                     [this] { return ++last_secret; }};
  std::shared_ptr<test::fake_peer> server = std::make_shared<test::fake_peer>(wire::identity::kind::server, "q1");
  server_lines::time_point now{};

  std::unique_ptr<server_dialer> lend(std::uint64_t caller, const std::string& user) { return lines.lend(caller, user); }
  static schema::sealed_message request(std::uint64_t id) {
    return schema::make<schema::Request>([&](schema::Request::Builder r) {
      r.setId(id);
      r.initHello();
    });
  }
  static schema::sealed_message reply(std::uint64_t id) {
    return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      r.setId(id);
      r.initDone(0);
    });
  }
  schema::CommWord::Reader word(std::size_t n) const { return server->sent.at(n).root<schema::CommWord>(); }
  bool hears(const schema::sealed_message& m, std::uint64_t line = 1) { return lines.on_frame({line, m}, now).has_value(); }
  // A command of alice's that has asked something and is gone.
  void one_command() {
    const auto loan = lend(alice, "alice");
    auto connection = loan->is_open();
    if (!connection) connection = lines.on_opened({last_line, server})->server;
    connection->send(request(1));
  }
  void answers_the_end() { BOOST_TEST(!hears(reply(last_secret))); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(lines_to_the_server)

BOOST_AUTO_TEST_CASE(a_command_says_whose_it_is_with_its_first_request) {
  login_host h;
  const auto loan = h.lend(alice, "alice");
  BOOST_TEST(!loan->is_open());
  const auto opened = h.lines.on_opened({1, h.server});
  BOOST_REQUIRE(opened.has_value());
  BOOST_TEST(opened->caller == alice);
  opened->server->send(login_host::request(7));
  opened->server->send(login_host::request(8));
  BOOST_REQUIRE(h.server->sent.size() == 2u);
  BOOST_TEST(schema::str(h.word(0).getBegins().getUser()) == "alice");
  BOOST_TEST(!h.word(1).hasBegins());
  for (std::size_t i : {0u, 1u}) {
    BOOST_TEST(h.word(i).getEnded() == 0u);
    const auto inside = schema::sealed_message::from_bytes(schema::bytes_of(h.word(i).getRequest()));
    BOOST_REQUIRE(inside.has_value());
    BOOST_TEST(inside->root<schema::Request>().getId() == 7 + i);
  }
  BOOST_TEST(h.hears(login_host::reply(7)));
}

BOOST_AUTO_TEST_CASE(the_next_command_has_the_line_of_one_that_is_gone) {
  login_host h;
  h.one_command();
  BOOST_TEST(h.word(1).getEnded() == h.last_secret);
  h.answers_the_end();
  const auto loan = h.lend(bob, "bob");
  BOOST_REQUIRE(loan->is_open());
  BOOST_TEST(h.dialed == 1);
  loan->is_open()->send(login_host::request(1));
  BOOST_TEST(schema::str(h.word(2).getBegins().getUser()) == "bob");
  const auto heard = h.lines.on_frame({1, login_host::reply(1)}, h.now);
  BOOST_REQUIRE(heard.has_value());
  BOOST_TEST(heard->caller == bob);
}

BOOST_AUTO_TEST_CASE(nobody_hears_what_was_said_to_another) {
  login_host h;
  h.one_command();
  BOOST_TEST(!h.hears(login_host::reply(1)));
  {
    const auto other = h.lend(bob, "bob");  // it is not known yet that nothing more comes
    BOOST_TEST(!other->is_open());
    BOOST_TEST(h.dialed == 2);
  }
  BOOST_TEST(h.dialed == 1);  // nobody waits for a server that may not be there
  BOOST_TEST(!h.hears(login_host::reply(2)));
  h.answers_the_end();
  BOOST_TEST(h.lend(bob, "bob")->is_open());
}

BOOST_AUTO_TEST_CASE(a_command_that_took_too_little_leaves_nothing_paused) {
  login_host h;
  {
    const auto loan = h.lend(alice, "alice");
    h.lines.on_opened({1, h.server})->server->send(login_host::request(1));
    h.server->paused = true;
  }
  BOOST_TEST(!h.server->paused);
}

BOOST_AUTO_TEST_CASE(a_lost_line_is_not_lent_again) {
  login_host h;
  h.one_command();
  h.answers_the_end();
  BOOST_TEST(!h.lines.on_closed({1, "closed by the peer"}).has_value());
  BOOST_TEST(h.dialed == 0);
  const auto loan = h.lend(bob, "bob");
  BOOST_TEST(!loan->is_open());
  BOOST_TEST(h.lines.on_failed({2, "Connection refused"})->caller == bob);
  BOOST_TEST(h.dialed == 0);
}

BOOST_AUTO_TEST_CASE(who_has_a_line_hears_of_its_loss) {
  login_host h;
  const auto loan = h.lend(alice, "alice");
  (void)h.lines.on_opened({1, h.server});
  BOOST_TEST(h.lines.on_taken(server_taken{1})->caller == alice);
  const auto closed = h.lines.on_closed({1, "peer silent for 10 s"});
  BOOST_REQUIRE(closed.has_value());
  BOOST_TEST(closed->caller == alice);
  BOOST_TEST(closed->why == "peer silent for 10 s");
}

BOOST_AUTO_TEST_CASE(a_line_on_which_something_is_said_to_nobody_ends) {
  login_host h;
  h.one_command();
  h.answers_the_end();
  BOOST_TEST(!h.hears(login_host::reply(1)));
  BOOST_TEST(h.dialed == 0);
}

BOOST_AUTO_TEST_CASE(lines_that_nobody_wants_end) {
  login_host h;
  h.one_command();
  h.answers_the_end();
  h.now += 9min;
  h.lines.drop_idle(h.now, 10min);
  BOOST_TEST(h.dialed == 1);
  {
    const auto loan = h.lend(bob, "bob");
    h.now += 20min;
    h.lines.drop_idle(h.now, 10min);  // somebody has it
    BOOST_TEST(h.dialed == 1);
    loan->is_open()->send(login_host::request(1));
  }
  h.answers_the_end();
  h.now += 10min;
  h.lines.drop_idle(h.now, 10min);
  BOOST_TEST(h.dialed == 0);
}

BOOST_AUTO_TEST_CASE(the_line_that_was_used_last_is_lent_first) {
  login_host h;
  {
    const auto first = h.lend(alice, "alice");
    (void)h.lines.on_opened({1, h.server});
    const auto second = h.lend(bob, "bob");
    (void)h.lines.on_opened({2, h.server});
  }
  // They were given back in the other order.
  BOOST_TEST(!h.hears(login_host::reply(h.last_secret - 1), 2));
  h.now += 1s;
  BOOST_TEST(!h.hears(login_host::reply(h.last_secret), 1));
  const auto loan = h.lend(alice, "alice");
  BOOST_REQUIRE(loan->is_open());
  BOOST_TEST(h.lines.on_frame({1, login_host::reply(1)}, h.now).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
