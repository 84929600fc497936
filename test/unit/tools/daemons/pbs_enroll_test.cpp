// pbs_enroll: what it prints lets a daemon in under the name that was asked for, and only that.
#include <sys/stat.h>

#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"
#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;

namespace {

struct server_host {
  directory dir;
  server_host() { std::filesystem::create_directories(dir.at("server_priv")); }
  test::ran enroll(std::vector<std::string> words) {
    words.insert(words.begin(), annals::test::stage_dir() + "/sbin/pbs_enroll");
    return test::run(words, {{}, {{"PBS_CONF_FILE", dir.at("none")}, {"PBS_HOME", dir.path}}, {}, {}});
  }
  credentials saved(const std::string& name, const test::ran& from) {
    BOOST_REQUIRE(from.status == 0);
    create_private_file(dir.at(name), from.out);
    return credentials::bundle(dir.at(name));
  }
  // As whom the server of this host sees a daemon with these credentials.
  identity seen(const credentials& c) {
    create_private_file(dir.at("server.pem"),
                        authority::open(dir.at("server_priv/ca")).issue(identity::kind::server, "q1").bundle());
    record server, daemon;
    io_pool pool;
    const auto door = pool.listen_tls("127.0.0.1", 0, credentials::bundle(dir.at("server.pem")), server.keeping());
    const auto dialer = pool.dial_tls("127.0.0.1", door->port(), c, identity::kind::server, daemon.keeping());
    BOOST_REQUIRE(server.until_opened());
    return server.first()->peer();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(pbs_enroll)

BOOST_AUTO_TEST_CASE(a_host_is_let_in_with_what_was_printed_for_it) {
  server_host q1;
  const auto who = q1.seen(q1.saved("n1.pem", q1.enroll({"n1"})));
  BOOST_TEST((who.what == identity::kind::mom));
  BOOST_TEST(who.name == "n1");
}

BOOST_AUTO_TEST_CASE(a_scheduler_is_let_in_with_what_was_printed_for_it) {
  server_host q1;
  const auto who = q1.seen(q1.saved("s.pem", q1.enroll({"n1", "--scheduler", "default"})));
  BOOST_TEST((who.what == identity::kind::scheduler));
  BOOST_TEST(who.name == "default");
}

BOOST_AUTO_TEST_CASE(a_follower_is_let_in_with_what_was_printed_for_it) {
  server_host q1;
  const auto who = q1.seen(q1.saved("f.pem", q1.enroll({"--follower", "portal"})));
  BOOST_TEST((who.what == identity::kind::follower));
  BOOST_TEST(who.name == "portal");
}

BOOST_AUTO_TEST_CASE(a_wrong_call_prints_the_usage_and_exits_with_2) {
  server_host q1;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"n1", "n2"}, {"-Z"}, {"n1", "--scheduler"}, {"--follower"}, {"--follower", "--login", "n1"}}) {
    const auto r = q1.enroll(words);
    BOOST_TEST(r.status == 2);
    BOOST_TEST(r.err.starts_with("usage: pbs_enroll [-o file] host"));
    BOOST_TEST(r.out.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_can_not_stand_in_a_certificate_is_refused) {
  server_host q1;
  const auto r = q1.enroll({"n1,URI:annals:server/q1"});
  BOOST_TEST(r.status == 1);
  BOOST_TEST(contains(r.err, "is no name for a certificate"));
  BOOST_TEST(r.out.empty());
}

BOOST_AUTO_TEST_CASE(an_address_is_no_name_of_a_node) {
  server_host q1;
  for (const char* address : {"10.1.2.3", "::1"})
    BOOST_TEST(q1.enroll({address}).err.starts_with(
        "pbs_enroll: " + std::string(address) + " is an address, and no node can be created by that name: enrol the host by its name\n"));
  BOOST_TEST(q1.enroll({"n1"}).err == "");
  BOOST_TEST(q1.enroll({"--login", "10.1.2.3"}).err == "");
}

BOOST_AUTO_TEST_CASE(a_ca_that_others_may_read_is_not_used) {
  server_host q1;
  BOOST_REQUIRE(q1.enroll({"n1"}).status == 0);
  ::chmod(q1.dir.at("server_priv/ca").c_str(), 0755);
  const auto r = q1.enroll({"n1"});
  BOOST_TEST(r.status == 1);
  BOOST_TEST(contains(r.err, "server_priv/ca"));
  BOOST_TEST(r.out.empty());
}

BOOST_AUTO_TEST_SUITE_END()
