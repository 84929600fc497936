// Who is on an access list, and who may use the server.
#include <boost/test/unit_test.hpp>

#include "events/model/access.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using model::acl_allows;
namespace on_server = attributes::server;

BOOST_AUTO_TEST_SUITE(access_lists)

BOOST_AUTO_TEST_CASE(names_and_hosts_of_an_entry_fit_or_do_not) {
  BOOST_TEST(acl_allows("alice", "alice", "borg"));
  BOOST_TEST(acl_allows("bob,+alice", "alice", "borg"));
  BOOST_TEST(acl_allows("alice@borg", "alice", "borg"));
  BOOST_TEST(acl_allows("*@borg", "alice", "borg"));
  BOOST_TEST(acl_allows("alice@*.cluster", "alice", "borg.cluster"));
  BOOST_TEST(acl_allows("*.cluster", "borg.cluster", "*"));
  BOOST_TEST(!acl_allows("", "alice", "borg"));
  BOOST_TEST(!acl_allows("ali", "alice", "borg"));
  BOOST_TEST(!acl_allows("alice@lendl", "alice", "borg"));
  BOOST_TEST(!acl_allows("alice@*.cluster", "alice", "borgcluster"));
  BOOST_TEST(!acl_allows("-alice", "alice", "borg"));
}

BOOST_AUTO_TEST_CASE(the_longest_entry_that_fits_decides) {
  for (const char* list : {"*,-alice", "-alice,*", "alice,-alice@borg", "-alice@borg,alice"})
    BOOST_TEST(!acl_allows(list, "alice", "borg"), list);
  for (const char* list : {"-*,alice", "alice,-*", "-*.cluster@borg,alice", "-alice,alice@borg"})
    BOOST_TEST(acl_allows(list, "alice", "borg"), list);
  BOOST_TEST(acl_allows("-*.cluster,borg.cluster", "borg.cluster", "*"));
  BOOST_TEST(!acl_allows("-*.cluster,borg.cluster", "lendl.cluster", "*"));
}

BOOST_AUTO_TEST_CASE(the_server_turns_away_who_is_not_listed) {
  model::settings settings;
  const auto let_in = [&](const model::requester& who) { return !model::server_refusal(who, settings); };
  settings.server.set(on_server::acl_users, "alice");
  BOOST_TEST(let_in(user("bob")));  // the list is not in use
  settings.server.set(on_server::acl_user_enable, "True");
  BOOST_TEST(let_in(user("alice")));
  BOOST_TEST(!let_in(user("bob")));
  BOOST_TEST(model::server_refusal(user("bob"), settings)->code == 15007u);
  for (const auto& who : {operator_(), manager(), root(), the_server()}) BOOST_TEST(let_in(who), who.user);
  settings.server.erase(on_server::acl_users);
  BOOST_TEST(!let_in(user("alice")));  // an empty list lets nobody in
}

BOOST_AUTO_TEST_SUITE_END()
