// Hosts and queues, each an actor that is found by its name, however many requests make it at once.
#include <boost/test/unit_test.hpp>

#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

schema::sealed_message manage(schema::ManageVerb verb, schema::ObjectKind kind, const std::string& name, const std::string& priority = "") {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(verb);
    m.setKind(kind);
    m.setName(name);
    if (priority.empty()) return;
    auto change = m.initChanges(1)[0];
    change.setName("Priority");
    change.setValue(priority);
  });
}

// The first is not yet on disk when the second comes.
std::vector<peer_ptr> at_once(test::whole_server& server, const std::vector<schema::sealed_message>& requests) {
  std::vector<peer_ptr> peers;
  for (const auto& r : requests) {
    peers.push_back(std::make_shared<test::fake_peer>(wire::identity::kind::local, "root"));
    caf::anon_send(server.whole->gateway(), actors::peer_frame{peers.back(), r});
  }
  server.system.run();
  return peers;
}

std::vector<bool> done(const std::vector<peer_ptr>& peers) {
  std::vector<bool> all;
  for (const auto& p : peers) all.push_back(p->sent.at(0).root<schema::Reply>().isDone());
  return all;
}

bool came_up(const test::whole_server& server) {
  bool up = false;
  (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
    up |= schema::is(r->event(), schema::HostEvent::CAME_UP);
    return true;
  });
  return up;
}

constexpr auto create = schema::ManageVerb::CREATE, set = schema::ManageVerb::SET, erase = schema::ManageVerb::DELETE;
constexpr auto node = schema::ObjectKind::NODE, queue = schema::ObjectKind::QUEUE;

}  // namespace

BOOST_AUTO_TEST_SUITE(named_objects)

BOOST_AUTO_TEST_CASE(a_node_that_two_requests_create_at_once_comes_up) {
  test::whole_server server;
  const auto made = done(at_once(server, {manage(create, node, "n1"), manage(create, node, "n1"), manage(create, node, "n1")}));
  BOOST_TEST(made == (std::vector{true, false, false}), boost::test_tools::per_element());
  server.hello_of("n1");
  BOOST_TEST(came_up(server));
}

BOOST_AUTO_TEST_CASE(a_queue_that_is_being_created_is_not_forgotten_by_who_asks_too_early) {
  test::whole_server server;
  const auto asked = done(at_once(server, {manage(create, queue, "q"), manage(set, queue, "q", "5"), manage(create, queue, "q")}));
  BOOST_TEST(asked[0]);
  BOOST_TEST(!asked[2]);
  BOOST_TEST(done(at_once(server, {manage(set, queue, "q", "5")}))[0]);
}

BOOST_AUTO_TEST_CASE(an_object_can_be_created_after_it_was_refused_or_deleted) {
  test::whole_server server;
  for (int n = 0; n < 2; ++n) {
    BOOST_TEST(!done(at_once(server, {manage(create, queue, "q", "perhaps")}))[0]);
    BOOST_TEST(!done(at_once(server, {manage(set, queue, "q", "5")}))[0]);
    BOOST_TEST(done(at_once(server, {manage(create, queue, "q", "5")}))[0]);
    BOOST_TEST(done(at_once(server, {manage(set, queue, "q", "6")}))[0]);
    BOOST_TEST(done(at_once(server, {manage(erase, queue, "q")}))[0]);
  }
}

BOOST_AUTO_TEST_SUITE_END()
