// What a MoM tells the server of its vnodes.
#include "actors/mom/vnode_report.hpp"

#include <boost/test/unit_test.hpp>

#include "events/schema/message.hpp"
#include "test/support/model_builders.hpp"

using namespace annals;

namespace {

// "n1{pcpus=8 resources_available.ncpus=0}", a vnode each
std::string reported(const std::string& lines, bool busy = false, bool suspends = false) {
  const auto measure = [](schema::MomHello::Builder h) {
    auto v = h.initVnodes(1)[0];
    v.setName("n1");
    test::fill(v.initAttributes(3), {{"pcpus", "", "8"}, {"resources_available", "arch", "linux"}, {"resources_available", "ncpus", "8"}});
  };
  const auto defined = mom::parse_vnode_definitions("$configversion 2\n" + lines).vnodes;
  const auto hello = schema::make<schema::MomHello>([&](schema::MomHello::Builder h) {
    actors::report_vnodes(measure, defined, h);
    if (busy) actors::report_busy(h, suspends);
  });
  std::string text;
  for (auto v : hello.get().getVnodes()) {
    text += (text.empty() ? "" : " ") + schema::str(v.getName()) + "{";
    for (auto a : v.getAttributes())
      text += (text.back() == '{' ? "" : " ") + schema::str(a.getName()) + (a.getResource().size() ? "." : "") +
              schema::str(a.getResource()) + "=" + schema::str(a.getValue());
    text += "}";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vnode_report)

BOOST_AUTO_TEST_CASE(the_natural_vnode_comes_first_and_definitions_win) {
  BOOST_TEST(reported("") == "n1{pcpus=8 resources_available.arch=linux resources_available.ncpus=8}");
  BOOST_TEST(reported("n1[0]: resources_available.ncpus = 2\nn1: resources_available.ncpus = 0\nn1: pcpus = 3\n") ==
             "n1{pcpus=8 resources_available.arch=linux resources_available.ncpus=0} "
             "n1[0]{resources_available.arch=linux resources_available.ncpus=2}");
  BOOST_TEST(reported("x: resources_available.arch = gpu\n") ==
             "n1{pcpus=8 resources_available.arch=linux resources_available.ncpus=8} x{resources_available.arch=gpu}");
}

BOOST_AUTO_TEST_CASE(each_vnode_of_a_busy_host_is_said_to_be_busy) {
  BOOST_TEST(reported("n1[0]: resources_available.ncpus = 2\n", true) ==
             "n1{pcpus=8 resources_available.arch=linux resources_available.ncpus=8 busy=True} "
             "n1[0]{resources_available.arch=linux resources_available.ncpus=2 busy=True}");
  BOOST_TEST(reported("", true, true) == "n1{pcpus=8 resources_available.arch=linux resources_available.ncpus=8 busy=suspend}");
}

BOOST_AUTO_TEST_SUITE_END()
