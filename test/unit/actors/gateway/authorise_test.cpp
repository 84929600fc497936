// Who a client is: the kernel's word about it, and the lists of managers and operators.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "actors/gateway/callers/authorise.hpp"
#include "events/attributes/ids.hpp"

using namespace annals;
using schema::Role;

namespace {

struct listed {
  model::settings settings;
  listed(const std::string& managers, const std::string& operators) {
    settings.host_name = "borg.cluster";
    settings.server.set(attributes::server::managers, managers);
    settings.server.set(attributes::server::operators, operators);
  }
  Role role(const std::string& user, std::uint32_t uid = 2000) const {
    return actors::requester_of({wire::identity::kind::local, user, uid, 100, 1, ""}, settings, 1000).role;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(authorising)

BOOST_AUTO_TEST_CASE(root_and_the_servers_own_user_are_root_by_their_numbers) {
  const listed l("", "");
  BOOST_TEST((l.role("root", 0) == Role::ROOT));
  BOOST_TEST((l.role("whoever", 1000) == Role::ROOT));
  BOOST_TEST((l.role("root", 2000) == Role::USER));  // a name makes nobody root
  BOOST_TEST((l.role("alice") == Role::USER));
}

BOOST_AUTO_TEST_CASE(a_requester_is_of_the_servers_host) {
  const listed l("", "");
  const auto by = actors::requester_of({wire::identity::kind::local, "alice", 2000, 100, 1, ""}, l.settings, 1000);
  BOOST_TEST(by.at_host() == "alice@borg.cluster");
}

BOOST_AUTO_TEST_CASE(a_command_of_a_job_is_of_its_host_and_no_number_makes_it_root) {
  const listed l("mgr@n1", "");
  const auto by = [&](const std::string& user, std::uint32_t uid) {
    wire::identity who{wire::identity::kind::remote, user, uid, 100, 0, ""};
    who.host = "n1";
    return actors::requester_of(who, l.settings, 1000);
  };
  BOOST_TEST(by("alice", wire::identity::nobody).at_host() == "alice@n1");
  BOOST_TEST((by("root", 0).role == Role::USER));
  BOOST_TEST((by("whoever", 1000).role == Role::USER));
  BOOST_TEST((by("mgr", wire::identity::nobody).role == Role::MANAGER));
}

BOOST_AUTO_TEST_CASE(groups_are_found_by_the_name_alone_where_no_number_is_known) {
  const auto groups = actors::groups_by_name_service("root", wire::identity::nobody);
  BOOST_REQUIRE(!groups.empty());
  BOOST_TEST(groups.front() == "root");
  BOOST_TEST(actors::groups_by_name_service("no_such_user_anywhere", wire::identity::nobody).empty());
}

BOOST_AUTO_TEST_CASE(lists_give_roles_the_higher_one_first) {
  const listed l("mgr@borg.cluster,both@*", "op@*.cluster,both@*,far@elsewhere");
  BOOST_TEST((l.role("mgr") == Role::MANAGER));
  BOOST_TEST((l.role("op") == Role::OPERATOR));
  BOOST_TEST((l.role("both") == Role::MANAGER));
  BOOST_TEST((l.role("far") == Role::USER));  // an operator on another host
  BOOST_TEST((l.role("op2") == Role::USER));
}

BOOST_AUTO_TEST_CASE(an_entry_without_a_host_lists_nobody) {
  const listed l("mgr", "@borg.cluster");
  BOOST_TEST((l.role("mgr") == Role::USER));
  BOOST_TEST((l.role("alice") == Role::USER));
}

BOOST_AUTO_TEST_CASE(groups_begin_with_the_primary_one_and_name_each_once) {
  const auto groups = actors::groups_by_name_service("root", 0);
  BOOST_REQUIRE(!groups.empty());
  BOOST_TEST(groups.front() == "root");
  BOOST_TEST(std::count(groups.begin(), groups.end(), "root") == 1);
  BOOST_TEST(actors::groups_by_name_service("nobody has this name", 3'999'999'999u).front() == "3999999999");
}

BOOST_AUTO_TEST_SUITE_END()
