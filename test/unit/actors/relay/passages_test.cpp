// Commands on their way from another host to the server (docs/design/0038-commands-of-jobs.md, 0063-login-hosts.md).
#include <boost/test/unit_test.hpp>

#include <memory>

#include "actors/link/wire/cut_handshake.hpp"
#include "actors/relay/passages.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/comm.capnp.h"
#include "test/support/fake_peer.hpp"

using namespace annals;
using namespace annals::actors;

namespace {

struct counted_dialer final : server_dialer {
  counted_dialer(int& n, wire::connection_ptr already) : open(n), already(std::move(already)) { ++open; }
  ~counted_dialer() override { --open; }
  wire::connection_ptr is_open() const override { return already; }
  int& open;
  const wire::connection_ptr already;
};

struct way {
  int dialed = 0;
  bool can_dial = true, open_already = false;
  passages ways{"l1", 100};
  std::shared_ptr<test::fake_peer> user = std::make_shared<test::fake_peer>(wire::identity::kind::local, "alice"),
                                   server = std::make_shared<test::fake_peer>(wire::identity::kind::server, "q1");

  way() { ways.add(user); }
  static schema::sealed_message first() {
    return schema::make<schema::FromComm>([](schema::FromComm::Builder m) { m.setUser("alice"); });
  }
  static schema::sealed_message request(std::uint64_t id) {
    return schema::make<schema::Request>([&](schema::Request::Builder r) {
      r.setId(id);
      r.initHello();
    });
  }
  std::uint64_t caller() const { return user->id(); }
  void dial() {
    ways.dial(
        caller(),
        [this](std::uint64_t) -> std::unique_ptr<server_dialer> {
          if (!can_dial) throw wire::wire_error("comm.pem: no such file");
          return std::make_unique<counted_dialer>(dialed, open_already ? server : nullptr);
        },
        first());
  }
  void connect() {
    dial();
    ways.on_opened({caller(), server});
  }
  std::uint32_t refusal() const {
    if (user->sent.empty()) return 0;
    const auto reply = user->sent.back().root<schema::Reply>();
    BOOST_TEST(reply.getId() == 0u);
    return reply.isRejected() ? reply.getRejected().getCode() : 0;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(passages_to_the_server)

BOOST_AUTO_TEST_CASE(the_server_hears_whose_it_is_and_then_what_was_said_in_its_order) {
  way w;
  BOOST_TEST(w.ways.may_be_dialed(w.caller()));
  w.dial();
  BOOST_TEST(!w.ways.may_be_dialed(w.caller()));
  BOOST_TEST(w.user->paused);
  w.ways.hand_on(w.caller(), way::request(1));
  w.ways.hand_on(w.caller(), way::request(2));
  w.ways.on_opened({w.caller(), w.server});
  w.ways.hand_on(w.caller(), way::request(3));
  BOOST_TEST(!w.user->paused);
  BOOST_REQUIRE(w.server->sent.size() == 4u);
  BOOST_TEST(schema::str(w.server->sent[0].root<schema::FromComm>().getUser()) == "alice");
  for (std::size_t i : {1u, 2u, 3u}) BOOST_TEST(w.server->sent[i].root<schema::Request>().getId() == i);
  w.ways.on_frame({w.caller(), way::request(9)});
  BOOST_TEST(w.user->sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(over_a_connection_that_waited_the_server_hears_it_at_once) {
  way w;
  w.open_already = true;
  w.dial();
  BOOST_TEST(!w.user->paused);
  w.ways.hand_on(w.caller(), way::request(1));
  BOOST_REQUIRE(w.server->sent.size() == 2u);
  BOOST_TEST(w.server->sent[1].root<schema::Request>().getId() == 1u);
}

BOOST_AUTO_TEST_CASE(nobody_is_read_while_the_other_side_does_not_take) {
  way w;
  w.connect();
  w.server->unsent = 101;
  w.ways.hand_on(w.caller(), way::request(1));
  BOOST_TEST(w.user->paused);
  w.ways.on_taken(server_taken{w.caller()});
  BOOST_TEST(!w.user->paused);
  w.user->unsent = 101;
  w.ways.on_frame({w.caller(), way::request(1)});
  BOOST_TEST(w.server->paused);
  w.ways.on_taken(peer_taken{w.caller()});
  BOOST_TEST(!w.server->paused);
}

BOOST_AUTO_TEST_CASE(the_server_that_is_not_reached_is_named) {
  way w;
  w.dial();
  w.ways.on_failed({w.caller(), "connect to q1:15001: Connection refused"});
  BOOST_TEST(w.refusal() == 15010u);
  BOOST_TEST(w.user->closed == "host l1 can't reach the server: connect to q1:15001: Connection refused");
  BOOST_TEST(w.dialed == 0);
  w.ways.hand_on(w.caller(), way::request(1));
  BOOST_TEST(w.user->sent.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_server_without_a_place_is_asked_again) {
  way w;
  w.dial();
  w.ways.on_failed({w.caller(), "connect to q1:15001: " + std::string(wire::cut_handshake)});
  BOOST_TEST(w.refusal() == 15033u);
}

BOOST_AUTO_TEST_CASE(a_certificate_that_can_not_be_used_is_named) {
  way w;
  w.can_dial = false;
  w.dial();
  BOOST_TEST(w.refusal() == 15010u);
  BOOST_TEST(w.user->closed == "host l1 can't reach the server: comm.pem: no such file");
}

BOOST_AUTO_TEST_CASE(who_is_gone_keeps_nothing) {
  way w;
  w.connect();
  BOOST_TEST(w.dialed == 1);
  w.ways.remove(w.caller());
  BOOST_TEST(w.dialed == 0);
  w.ways.on_frame({w.caller(), way::request(1)});
  w.ways.on_closed({w.caller(), "gone"});
  BOOST_TEST(w.user->sent.empty());
}

BOOST_AUTO_TEST_CASE(a_lost_server_ends_its_command_alone) {
  way w;
  w.connect();
  const auto other = std::make_shared<test::fake_peer>(wire::identity::kind::local, "bob");
  w.ways.add(other);
  w.ways.on_closed({w.caller(), "peer silent for 10 s"});
  BOOST_TEST(w.user->closed == "the server: peer silent for 10 s");
  BOOST_TEST(other->closed == "");
  BOOST_TEST(w.dialed == 0);
}

BOOST_AUTO_TEST_SUITE_END()
