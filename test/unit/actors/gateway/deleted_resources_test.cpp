// What is set of a resource goes with it: at the server, at queues and vnodes, before who deleted it is answered, and after a crash.
#include <boost/test/unit_test.hpp>

#include <initializer_list>

#include "actors/gateway/directory.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using schema::ManageVerb;
using schema::ObjectKind;

struct change {
  const char *name, *resource, *value;
};

struct site {
  test::whole_server server;

  schema::sealed_message request(ManageVerb verb, ObjectKind kind, const std::string& name, std::initializer_list<change> changes = {},
                                 bool all = false) {
    return schema::make<schema::Request>([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(verb);
      m.setKind(kind);
      m.setName(name);
      m.setAllOfKind(all);
      auto list = m.initChanges(static_cast<unsigned>(changes.size()));
      unsigned i = 0;
      for (const auto& c : changes) {
        list[i].setName(c.name);
        list[i].setResource(c.resource);
        list[i++].setValue(c.value);
      }
    });
  }
  // "" or the refusal's number.
  std::string manage(ManageVerb verb, ObjectKind kind, const std::string& name, std::initializer_list<change> changes = {},
                     bool all = false) {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, "root");
    server.says(peer, request(verb, kind, name, changes, all));
    BOOST_REQUIRE_EQUAL(peer->sent.size(), 1u);
    const auto reply = peer->sent[0].root<schema::Reply>();
    return reply.isDone() ? "" : std::to_string(reply.getRejected().getCode());
  }
  void create(const char* resource) {
    BOOST_REQUIRE_EQUAL(manage(ManageVerb::CREATE, ObjectKind::RESOURCE, resource, {{"type", "", "long"}, {"flag", "", "nh"}}), "");
  }
  void set(ObjectKind kind, const char* name, const char* attribute, const char* resource, const char* value) {
    BOOST_REQUIRE_EQUAL(manage(ManageVerb::SET, kind, name, {{attribute, resource, value}}), "");
  }
  // The server, a queue and two vnodes, one of which shares what the other has.
  void set_everywhere(const char* resource) {
    set(ObjectKind::SERVER, "", "resources_default", resource, "3");
    set(ObjectKind::SERVER, "", "max_run_res", resource, "[o:PBS_ALL=9]");
    set(ObjectKind::QUEUE, "workq", "resources_max", resource, "3");
    set(ObjectKind::NODE, "n1", "resources_available", resource, "5");
    set(ObjectKind::NODE, "n2", "resources_available", resource, "@n1");
  }
  // "kind name attribute" of all that is set of it, as the log says.
  std::vector<std::string> values_of(const std::string& resource) {
    actors::directory where;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      where.fold(*r);
      return true;
    });
    std::vector<std::string> all;
    for (const auto& at : where.values_of([&](std::string_view r) { return r == resource; }))
      for (const auto& [attribute, of] : at.set) all.push_back(at.name + " " + attribute);
    return all;
  }

  site() {
    server.create_node("n1");
    server.create_node("n2");
    create("fa");
    create("fb");
  }
};

const std::vector<std::string> everywhere = {" max_run_res", " resources_default", "workq resources_max", "n1 resources_available",
                                             "n2 resources_available"};
const std::vector<std::string> nowhere;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(deleted_resources, site)

BOOST_AUTO_TEST_CASE(what_is_set_of_a_resource_goes_with_it) {
  set_everywhere("fa");
  set_everywhere("fb");
  BOOST_TEST(values_of("fa") == everywhere, boost::test_tools::per_element());
  BOOST_TEST(manage(ManageVerb::DELETE, ObjectKind::RESOURCE, "fa") == "");
  BOOST_TEST(values_of("fa") == nowhere, boost::test_tools::per_element());
  BOOST_TEST(values_of("fb") == everywhere, boost::test_tools::per_element());
  create("fa");
  BOOST_TEST(values_of("fa") == nowhere, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_set_of_a_resource_that_stays_stays) {
  set_everywhere("fa");
  BOOST_TEST(manage(ManageVerb::DELETE, ObjectKind::RESOURCE, "nosuch") == "15035");
  BOOST_TEST(manage(ManageVerb::DELETE, ObjectKind::RESOURCE, "ncpus") == "15004");
  BOOST_TEST(values_of("fa") == everywhere, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_server_that_died_before_the_values_were_gone_takes_them_away_at_its_start) {
  set_everywhere("fa");
  server.kill();
  {
    log::event_log log(server.store, server.clock);
    log::append a;
    (void)log::log_reader(server.store).read(1, [&](const log::record_ptr& r) {
      if (r->kind() == schema::StreamKind::SERVER) a.stream = r->get().getStream();
      return true;
    });
    a.expected_version = log.last_version(a.stream);
    a.events.push_back(model::make_event([](auto e) { e.initServer().initResourceDeleted().setName("fa"); }));
    (void)log.stage(std::move(a));
    std::vector<log::record_ptr> records;
    BOOST_REQUIRE(static_cast<bool>(log.commit(records)));
  }
  BOOST_TEST(values_of("fa") == everywhere, boost::test_tools::per_element());
  server.start();
  BOOST_TEST(values_of("fa") == nowhere, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(all_vnodes_can_be_deleted_whoever_shares_what) {
  set_everywhere("fa");
  BOOST_TEST(manage(ManageVerb::DELETE, ObjectKind::NODE, "n1") == "15027");
  BOOST_TEST(manage(ManageVerb::DELETE, ObjectKind::NODE, "", {}, true) == "");
  BOOST_TEST(values_of("fa") == std::vector<std::string>(everywhere.begin(), everywhere.begin() + 3), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
