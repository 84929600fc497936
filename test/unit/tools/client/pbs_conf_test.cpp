// pbs.conf and annals.conf: defaults, what a file says, what the environment says, and what can't be understood.
#include "tools/client/pbs_conf.hpp"

#include <stdlib.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "test/support/temporary_directory.hpp"

using namespace annals::client;

namespace {

struct directory : annals::test::temporary_directory {
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name) << text;
    return path + "/" + name;
  }
};

struct variable {
  const char* name;
  variable(const char* n, const std::string& value) : name(n) { setenv(n, value.c_str(), 1); }
  ~variable() { unsetenv(name); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pbs_conf_reader)

BOOST_AUTO_TEST_CASE(a_missing_file_means_the_defaults) {
  const auto conf = read_pbs_conf_file("/nonexistent/pbs.conf");
  BOOST_TEST(!conf.found);
  BOOST_TEST(conf.pbs_exec == "/opt/pbs");
  BOOST_TEST(conf.pbs_home == "/var/spool/pbs");
  BOOST_TEST(conf.mom_home() == "/var/spool/pbs");
  BOOST_TEST(conf.batch_service_port == 15001);
  BOOST_TEST(conf.mom_service_port == 15002);
  BOOST_TEST(conf.manager_service_port == 15003);
  BOOST_TEST(conf.server_host() == "");
  BOOST_TEST(conf.problems.empty());
}

BOOST_AUTO_TEST_CASE(keys_without_effect_are_named) {
  const directory d;
  const auto conf = read_pbs_conf_file(d.file("pbs.conf",
                                              "PBS_RCP=/usr/bin/rcp\n"
                                              "PBS_LOCALLOG=0\n"
                                              "PBS_SCHEDULER_SERVICE_PORT=15004\n"
                                              "PBS_DAEMON_SERVICE_USER=root\n"
                                              "PBS_SECONDARY=\n"));
  const std::vector<std::string> said{conf.file + ":1: PBS_RCP has no effect: nothing is copied by rcp",
                                      conf.file + ":2: PBS_LOCALLOG has no effect: daemons always write log files of their own"};
  BOOST_TEST(conf.problems == said, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_file_names_places_ports_and_flags) {
  const directory d;
  const auto conf = read_pbs_conf_file(d.file("pbs.conf",
                                              "# a comment\n\n"
                                              "PBS_EXEC=/x/pbs\n"
                                              "  PBS_HOME = /x/home \r\n"
                                              "PBS_SERVER=q1:17001\n"
                                              "PBS_START_MOM=1\n"
                                              "PBS_MOM_SERVICE_PORT=20002\n"
                                              "PBS_SCP=\"/usr/bin/scp\"\n"
                                              "PBS_MOM_HOME=/x/mom\n"
                                              "PBS_LOG_HIGHRES_TIMESTAMP=1\n"
                                              "PBS_DATA_SERVICE_USER=somebody"));
  BOOST_TEST(conf.found);
  BOOST_TEST(conf.pbs_exec == "/x/pbs");
  BOOST_TEST(conf.pbs_home == "/x/home");
  BOOST_TEST(conf.pbs_server == "q1:17001");
  BOOST_TEST(conf.server_host() == "q1");
  BOOST_TEST(conf.start_mom);
  BOOST_TEST(!conf.start_server);
  BOOST_TEST(conf.mom_service_port == 20002);
  BOOST_TEST(conf.pbs_scp == "/usr/bin/scp");
  BOOST_TEST(conf.mom_home() == "/x/mom");
  BOOST_TEST(conf.log_highres_timestamp);
  BOOST_TEST(conf.problems.empty());
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_listed_with_its_line_and_keeps_the_default) {
  const directory d;
  const auto file = d.file("pbs.conf", "nonsense\nPBS_START_MOM=yes\nPBS_MOM_SERVICE_PORT=70000\nPBS_EXEC=\n");
  const auto conf = read_pbs_conf_file(file);
  BOOST_REQUIRE(conf.problems.size() == 3u);
  BOOST_TEST(conf.problems[0] == file + ":1: not NAME=value");
  BOOST_TEST(conf.problems[1] == file + ":2: PBS_START_MOM: not 0 or 1: yes");
  BOOST_TEST(conf.problems[2] == file + ":3: PBS_MOM_SERVICE_PORT: no port number: 70000");
  BOOST_TEST(conf.mom_service_port == 15002);
  BOOST_TEST(conf.pbs_exec == "/opt/pbs");
}

BOOST_AUTO_TEST_CASE(the_environment_wins_over_the_file) {
  const directory d;
  const variable where("PBS_CONF_FILE", d.file("pbs.conf", "PBS_SERVER=q1\nPBS_HOME=/x/home\n"));
  const variable server("PBS_SERVER", "q2");
  const auto conf = read_pbs_conf();
  BOOST_TEST(conf.pbs_server == "q2");
  BOOST_TEST(conf.pbs_home == "/x/home");
}

BOOST_AUTO_TEST_CASE(who_is_read_from_is_the_server_or_a_follower) {
  const directory d;
  BOOST_TEST(read_pbs_conf_file(d.file("a", "PBS_READ_FROM=follower\n")).pbs_read_from == "follower");
  BOOST_TEST(read_pbs_conf_file(d.file("b", "PBS_START_FOLLOW=1\n")).start_follow);
  const auto wrong = read_pbs_conf_file(d.file("c", "PBS_READ_FROM=q2\n"));
  BOOST_TEST(wrong.pbs_read_from == "");
  BOOST_REQUIRE(wrong.problems.size() == 1u);
  BOOST_TEST(wrong.problems[0].ends_with("c:1: PBS_READ_FROM: not server or follower: q2"));
}

BOOST_AUTO_TEST_CASE(the_servers_other_host_name_is_where_clients_connect) {
  const directory d;
  const auto conf = read_pbs_conf_file(d.file("pbs.conf", "PBS_SERVER=q1\nPBS_SERVER_HOST_NAME=q1-ib\n"));
  BOOST_TEST(conf.server_host() == "q1-ib");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(annals_conf_reader)

BOOST_AUTO_TEST_CASE(without_a_file_the_socket_is_in_the_home_directory) {
  const auto conf = read_annals_conf("/x/home");
  BOOST_TEST(!conf.found);
  BOOST_TEST(conf.server_socket == "/x/home/run/server.sock");
  BOOST_TEST(conf.listen_address == "0.0.0.0");
}

BOOST_AUTO_TEST_CASE(keys_without_a_field_are_kept_for_the_part_that_knows_them) {
  const directory d;
  d.file("annals.conf", "server_socket = /x/s\nlisten_port = 17001\n# comment\nenrol = token\n");
  const auto conf = read_annals_conf(d.path);
  BOOST_TEST(conf.found);
  BOOST_TEST(conf.server_socket == "/x/s");
  BOOST_TEST(conf.listen_port == 17001);
  BOOST_TEST(conf.get("enrol") == "token");
  BOOST_TEST(conf.get("other", "none") == "none");
}

BOOST_AUTO_TEST_SUITE_END()
