// What a MoM may say of its vnodes, from its vnode definition files (transcript vnode_definitions, V14).
#include "events/model/host/reported_value.hpp"

#include <boost/test/unit_test.hpp>

#include "test/support/model_builders.hpp"

using namespace annals;
using namespace annals::test;

namespace {

attributes::resource_catalogue with_custom() {
  attributes::resource_catalogue all;
  BOOST_TEST(!all.create("lic", "long", "nh"));
  return all;
}

// The canonical text, or the number of the error.
std::string of(const std::string& name, const std::string& resource, const std::string& value) {
  const auto text = model::reported_value(name, resource, value, with_custom());
  return text ? *text : std::to_string(text.error().code);
}

schema::sealed<schema::FromMom> hello(const given_values& natural, const given_values& other, bool by_hook) {
  return schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
    auto h = m.initHello();
    h.setHost("vm");
    h.setVersion("1");
    auto list = h.initVnodes(2);
    list[0].setName("vm");
    fill(list[0].initAttributes(static_cast<unsigned>(natural.size())), natural);
    list[1].setName("vm[0]");
    fill(list[1].initAttributes(static_cast<unsigned>(other.size())), other);
    if (by_hook) h.initMadeByHooks(1).set(0, "vm[0]");
  });
}

std::string shown(const model::checked_hello& c) {
  std::string text;
  for (auto v : c.message.get().getHello().getVnodes()) {
    text += schema::str(v.getName()) + "{";
    for (auto a : v.getAttributes())
      text += schema::str(a.getName()) + "." + schema::str(a.getResource()) + "=" + schema::str(a.getValue()) + ";";
    text += "}";
  }
  for (const auto& p : c.problems) text += " " + p.vnode + " " + p.attribute + "." + p.resource + " " + std::to_string(p.why.code);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reported_values)

BOOST_AUTO_TEST_CASE(values_are_canonical_or_refused) {
  BOOST_TEST(of("resources_available", "ncpus", "2") == "2");
  BOOST_TEST(of("resources_available", "mem", "0") == "0b");
  BOOST_TEST(of("resources_available", "mem", "2GB") == "2gb");
  BOOST_TEST(of("resources_available", "lic", "3") == "3");
  BOOST_TEST(of("Priority", "", "7") == "7");
  BOOST_TEST(of("no_multinode_jobs", "", "true") == "True");
  BOOST_TEST(of("nosuchattr", "", "1") == "15002");
  BOOST_TEST(of("resources_available", "nosuchres", "1") == "15035");
  BOOST_TEST(of("resources_available", "ncpus", "abc") == "15014");
  for (const char* known : {"default_shared", "default_excl", "default_exclhost", "ignore_excl", "force_excl", "force_exclhost"})
    BOOST_TEST(of("sharing", "", known) == known);
  BOOST_TEST(of("sharing", "", "maybe") == "15067");
  BOOST_TEST(of("sharing", "", "force_shared") == "15067");
  for (const char* fixed : {"pcpus", "state", "Mom", "Port", "jobs", "license", "in_multivnode_host", "partition"})
    BOOST_TEST(of(fixed, "", "1") == "15003");
}

// A vnode with jobs stays in its partition, and a MoM that comes can't be refused: only qmgr and hooks that run then say it (MS-78).
BOOST_AUTO_TEST_CASE(a_hello_gives_no_vnode_a_partition) {
  const given_values with{{"Priority", "", "3"}, {"partition", "", "P1"}};
  BOOST_TEST(shown(model::with_checked_values(hello({}, with, true), with_custom())) == "vm{}vm[0]{Priority.=3;}");
  BOOST_TEST(shown(model::with_checked_values(hello({}, with, false), with_custom())) == "vm{}vm[0]{Priority.=3;} vm[0] partition. 15003");
}

BOOST_AUTO_TEST_CASE(what_is_no_value_is_left_out) {
  const given_values natural = {{"pcpus", "", "8"}, {"resources_available", "ncpus", "8"}};
  const auto good = hello(natural, {{"resources_available", "mem", "1gb"}}, false);
  auto checked = model::with_checked_values(good, with_custom());
  BOOST_TEST(checked.problems.empty());
  BOOST_TEST((checked.message.bytes().data() == good.bytes().data()));  // as it is
  const given_values bad = {{"resources_available", "mem", "0"}, {"resources_available", "nosuchres", "1"}, {"Sharing", "", "force_excl"}};
  checked = model::with_checked_values(hello(natural, bad, false), with_custom());
  BOOST_TEST(shown(checked) ==
             "vm{pcpus.=8;resources_available.ncpus=8;}vm[0]{resources_available.mem=0b;sharing.=force_excl;} vm[0] "
             "resources_available.nosuchres 15035");
  BOOST_TEST(schema::str(checked.message.get().getHello().getVersion()) == "1");
  // That it is busy a host says beside its attributes.
  BOOST_TEST(shown(model::with_checked_values(hello({{"busy", "", "True"}}, {{"busy", "", "much"}}, false), with_custom())) ==
             "vm{busy.=True;}vm[0]{} vm[0] busy. 15002");
  checked = model::with_checked_values(hello(natural, bad, true), with_custom());  // a hook's resources come later
  BOOST_TEST(checked.problems.empty());
}

BOOST_AUTO_TEST_CASE(sockets_are_the_hosts_and_no_attribute) {
  const given_values counted = {{"sockets", "", "2"}, {"Priority", "", "3"}};
  auto checked = model::with_checked_values(hello(counted, {}, false), with_custom());
  BOOST_TEST(shown(checked) == "vm{Priority.=3;}vm[0]{}");
  BOOST_TEST((checked.sockets == 2u));
  checked = model::with_checked_values(hello({{"sockets", "", "many"}}, counted, false), with_custom());
  BOOST_TEST(shown(checked) == "vm{}vm[0]{Priority.=3;} vm sockets. 15002 vm[0] sockets. 15002");
  BOOST_TEST(!checked.sockets);
}

BOOST_AUTO_TEST_SUITE_END()
