// A vnode on its way to another environment: states, what administrators may not do meanwhile (docs/design/0052-provisioning.md).
#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using schema::ManageVerb;
using to = model::provision_vnode::what;
namespace ids = attributes::node;

namespace {

struct provision_story {
  model::host_state host;
  model::settings settings = small_settings();
  std::uint64_t sequence = 0;

  provision_story() {
    settings.host_name = "elsewhere";
    node(ManageVerb::CREATE);
    hello();
    node(ManageVerb::SET, {{"resources_available", "aoe", "suse,rhel"}});
  }
  std::string when(const model::host_command& c) {
    const auto o = model::decide(host, c, {1'000'000'000, manager()}, settings);
    if (o.accepted())
      for (const auto& e : o.events()) model::apply(host, {++sequence, 1, sequence, 1'000'000'000, manager()}, e.get());
    return said(o);
  }
  std::string node(ManageVerb verb, const given_values& s = {}) { return when(manage(verb, schema::ObjectKind::NODE, "borg", s)); }
  std::string hello() {
    return when(model::mom_hello{schema::make<schema::FromMom>([](schema::FromMom::Builder m) {
      auto h = m.initHello();
      h.setHost("borg");
      h.initVnodes(1)[0].setName("borg");
    })});
  }
  std::string step(to what, const char* aoe = "suse", const char* why = "") {
    return when(model::provision_vnode{"borg", what, aoe, why});
  }
  std::string state() const { return model::base_state(host, *host.vnode("borg")); }
  std::string current() const { return std::string(host.vnode("borg")->attributes.get(ids::current_aoe).value_or("")); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(host_provisioning, provision_story)

BOOST_AUTO_TEST_CASE(a_vnode_waits_is_provisioned_and_has_its_environment) {
  BOOST_TEST(step(to::wait) == "vnodeChanged");
  BOOST_TEST(state() == "wait-provisioning");
  BOOST_TEST(step(to::wait) == "");
  BOOST_TEST(step(to::begin) == "vnodeChanged");
  BOOST_TEST(state() == "provisioning");
  BOOST_TEST(step(to::begin) == "");
  BOOST_TEST(step(to::done, "rhel") == "");  // of another one
  BOOST_TEST(step(to::done) == "vnodeChanged");
  BOOST_TEST(state() == "");
  BOOST_TEST(current() == "suse");
}

BOOST_AUTO_TEST_CASE(one_whose_host_is_down_is_ready_when_its_mom_is_back) {
  step(to::begin);
  when(model::host_silent{"reboot"});
  step(to::done);
  BOOST_TEST(state() == "down,provisioning");
  BOOST_TEST(hello() == "cameUp");
  BOOST_TEST(state() == "");
  BOOST_TEST(current() == "suse");
}

BOOST_AUTO_TEST_CASE(one_that_failed_is_offline_and_has_no_environment) {
  node(ManageVerb::SET, {{"current_aoe", "", "rhel"}});
  step(to::begin);
  BOOST_TEST(step(to::fail, "suse", "no disk") == "vnodeChanged");
  BOOST_TEST(state() == "offline");
  BOOST_TEST(current() == "");
  BOOST_TEST(host.vnode("borg")->attributes.get(ids::comment).value_or("") == "Vnode offlined since it failed provisioning: no disk");
}

BOOST_AUTO_TEST_CASE(meanwhile_nobody_changes_or_deletes_it) {
  step(to::begin);
  BOOST_TEST(node(ManageVerb::SET, {{"Priority", "", "1"}}).starts_with("15146 "));
  BOOST_TEST(node(ManageVerb::SET, {{"state", "", "offline"}}).starts_with("15147 "));
  BOOST_TEST(node(ManageVerb::DELETE).starts_with("15148 "));
}

BOOST_AUTO_TEST_CASE(its_environment_is_one_of_its_own_and_the_servers_host_has_none) {
  BOOST_TEST(node(ManageVerb::SET, {{"current_aoe", "", "bsd"}}).starts_with("15149 "));
  BOOST_TEST(node(ManageVerb::SET, {{"current_aoe", "", "rhel"}}) == "vnodeChanged");
  settings.host_name = "borg";
  BOOST_TEST(node(ManageVerb::SET, {{"current_aoe", "", "suse"}}).starts_with("15145 "));
  BOOST_TEST(node(ManageVerb::SET, {{"provision_enable", "", "True"}}).starts_with("15145 "));
}

BOOST_AUTO_TEST_SUITE_END()
