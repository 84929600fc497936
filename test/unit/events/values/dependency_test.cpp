// What -W depend may say. Source: pbs guide, qsub, "depend".
#include "events/values/dependency.hpp"

#include <boost/test/unit_test.hpp>

using namespace annals::values;

namespace {

std::string printed(std::string_view text) {
  const auto all = parse_dependencies(text);
  return all ? print(*all) : "nothing";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dependency_text)

BOOST_AUTO_TEST_CASE(jobs_of_one_type_stand_together) {
  BOOST_TEST(printed("afterok:1") == "afterok:1");
  BOOST_TEST(printed("afterok:1.borg@borg:2,afterany:3.borg,on:2,afterok:4") == "afterok:1.borg@borg:2:4,afterany:3.borg,on:2");
  BOOST_TEST(printed("before:1,beforeok:2,beforenotok:3,beforeany:4,after:5,afternotok:6,runone:7") ==
             "before:1,beforeok:2,beforenotok:3,beforeany:4,after:5,afternotok:6,runone:7");
  BOOST_TEST(printed("afterok:12[].borg") == "afterok:12[].borg");
}

BOOST_AUTO_TEST_CASE(what_is_no_dependency) {
  for (const auto* text : {"", "afterok", "afterok:", "afterok:1:", "afterok::1", "foo:1", "on:0", "on:-1", "on:x", "on:", "after:abc",
                           "afterok:1,", "afterok:1[2]", "afterok:1[2-3]", "AFTEROK:1", "on:4294967296"})
    BOOST_TEST(printed(text) == "nothing", text);
}

BOOST_AUTO_TEST_CASE(every_type_has_its_mirror) {
  BOOST_TEST(name_of(mirror_of(dependency_type::afternotok)) == "beforenotok");
  BOOST_TEST(name_of(mirror_of(dependency_type::before)) == "after");
  for (int t = 0; t < 8; ++t) {
    const auto type = static_cast<dependency_type>(t);
    BOOST_TEST((mirror_of(mirror_of(type)) == type));
    BOOST_TEST(is_after(type) != is_before(type));
  }
}

BOOST_AUTO_TEST_SUITE_END()
