// A request is in hand until it is answered (wire/requests_in_hand.hpp): whoever has it keeps what its connection counts. What may take
// long is set aside, and leaves with who waits.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>

#include "events/schema/comm.capnp.h"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

// A request on its way, as its connection counts it.
struct sent_request {
  test::whole_server& server;
  std::weak_ptr<void> counted;

  sent_request(test::whole_server& to, const peer_ptr& from, schema::sealed_message message) : server(to) {
    auto in_hand = std::make_shared<int>();
    counted = in_hand;
    caf::anon_send(to.whole->gateway(), actors::peer_frame{from, std::move(message), std::move(in_hand)});
  }
  bool is_in_hand() const { return !counted.expired(); }
  // Until the peer has heard something more it was in hand all the time.
  bool is_in_hand_until(const peer_ptr& hears) {
    const auto before = hears->sent.size();
    while (hears->sent.size() == before)
      if (!is_in_hand() || !server.system.scheduler().try_run_once()) return false;
    return true;
  }
};

peer_ptr client(const std::string& user = "alice") { return std::make_shared<test::fake_peer>(wire::identity::kind::local, user); }

template <class Fill>
schema::sealed_message request(Fill fill) {
  return schema::make<schema::Request>(fill);
}

void submit_held(schema::Request::Builder r) {
  auto q = r.initQueueJob();
  q.setSubmitHost("borg");
  auto hold = q.initAttributes(1)[0];
  hold.setName("Hold_Types");
  hold.setValue("u");
}
void look(schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); }
void wait_for_end(schema::Request::Builder r) {
  r.setId(5);
  r.initWaitJob().setJob("0.borg");
}
void delete_it(schema::Request::Builder r) { r.initDeleteJob().setJob("0.borg"); }

schema::sealed_message word(const schema::sealed_message& inside, const std::string& user = {}) {
  return schema::make<schema::CommWord>([&](schema::CommWord::Builder w) {
    if (!user.empty()) w.initBegins().setUser(user);
    const auto bytes = inside.bytes();
    w.setRequest(capnp::Data::Reader(reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()));
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(requests_in_hand)

BOOST_AUTO_TEST_CASE(a_request_is_in_hand_until_it_is_answered) {
  test::whole_server s;
  const auto alice = client();
  const std::vector<schema::sealed_message> all{request(submit_held), request(look), request(delete_it),
                                                request([](schema::Request::Builder r) { r.initHello(); })};
  for (const auto& m : all) {
    sent_request asked(s, alice, m);
    BOOST_TEST(asked.is_in_hand_until(alice));
    s.system.run();
    BOOST_TEST(!asked.is_in_hand());
  }
}

BOOST_AUTO_TEST_CASE(who_waits_for_the_end_of_a_job_is_set_aside) {
  test::whole_server s;
  const auto alice = client();
  s.says(alice, request(submit_held));
  const auto before = alice->sent.size();
  sent_request waits(s, alice, request(wait_for_end));
  s.system.run();
  BOOST_TEST(!waits.is_in_hand());
  BOOST_TEST(alice->sent.size() == before);
  s.says(alice, request(delete_it));
  BOOST_TEST(
      std::any_of(alice->sent.begin(), alice->sent.end(), [](const auto& m) { return m.template root<schema::Reply>().isJobEnded(); }));
}

BOOST_AUTO_TEST_CASE(nobody_waits_for_it_over_a_connection_that_is_gone) {
  test::whole_server s;
  const auto alice = client(), other = client();
  s.says(alice, request(submit_held));
  for (const auto& peer : {alice, other}) s.says(peer, request(wait_for_end));
  const auto before = alice->sent.size();
  caf::anon_send(s.whole->gateway(), actors::peer_closed{alice, "gone"});
  s.system.run();
  s.says(client(), request(delete_it));
  BOOST_TEST(alice->sent.size() == before);
  BOOST_REQUIRE(other->sent.size() == 1u);
  BOOST_TEST(other->sent[0].root<schema::Reply>().isJobEnded());
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_reservation_is_set_aside_once) {
  test::whole_server s;
  s.create_node("n1");
  const auto alice = client();
  const auto reserve = request([&](schema::Request::Builder r) {
    const std::string id(16, 'r');
    r.setCommandId({reinterpret_cast<const kj::byte*>(id.data()), id.size()});
    auto list = r.initSubmitReservation().initAttributes(4);
    const auto put = [&](unsigned i, const char* name, const std::string& value) {
      list[i].setName(name);
      list[i].setValue(value);
    };
    put(0, "Resource_List", "1:ncpus=1");
    list[0].setResource("select");
    put(1, "reserve_start", std::to_string(s.clock.now_ns() / 1'000'000'000 + 100));
    put(2, "reserve_duration", "60");
    put(3, "interactive", "50");
  });
  sent_request waits(s, alice, reserve), repeats(s, alice, reserve);
  s.system.run();
  BOOST_TEST(alice->sent.empty());
  BOOST_TEST(!waits.is_in_hand());
  BOOST_TEST(repeats.is_in_hand());
  // Forgotten with the next thing that happens after the connection is gone.
  alice->closed = "gone";
  caf::anon_send(s.whole->gateway(), actors::peer_closed{alice, "gone"});
  s.system.run();
  s.says(client(), request(submit_held));
  BOOST_TEST(!repeats.is_in_hand());
}

BOOST_AUTO_TEST_CASE(what_is_said_for_users_of_login_hosts_is_in_hand_before_it_is_known_who_they_are) {
  test::whole_server s([](actors::server_system_parts& parts) {
    parts.groups_of = [](const std::string&, std::uint32_t) { return std::vector<std::string>{"users"}; };
  });
  const auto line = std::make_shared<test::fake_peer>(wire::identity::kind::comm, "l1");
  sent_request first(s, line, word(request(look), "alice")), second(s, line, word(request(look)));
  BOOST_TEST(second.is_in_hand_until(line));
  s.system.run();
  BOOST_TEST(line->counted_for == "alice");
  BOOST_TEST(!first.is_in_hand());
  BOOST_TEST(!second.is_in_hand());
  s.says(line, schema::make<schema::CommWord>([](schema::CommWord::Builder w) { w.setEnded(7); }));
  BOOST_TEST(line->counted_for == "");
}

BOOST_AUTO_TEST_CASE(a_terminal_is_asked_for_once_at_a_time) {
  test::whole_server s;
  const auto alice = client();
  s.says(alice, request(submit_held));
  alice->sent.clear();
  for (std::uint64_t id : {1u, 2u})
    caf::anon_send(s.whole->gateway(), actors::peer_frame{alice, request([&](schema::Request::Builder r) {
                                                            r.setId(id);
                                                            r.initAttachTerminal().setJob("0.borg");
                                                          })});
  s.system.run();
  BOOST_REQUIRE(!alice->sent.empty());
  const auto refused = alice->sent.front().root<schema::Reply>();
  BOOST_TEST(refused.getId() == 2u);
  BOOST_TEST(schema::str(refused.getRejected().getText()) == "Invalid request: a terminal is being asked for over this connection");
}

BOOST_AUTO_TEST_SUITE_END()
