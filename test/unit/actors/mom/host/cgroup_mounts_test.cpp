#include "actors/mom/host/cgroup_mounts.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "actors/mom/host/run_cgroups.hpp"
#include "host_fixture.hpp"
#include "test/support/skip.hpp"

using namespace annals;
using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(cgroup_mounts)

namespace {

constexpr char hybrid[] =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "31 23 0:28 / /sys/fs/cgroup ro,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:10 master:3 - cgroup cgroup rw,memory\n"
    "37 31 0:34 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer\n"
    "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

std::vector<std::string> roots_of(std::vector<cgroup_mount> mounts) {
  std::vector<std::string> texts;
  for (const auto& root : choose_roots(mounts)) texts.push_back(print_root(root));
  return texts;
}
using texts = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(the_hierarchies_of_a_mountinfo_are_found) {
  const auto mounts = parse_mountinfo(hybrid);
  BOOST_REQUIRE(mounts.size() == 5u);
  BOOST_TEST((mounts[0] == cgroup_mount{"/sys/fs/cgroup/cpu,cpuacct", false, true, {"cpu", "cpuacct"}}));
  BOOST_TEST((mounts[4] == cgroup_mount{"/sys/fs/cgroup/unified", true, true, {}}));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_understood_mounts_nothing) {
  for (const char* line : {"", "\n", " - ", " - cgroup cgroup rw", "1 2 3 4 5 - cgroup cgroup rw,cpu",
                           "1 2 3 / relative rw - cgroup cgroup rw,cpu", "1 2 3 / /x rw - cgroup", "1 2 3 / /x rw cgroup cgroup rw,cpu"})
    BOOST_TEST(parse_mountinfo(line).empty(), line);
}

BOOST_AUTO_TEST_CASE(blanks_in_a_path_are_read_and_bad_escapes_stay) {
  const auto mounts = parse_mountinfo("1 2 0:3 / /a\\040b\\134c\\9\\777\\04 rw - cgroup2 none rw\n");
  BOOST_REQUIRE(mounts.size() == 1u);
  BOOST_TEST(mounts[0].path == "/a b\\c\\9\\777\\04");
}

BOOST_AUTO_TEST_CASE(with_both_versions_the_new_one_freezes_and_kills_and_the_old_one_limits) {
  BOOST_TEST(roots_of(parse_mountinfo(hybrid)) ==
             (texts{"v2:/sys/fs/cgroup/unified", "cpu:/sys/fs/cgroup/cpu,cpuacct", "memory:/sys/fs/cgroup/memory"}));
}

BOOST_AUTO_TEST_CASE(the_new_version_alone_does_all_that_it_has_controllers_for) {
  BOOST_TEST(roots_of({{"/c", true, true, {"cpuset", "cpu", "io", "memory", "pids"}}}) == texts{"v2,memory,cpu:/c"});
  BOOST_TEST(roots_of({{"/c", true, true, {}}}) == texts{"v2:/c"});
}

BOOST_AUTO_TEST_CASE(the_old_version_alone_needs_a_hierarchy_for_each) {
  auto mounts = parse_mountinfo(hybrid);
  mounts.pop_back();
  BOOST_TEST(roots_of(mounts) ==
             (texts{"cpu,cpuacct:/sys/fs/cgroup/cpu,cpuacct", "memory:/sys/fs/cgroup/memory", "freezer:/sys/fs/cgroup/freezer"}));
}

BOOST_AUTO_TEST_CASE(what_is_mounted_read_only_or_twice_is_used_once_where_it_can_be_written) {
  BOOST_TEST(roots_of({{"/a", false, false, {"memory"}}, {"/b", false, true, {"memory"}}, {"/c", false, true, {"memory"}}}) ==
             texts{"memory:/b"});
  BOOST_TEST(parse_mountinfo("1 2 0:3 / /c ro,relatime - cgroup2 none rw\n").at(0).writable == false);
  BOOST_TEST(parse_mountinfo("1 2 0:3 / /c rw - cgroup2 none ro\n").at(0).writable == false);
}

BOOST_AUTO_TEST_CASE(a_root_is_read_as_it_was_printed) {
  for (const std::string text : {"v2,memory,cpu:/sys/fs/cgroup", "cpuacct:/a:/b", "freezer:/"}) {
    const auto root = parse_root(text);
    BOOST_REQUIRE(root.has_value());
    BOOST_TEST(print_root(*root) == text);
  }
  for (const std::string text : {"", "v2", "v2:relative", "v3:/x"}) BOOST_TEST(!parse_root(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(a_machine_without_cgroups_says_so) {
  const auto offer = find_cgroups("/nonexistent", "annals-test/x");
  BOOST_TEST(offer.roots.empty());
  BOOST_TEST(offer.text == (geteuid() == 0 ? "no cgroups" : "no cgroups: not root"));
}

BOOST_AUTO_TEST_CASE(a_hierarchy_that_takes_no_directory_is_not_offered) {
  if (geteuid() != 0) return test::skip("only root has cgroups");
  const auto file = std::filesystem::temp_directory_path() / ("annals-mountinfo-" + std::to_string(getpid()));
  test::write_whole(file, "1 2 0:3 / /proc/annals rw - cgroup cgroup rw,memory\n");
  const auto offer = find_cgroups(file, "annals-test/x");
  std::filesystem::remove(file);
  BOOST_TEST(offer.roots.empty());
  BOOST_TEST(offer.text.starts_with("no cgroups; not /proc/annals/annals-test/x/trial."), offer.text);
}

BOOST_AUTO_TEST_CASE(two_moms_of_one_machine_have_cgroups_of_their_own) {
  BOOST_TEST(cgroup_parent("n1", "/a") == cgroup_parent("n1", "/a"));
  BOOST_TEST(cgroup_parent("n1", "/a") != cgroup_parent("n1", "/b"));
  BOOST_TEST(cgroup_parent("n1", "/a") != cgroup_parent("n2", "/a"));
  BOOST_TEST(cgroup_parent("n1", "/a").starts_with("annals/n1-"));
}

BOOST_AUTO_TEST_SUITE_END()
