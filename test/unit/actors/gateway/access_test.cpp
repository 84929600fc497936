// The server's list of users at its door: every request of somebody who is not on it is refused.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "events/model/access.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

struct guarded_server : test::whole_server {
  // The number of the refusal that an ordinary user gets; 0: none.
  template <class Fill>
  std::uint32_t refusal(const std::string& user, Fill fill) {
    auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    peer->who.uid = 2000;
    says(peer, schema::make<schema::Request>(fill));
    const auto reply = peer->sent.at(0).root<schema::Reply>();
    return reply.isRejected() ? reply.getRejected().getCode() : 0;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(who_is_not_on_the_servers_list_of_users_gets_no_answer_to_any_request) {
  guarded_server s;
  const auto stat = [](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); };
  const auto submit = [](schema::Request::Builder r) { r.initQueueJob().setSubmitHost("borg"); };
  const auto remove = [](schema::Request::Builder r) { r.initDeleteJob().setJob("99.borg"); };
  s.set("acl_users", "alice@borg");
  BOOST_TEST(s.refusal("bob", stat) == 0u);
  s.set("acl_user_enable", "True");
  BOOST_TEST(s.refusal("bob", stat) == 15007u);
  BOOST_TEST(s.refusal("bob", submit) == 15007u);
  BOOST_TEST(s.refusal("bob", remove) == 15007u);
  BOOST_TEST(s.refusal("alice", stat) == 0u);
  BOOST_TEST(s.refusal("alice", remove) == 15001u);
  s.set("operators", "bob@borg");  // let in without being listed
  BOOST_TEST(s.refusal("bob", stat) == 0u);
  s.set("acl_user_enable", "False");
  BOOST_TEST(s.refusal("carol", stat) == 0u);
}

BOOST_AUTO_TEST_CASE(who_asks_from_another_host_needs_that_host_to_be_listed) {
  namespace ids = attributes::server;
  model::settings settings;
  settings.host_name = "borg";
  const auto refused = [&](const std::string& host, schema::Role role = schema::Role::USER) {
    return model::server_refusal({"alice", host, role}, settings).has_value();
  };
  settings.server.set(ids::acl_hosts, "n2,*.cluster,-n3.cluster");
  for (const char* host : {"borg", "n1", "n2"}) BOOST_TEST(!refused(host));  // the list is not asked
  settings.server.set(ids::acl_host_enable, "True");
  for (const char* host : {"borg", "n2", "n1.cluster"}) BOOST_TEST(!refused(host));
  for (const char* host : {"n1", "n3.cluster", ""}) BOOST_TEST(refused(host));
  BOOST_TEST(!refused("n1", schema::Role::OPERATOR));
  settings.server.set(ids::acl_host_moms_enable, "True");
  BOOST_TEST(!refused("n1"));
  settings.server.set(ids::acl_user_enable, "True");  // users have a list of their own
  settings.server.set(ids::acl_users, "alice@n2");
  BOOST_TEST(refused("n1"));
  BOOST_TEST(!refused("n2"));
}
