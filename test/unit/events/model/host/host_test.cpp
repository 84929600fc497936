// Hosts and their vnodes: creation, what the MoM reports, what administrators set, states.
#include <boost/test/unit_test.hpp>

#include "events/model/host/down_reasons.hpp"
#include "events/model/host/vnode_names.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;
using schema::ManageVerb;
namespace ids = attributes::node;

namespace {

struct host_story {
  model::host_state host;
  model::settings settings = small_settings();
  std::uint64_t sequence = 0;
  std::int64_t now_s = 1000;

  std::string when(const model::host_command& c, const model::requester& by = manager()) {
    const auto o = model::decide(host, c, {now_s * 1'000'000'000, by}, settings);
    if (o.accepted())
      for (const auto& e : o.events()) {
        ++sequence;
        model::apply(host, {sequence, 1, sequence, now_s * 1'000'000'000, by}, e.get());
      }
    return said(o);
  }
  std::string node(ManageVerb verb, const given_values& s = {}, const std::string& name = "borg", const model::requester& by = manager()) {
    return when(manage(verb, schema::ObjectKind::NODE, name, s), by);
  }
  std::string hello(const std::string& uuid = "u1", const std::vector<std::string>& vnodes = {"borg"}, const std::string& ncpus = "8",
                    const char* busy = "") {
    return when(model::mom_hello{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                  auto h = m.initHello();
                  h.setHost("borg");
                  h.setVersion("1");
                  h.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
                  auto list = h.initVnodes(static_cast<unsigned>(vnodes.size()));
                  for (unsigned i = 0; i < vnodes.size(); ++i) {
                    list[i].setName(vnodes[i]);
                    given_values said{{"resources_available", "ncpus", ncpus}};
                    if (*busy) said.push_back({"busy", "", busy});
                    fill(list[i].initAttributes(static_cast<unsigned>(said.size())), said);
                  }
                })},
                the_server());
  }
  std::string state(const std::string& vnode = "borg") const { return model::base_state(host, *host.vnode(vnode)); }
  std::string ncpus(const std::string& vnode = "borg") const {
    return std::string(host.vnode(vnode)->attributes.get(ids::resources_available, "ncpus").value_or(""));
  }
};

host_story known_host() {
  host_story s;
  s.node(ManageVerb::CREATE);
  s.hello();
  return s;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hosts)

BOOST_AUTO_TEST_CASE(a_host_is_unknown_then_free_then_down_then_free) {
  host_story s;
  BOOST_TEST(s.hello().starts_with("15062 "));
  BOOST_TEST(s.node(ManageVerb::CREATE) == "added vnodeCreated");
  BOOST_TEST(s.state() == "state-unknown,down");
  BOOST_TEST(s.hello() == "cameUp");
  BOOST_TEST(s.state() == "");
  BOOST_TEST(s.hello() == "");  // nothing new
  BOOST_TEST(s.when(model::host_silent{"link lost"}, the_server()) == "wentDown");
  BOOST_TEST(s.state() == "down");
  BOOST_TEST(s.host.vnode("borg")->attributes.get(ids::comment).value_or("") == "node down: link lost");
  BOOST_TEST(s.when(model::host_silent{"link lost"}, the_server()) == "");
  BOOST_TEST(s.hello() == "cameUp");
  BOOST_TEST(s.state() == "");
  BOOST_TEST(!s.host.vnode("borg")->attributes.has(ids::comment));
}

BOOST_AUTO_TEST_CASE(a_host_that_is_down_says_why_it_still_is) {
  namespace reasons = model::down_reasons;
  host_story s;
  s.node(ManageVerb::CREATE);
  const auto silent = [&](std::string_view why) { return s.when(model::host_silent{std::string(why)}, the_server()); };
  const auto comment = [&] { return std::string(s.host.vnode("borg")->attributes.get(ids::comment).value_or("")); };
  BOOST_TEST(silent(reasons::never_came) == "");  // it was never up
  s.hello();
  BOOST_TEST(silent(reasons::has_unwanted_runs) == "");                                      // that takes no host down
  for (const auto stopped : {reasons::server_stopped, std::string_view("shutting down")}) {  // the second as earlier releases said it
    BOOST_TEST(silent(stopped) == "wentDown");
    BOOST_TEST(silent(reasons::never_came) == "wentDown");
    BOOST_TEST(comment() == "node down: no contact since the server's start");
    s.hello();
  }
  silent("link lost");
  const auto since = s.host.vnode("borg")->state_changed_s;
  s.now_s += 5;
  BOOST_TEST(silent(reasons::never_came) == "");  // what was known before says more
  BOOST_TEST(silent(reasons::has_unwanted_runs) == "wentDown");
  BOOST_TEST(silent(reasons::has_unwanted_runs) == "");
  BOOST_TEST(comment() == "node down: it has yet to end runs that nobody wants");
  BOOST_TEST(silent(reasons::has_unknown_runs) == "wentDown");
  BOOST_TEST(comment() == "node down: it runs jobs of which the log knows nothing");
  BOOST_TEST(silent("link lost") == "wentDown");
  BOOST_TEST(comment() == "node down: link lost");
  BOOST_TEST(s.host.vnode("borg")->state_changed_s == since);
  s.hello();
  BOOST_TEST(silent(reasons::has_unknown_runs) == "wentDown");
  BOOST_TEST(s.state() == "down");
  s.hello();
  BOOST_TEST(comment() == "");
}

BOOST_AUTO_TEST_CASE(a_report_of_more_vnodes_than_a_host_may_have_is_refused_whole) {
  auto s = known_host();
  s.settings.server.set(attributes::server::max_vnodes_per_host, "3");
  const auto comment = [&] { return std::string(s.host.vnode("borg")->attributes.get(ids::comment).value_or("")); };
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]", "borg[1]"}) == "vnodeCreated vnodeCreated cameUp");
  const std::vector<std::string> four{"borg", "borg[0]", "borg[1]", "borg[2]"};
  BOOST_TEST(s.hello("u1", four, "16") == "vnodesRefused");
  BOOST_TEST(s.host.vnodes.size() == 3u);
  BOOST_TEST(s.ncpus() == "8");
  BOOST_TEST(s.state() == "");
  BOOST_TEST(comment() ==
             "vnodes refused: host borg tells 4 vnodes and would have 4: max_vnodes_per_host allows 3; its vnodes stay as they were");
  BOOST_TEST(s.hello("u1", four) == "vnodesRefused");  // each time: the server's log says so
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]", "borg[1]"}) == "cameUp");
  BOOST_TEST(comment() == "");
  // One that is not told any more counts until it is deleted: a host could have new names for ever.
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]", "borg[2]"}) == "vnodesRefused");
  BOOST_TEST(s.node(ManageVerb::DELETE, {}, "borg[1]") == "vnodeDeleted");
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]", "borg[2]"}) == "vnodeCreated cameUp");
}

BOOST_AUTO_TEST_CASE(a_limit_of_vnodes_takes_none_away) {
  auto s = known_host();
  s.hello("u1", {"borg", "borg[0]", "borg[1]"});
  s.settings.server.set(attributes::server::max_vnodes_per_host, "1");
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]", "borg[1]"}, "16") == "cameUp");
  BOOST_TEST(s.ncpus("borg[1]") == "16");
  BOOST_TEST(s.node(ManageVerb::CREATE, {}, "borg[2]") == "15067 host borg has 3 vnodes: max_vnodes_per_host allows 1");
}

BOOST_AUTO_TEST_CASE(a_host_that_was_never_up_says_why_its_report_was_refused) {
  host_story s;
  s.node(ManageVerb::CREATE);
  std::vector<std::string> many{"borg"};
  for (int i = 0; i < 1000; ++i) many.push_back("borg[" + std::to_string(i) + "]");
  BOOST_TEST(s.hello("u1", many) == "vnodesRefused");
  BOOST_TEST(s.state() == "state-unknown,down");
  BOOST_TEST(s.host.vnodes_refused ==
             "host borg tells 1001 vnodes and would have 1001: max_vnodes_per_host allows 1000; its vnodes stay as they were");
  many.pop_back();  // the default
  s.hello("u1", many);
  BOOST_TEST(s.host.vnodes.size() == 1000u);
  BOOST_TEST(s.state() == "");
}

BOOST_AUTO_TEST_CASE(a_report_that_no_event_holds_is_refused_whole) {
  host_story s;
  s.node(ManageVerb::CREATE);
  s.settings.server.set(attributes::server::max_vnodes_per_host, "1000000");
  std::vector<std::string> many{"borg"};
  for (int i = 0; i < 40'000; ++i) many.push_back("borg[" + std::to_string(i) + "]");
  BOOST_TEST(s.hello("u1", many) == "vnodesRefused");
  BOOST_TEST(s.host.vnodes_refused.find("tells 40001 vnodes in ") != std::string::npos, s.host.vnodes_refused);
  BOOST_TEST(s.host.vnodes.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_deleted_vnode_leaves_the_others_where_they_are_found) {
  auto s = known_host();
  s.hello("u1", {"borg", "borg[0]", "borg[1]", "borg[2]"});
  for (const auto* gone : {"borg[0]", "borg[2]"}) BOOST_TEST(s.node(ManageVerb::DELETE, {}, gone) == "vnodeDeleted");
  BOOST_TEST(s.host.vnodes.size() == 2u);
  BOOST_TEST(s.host.vnodes.front().name == "borg");
  for (const auto& v : s.host.vnodes) BOOST_TEST(s.host.vnode(v.name) == &v);
  BOOST_TEST(!s.host.vnode("borg[0]"));
}

BOOST_AUTO_TEST_CASE(a_new_log_of_the_mom_is_told_even_when_it_was_up) {
  auto s = known_host();
  BOOST_TEST(s.hello("u2") == "cameUp");
  BOOST_TEST(s.host.log_uuid == "u2");
  BOOST_TEST(s.host.log_since == s.sequence);  // runs assigned before are lost, whoever hears of it when
  const auto since = s.host.log_since;
  s.when(model::host_silent{"gone"}, the_server());
  s.hello("u2");
  BOOST_TEST(s.host.log_since == since);
}

BOOST_AUTO_TEST_CASE(what_the_administrator_set_wins_over_what_the_mom_reports) {
  auto s = known_host();
  BOOST_TEST(s.ncpus() == "8");
  BOOST_TEST(s.node(ManageVerb::SET, {{"resources_available", "ncpus", "4"}}) == "vnodeChanged");
  BOOST_TEST(s.hello("u1", {"borg"}, "16") == "");
  BOOST_TEST(s.ncpus() == "4");
  BOOST_TEST(s.node(ManageVerb::UNSET, {{"resources_available", "ncpus", "", schema::AttributeOp::UNSET}}) == "vnodeChanged");
  BOOST_TEST(s.hello("u1", {"borg"}, "16") == "cameUp");
  BOOST_TEST(s.ncpus() == "16");
}

BOOST_AUTO_TEST_CASE(vnodes_that_are_no_longer_reported_are_stale) {
  auto s = known_host();
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}) == "vnodeCreated cameUp");
  BOOST_TEST(s.state("borg[0]") == "");
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}) == "");
  BOOST_TEST(s.hello("u1", {"borg"}) == "cameUp");  // of a MoM that is up
  BOOST_TEST(s.state("borg[0]") == "Stale");
  BOOST_TEST(s.hello("u1", {"borg"}) == "");
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}) == "cameUp");
  BOOST_TEST(s.state("borg[0]") == "");
  BOOST_TEST(s.hello("u2", {"borg"}) == "cameUp");
  BOOST_TEST(s.state("borg[0]") == "Stale");
  BOOST_TEST(!s.node(ManageVerb::SET, {{"state", "", "offline"}}, "borg[0]").starts_with("vnode"));
}

BOOST_AUTO_TEST_CASE(sharing_is_what_the_last_definition_says) {  // V9 of the transcript vnode_definitions: the default after a restart
  host_story s;
  s.node(ManageVerb::CREATE);
  const auto told = [&](const given_values& more) {
    return s.when(model::mom_hello{schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                    auto v = m.initHello().initVnodes(1)[0];
                    v.setName("borg");
                    fill(v.initAttributes(static_cast<unsigned>(more.size())), more);
                  })},
                  the_server());
  };
  const auto sharing = [&] { return std::string(s.host.vnode("borg")->attributes.get(ids::sharing).value_or("")); };
  BOOST_TEST(told({{"sharing", "", "force_excl"}, {"resources_available", "mem", "2gb"}}) == "cameUp");
  BOOST_TEST(sharing() == "force_excl");
  BOOST_TEST(told({{"sharing", "", "force_excl"}}) == "");
  BOOST_TEST(told({}) == "cameUp");
  BOOST_TEST(sharing() == "default_shared");
  BOOST_TEST(told({}) == "");
  BOOST_TEST(s.host.vnode("borg")->attributes.get(ids::resources_available, "mem").value_or("") ==
             "2gb");  // of the vnode until it is deleted
}

BOOST_AUTO_TEST_CASE(a_vnode_that_is_reported_twice_is_one) {
  auto s = known_host();
  BOOST_TEST(s.hello("u2", {"borg", "borg[0]", "borg[0]"}) == "vnodeCreated cameUp");
}

BOOST_AUTO_TEST_CASE(operators_set_a_vnode_offline_and_users_do_not) {
  auto s = known_host();
  BOOST_TEST(s.node(ManageVerb::SET, {{"state", "", "offline"}}, "borg", user()) == "15007 Unauthorized Request ");
  BOOST_TEST(s.node(ManageVerb::SET, {{"state", "", "offline", schema::AttributeOp::INCREMENT}}, "borg", operator_()) == "vnodeChanged");
  BOOST_TEST(s.state() == "offline");
  BOOST_TEST(s.node(ManageVerb::SET, {{"state", "", "offline"}}, "borg", operator_()) == "");
  s.when(model::host_silent{"x"}, the_server());
  BOOST_TEST(s.state() == "down,offline");
  BOOST_TEST(s.node(ManageVerb::SET, {{"state", "", "free"}}, "borg", operator_()) == "vnodeChanged");
  BOOST_TEST(s.state() == "down");
  BOOST_TEST(s.node(ManageVerb::SET, {{"state", "", "busy"}}).starts_with("15067 "));
}

BOOST_AUTO_TEST_CASE(its_mom_says_that_a_host_is_busy_and_that_it_no_longer_is) {
  auto s = known_host();
  s.hello("u1", {"borg", "borg[0]"});
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}, "8", "True") == "cameUp");
  BOOST_TEST(s.host.vnode("borg")->busy);
  BOOST_TEST(s.host.vnode("borg[0]")->busy);
  BOOST_TEST(s.state() == "");  // it serves, and an operator may run jobs there
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}, "8", "True") == "");
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}) == "cameUp");
  BOOST_TEST(!s.host.vnode("borg")->busy);
  s.hello("u1", {"borg", "borg[0]"}, "8", "True");
  s.when(model::host_silent{"gone"});
  BOOST_TEST(!s.host.vnode("borg")->busy);  // nobody knows
  s.hello("u1", {"borg", "borg[0]"}, "8", "True");
  BOOST_TEST(!s.host.vnode("borg")->suspends);
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}, "8", "suspend") == "cameUp");  // $max_load with suspend
  BOOST_TEST(s.host.vnode("borg")->busy);
  BOOST_TEST(s.host.vnode("borg")->suspends);
  BOOST_TEST(s.hello("u1", {"borg", "borg[0]"}, "8", "suspend") == "");
}

// As transcripts of a PBS show it.
BOOST_AUTO_TEST_CASE(what_a_vnode_is_stays) {
  auto s = known_host();
  for (const auto& [name, resource] :
       {std::pair("Mom", ""), {"Port", ""}, {"resources_available", "host"}, {"resources_available", "vnode"}})
    BOOST_TEST(s.node(ManageVerb::SET, {{name, resource, "7"}}).starts_with("15003 "), name << resource);
  BOOST_TEST(s.node(ManageVerb::SET, {{"Mom", "", "borg"}, {"comment", "", "as print says it"}}) == "vnodeChanged");
  const auto unset = [&](const char* name, const char* resource) {
    return s.node(ManageVerb::UNSET, {{name, resource, "", schema::AttributeOp::UNSET}});
  };
  BOOST_TEST(unset("state", "") == "15067 Illegal value for node state");
  BOOST_TEST(unset("ntype", "") == "15067 Illegal value for node ntype");
  BOOST_TEST(unset("resources_available", "") == "15067 Illegal value for node resources_available");
  BOOST_TEST(unset("resources_available", "host") == "15067 Illegal value for node resources_available.host");
  for (const auto& [name, resource] : {std::pair("Mom", ""), {"Port", ""}, {"resources_available", "vnode"}})
    BOOST_TEST(unset(name, resource) == "", name << resource);
  BOOST_TEST(s.node(ManageVerb::UNSET, {{"Mom", "", "", schema::AttributeOp::UNSET}}, "borg", user()).starts_with("15003 "));
}

BOOST_AUTO_TEST_CASE(a_host_is_created_and_deleted_by_managers) {
  BOOST_TEST(host_story().node(ManageVerb::CREATE, {}, "borg", operator_()) == "15007 Unauthorized Request ");
  auto s = known_host();
  BOOST_TEST(s.node(ManageVerb::CREATE).starts_with("15066 "));
  BOOST_TEST(s.node(ManageVerb::DELETE, {}, "borg", operator_()) == "15007 Unauthorized Request ");
  BOOST_TEST(s.node(ManageVerb::DELETE, {}, "nosuch").starts_with("15062 "));
  s.hello("u1", {"borg", "borg[0]"});
  BOOST_TEST(s.node(ManageVerb::DELETE) == "15027 Cannot delete busy object");  // V12, V17: while it has further vnodes
  BOOST_TEST(s.node(ManageVerb::DELETE, {}, "borg[0]") == "vnodeDeleted");
  BOOST_TEST(s.node(ManageVerb::DELETE) == "vnodeDeleted removed");
  BOOST_TEST(!s.host.exists);
}

BOOST_AUTO_TEST_CASE(a_vnode_that_a_manager_creates_at_a_host_is_stale_until_its_mom_speaks_of_it) {
  auto s = known_host();
  BOOST_TEST(s.node(ManageVerb::CREATE, {}, "gpu", operator_()) == "15007 Unauthorized Request ");
  BOOST_TEST(s.node(ManageVerb::CREATE, {{"Mom", "", "borg"}}, "gpu") == "vnodeCreated vnodeChanged");
  BOOST_TEST(s.node(ManageVerb::CREATE, {{"Mom", "", "borg"}}, "gpu").starts_with("15066 "));
  BOOST_TEST(s.state("gpu") == "Stale");
  BOOST_TEST(s.hello("u1", {"borg", "gpu"}) == "cameUp");
  BOOST_TEST(s.state("gpu") == "");
}

BOOST_AUTO_TEST_CASE(a_vnode_is_named_like_its_host_and_by_what_no_hosts_name_has) {
  const auto is_host = [](std::string_view name) { return name == "other"; };
  for (const char* name : {"borg.a.org", "borg.a.org[0]", "borg[0]", "borg#1", "borg_gpu", "borg@x"})
    BOOST_TEST(model::is_of_form(name, "borg.a.org", is_host), name);
  for (const char* name : {"borg", "borg2", "borg-a", "borg.a", "borg.a.org.b", "n1", "n1[0]", "", "[0]", "xborg[0]", "other[0]"})
    BOOST_TEST(!model::is_of_form(name, "borg.a.org", is_host), name);
  BOOST_TEST(!model::is_of_form("other[0]", "other.a.org", is_host));  // it is the other host's
}

BOOST_AUTO_TEST_CASE(a_host_is_created_by_its_name_and_not_by_an_address) {
  for (const char* address : {"127.0.0.1", "10.1.2.3", "127.1"})
    BOOST_TEST(host_story().node(ManageVerb::CREATE, {}, address) ==
               "15062 Unknown node " + std::string(address) +
                   ": an address is no host's name here: create the node by the name in its host's certificate (pbs_enroll)");
  for (const char* address : {"::1", "fe80::1:2", "::ffff:10.1.2.3", "[::1]", "gpu:0"})
    BOOST_TEST(host_story().node(ManageVerb::CREATE, {}, address) ==
               "15062 Unknown node " + std::string(address) + ": no node's name has a colon, as IPv6 addresses have");
  for (const char* address : {"10.1.2.3", "::1"})
    BOOST_TEST(
        host_story().node(ManageVerb::CREATE, {{"Mom", "", address}}, "gpu").starts_with("15062 Unknown node " + std::string(address)));
  BOOST_TEST(host_story().node(ManageVerb::CREATE, {}, "10.1.2.3", operator_()) == "15007 Unauthorized Request ");
  for (const char* name : {"n1", "10", "10-1-2-3", "10.a", "n1.10.org"})
    BOOST_TEST(host_story().node(ManageVerb::CREATE, {}, name) == "added vnodeCreated", name);
  auto s = known_host();
  BOOST_TEST(s.node(ManageVerb::CREATE, {{"Mom", "", "borg"}}, "10.1.2.3") == "vnodeCreated vnodeChanged");  // a vnode of a host
  BOOST_TEST(s.node(ManageVerb::CREATE, {{"Mom", "", "borg"}}, "fe80::1").starts_with("15062 "));
}

// As pbsnodes shows it (last_state_change_time), but for what jobs and reservations cause.
BOOST_AUTO_TEST_CASE(a_vnode_knows_when_its_state_last_changed) {
  auto s = known_host();
  const std::vector<std::string> both{"borg", "borg[0]"};
  const auto changed = [&] {
    return std::to_string(s.host.vnode("borg")->state_changed_s) + " " + std::to_string(s.host.vnode("borg[0]")->state_changed_s);
  };
  s.hello("u1", both);
  BOOST_TEST(changed() == "1000 1000");
  s.now_s = 2000;
  s.hello("u1", {"borg"});
  BOOST_TEST(s.state("borg[0]") == "Stale");
  BOOST_TEST(changed() == "1000 2000");
  s.now_s = 3000;
  s.hello("u1", both, "8", "True");
  BOOST_TEST(changed() == "3000 3000");
  s.now_s = 4000;
  BOOST_TEST(s.hello("u1", both, "16", "True") == "cameUp");
  BOOST_TEST(changed() == "3000 3000");
  s.now_s = 5000;
  s.when(model::host_silent{"link lost"}, the_server());
  BOOST_TEST(changed() == "5000 5000");
  s.now_s = 6000;
  s.hello("u1", {"borg"}, "16");
  BOOST_TEST(changed() == "6000 6000");  // the other is Stale
  s.now_s = 7000;
  s.node(ManageVerb::SET, {{"state", "", "offline"}});
  BOOST_TEST(changed() == "7000 6000");
  s.now_s = 8000;
  s.node(ManageVerb::SET, {{"comment", "", "a fan is broken"}});
  BOOST_TEST(changed() == "7000 6000");
}

BOOST_AUTO_TEST_CASE(a_host_is_created_with_settings) {
  host_story s;
  BOOST_TEST(s.node(ManageVerb::CREATE, {{"resources_available", "ncpus", "3"}}) == "added vnodeCreated vnodeChanged");
  BOOST_TEST(s.ncpus() == "3");
}

BOOST_AUTO_TEST_SUITE_END()
