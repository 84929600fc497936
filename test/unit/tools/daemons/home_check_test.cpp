// A daemon works only with files that its user and root alone may change.
#include "tools/daemons/home_check.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/temporary_directory.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

struct home {
  test::temporary_directory dir;

  std::string mode(const std::string& name, mode_t mode) const {
    const auto path = dir.path + '/' + name;
    BOOST_REQUIRE(chmod(path.c_str(), mode) == 0);
    return path;
  }
  std::string directory(const std::string& name, mode_t bits) const {
    fs::create_directories(dir.path + '/' + name);
    return mode(name, bits);
  }
  std::string file(const std::string& name, mode_t bits) const {
    std::ofstream(dir.path + '/' + name) << "x\n";
    return mode(name, bits);
  }
};

std::string failed(const std::string& path, const std::string& why) { return "PBS failed validation checks for " + path + ": " + why; }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(what_a_daemon_works_with, home)

BOOST_AUTO_TEST_CASE(is_not_written_by_others) {
  const auto priv = directory("mom_priv", 0751), config = file("mom_priv/config", 0644), none = priv + "/none";
  BOOST_TEST(daemons::why_open_to_others({priv, config, none}) == "");
  mode("mom_priv", 0777);
  BOOST_TEST(daemons::why_open_to_others({priv, config}) == failed(priv, "its mode is 777"));
  mode("mom_priv", 0751);
  mode("mom_priv/config", 0646);
  BOOST_TEST(daemons::why_open_to_others({priv, config}) == failed(config, "its mode is 646"));
  // A link is what it leads to.
  const auto link = priv + "/link";
  fs::create_symlink(config, link);
  BOOST_TEST(daemons::why_open_to_others({link}) == failed(link, "its mode is 646"));
  BOOST_TEST(daemons::why_open_to_others({directory("sticky", 01777)}) == "");
}

// As an ordinary user one can't give a file away; that of root is then the other one, which is good.
BOOST_AUTO_TEST_CASE(belongs_to_root_or_to_its_user) {
  const auto config = file("config", 0644);
  BOOST_TEST(daemons::why_open_to_others({config, "/"}) == "");
  if (geteuid() != 0) return;
  BOOST_REQUIRE(chown(config.c_str(), 4711, 0) == 0);
  BOOST_TEST(daemons::why_open_to_others({config}) == failed(config, "it belongs to user 4711"));
}

BOOST_AUTO_TEST_CASE(may_be_written_by_a_group_that_has_nobody_else_in_it) {
  const auto priv = directory("server_priv", 0770);
  if (geteuid() != 0) {
    BOOST_TEST(daemons::why_open_to_others({priv}) == "");
    return;
  }
  BOOST_REQUIRE(chown(priv.c_str(), 0, 0) == 0);
  BOOST_TEST(daemons::why_open_to_others({priv}) == "");
  BOOST_REQUIRE(chown(priv.c_str(), 0, 4711) == 0);
  BOOST_TEST(daemons::why_open_to_others({priv}) == failed(priv, "its mode is 770"));
}

BOOST_AUTO_TEST_SUITE_END()
