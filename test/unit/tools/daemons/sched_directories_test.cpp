// Directories of a scheduler that nobody else may put other ones in place of.
#include "tools/daemons/sched_directories.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "test/support/temporary_directory.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

struct home {
  test::temporary_directory dir;
  std::string own = fs::canonical(dir.path).string();  // TMPDIR may be a link

  std::string make(const std::string& name, mode_t mode) const {
    const auto path = own + '/' + name;
    fs::create_directories(path);
    BOOST_REQUIRE(chmod(path.c_str(), mode) == 0);
    return path;
  }
  void config(const std::string& priv, mode_t mode = 0644) const {
    std::ofstream(priv + "/sched_config") << "round_robin: False ALL\n";
    BOOST_REQUIRE(chmod((priv + "/sched_config").c_str(), mode) == 0);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(directories_of_a_scheduler, home)

BOOST_AUTO_TEST_CASE(the_way_to_one_that_an_object_names_is_looked_at) {
  const auto above = make("above", 0755), priv = make("above/priv", 0750), logs = make("above/logs", 0755);
  config(priv);
  BOOST_TEST(daemons::trouble_with_priv(priv, "/var/spool/pbs") == "");
  BOOST_TEST(daemons::trouble_with_logs(logs, "/var/spool/pbs") == "");
  make("above", 0757);
  BOOST_TEST(daemons::trouble_with_priv(priv, "/var/spool/pbs") == above + " may be written by others");
  BOOST_TEST(daemons::trouble_with_logs(logs, "/var/spool/pbs") == above + " may be written by others");
  // Those of its home are where the home is.
  BOOST_TEST(daemons::trouble_with_priv(priv, above) == "");
  BOOST_TEST(daemons::trouble_with_logs(logs, above + "/") == "");
  fs::create_directory_symlink(priv, own + "/above/link");
  BOOST_TEST(daemons::trouble_with_priv(own + "/above/link", above) == above + " may be written by others");
}

BOOST_AUTO_TEST_CASE(programs_are_run_of_a_config_that_nobody_else_writes) {
  const auto priv = make("priv", 0750);
  BOOST_TEST(daemons::trouble_with_config(priv) == "");  // the shipped one is read
  config(priv);
  BOOST_TEST(daemons::trouble_with_config(priv) == "");
  config(priv, 0664);
  BOOST_TEST(daemons::trouble_with_config(priv) == priv + "/sched_config may be written by others");
  make("elsewhere", 0755);
  fs::rename(priv + "/sched_config", own + "/elsewhere/config");
  fs::create_symlink(own + "/elsewhere/config", priv + "/sched_config");
  BOOST_TEST(daemons::trouble_with_config(priv) == own + "/elsewhere/config may be written by others");
  BOOST_REQUIRE(chmod((own + "/elsewhere/config").c_str(), 0644) == 0);
  BOOST_TEST(daemons::trouble_with_config(priv) == "");
}

BOOST_AUTO_TEST_SUITE_END()
