// pbs_relnodesjob of the shared library, against a server of the test.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "events/model/limits.hpp"
#include "test/support/fake_gateway.hpp"
#include "test/support/paths.hpp"
#include "tools/client/client_limits.hpp"
#include "tools/libpbs/include/pbs_error.h"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;
using annals::test::fake_gateway;

namespace {

struct connected {
  fake_gateway server{[](schema::Request::Reader r, schema::Reply::Builder out) {
    if (r.isReleaseNodes() && r.getReleaseNodes().getJob() == "99.q1") {
      out.initRejected().setCode(PBSE_UNKJOBID);
      out.getRejected().setText("Unknown Job Id");
    } else {
      out.setDone("");
    }
    return true;
  }};
  int c = connect();

  int connect() {
    ::setenv("PBS_CONF_FILE", server.conf_file().c_str(), 1);
    return pbs_connect(nullptr);
  }
  ~connected() { pbs_disconnect(c); }

  int release(const char* job, const char* nodes, const char* extend = nullptr) {
    const int answered = pbs_relnodesjob(c, job, nodes, extend);
    BOOST_TEST(answered == pbs_errno);
    return answered;
  }
  std::string refused(const char* job, const std::string& nodes, const std::string& extend = {}) {
    const int code = release(job, nodes.c_str(), extend.c_str());
    const char* text = pbs_geterrmsg(c);
    return std::to_string(code) + " " + (text ? text : "");
  }
  schema::ReleaseNodes::Reader last() {
    seen = server.requests();
    BOOST_REQUIRE((!seen.empty() && (*seen.back()).isReleaseNodes()));
    return (*seen.back()).getReleaseNodes();
  }
  std::string names() {
    std::string text;
    const auto r = last();
    BOOST_REQUIRE(r.isNamed());
    for (const auto name : r.getNamed()) text += "<" + schema::str(name) + ">";
    return text;
  }
  std::vector<fake_gateway::request> seen;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(relnodesjob)

// RD-36 to RD-39, 41
BOOST_FIXTURE_TEST_CASE(nodes_are_named_with_plus_between_them, connected) {
  BOOST_REQUIRE(c > 0);
  BOOST_TEST(release("12.q1", "federer[1]+lendl") == 0);
  BOOST_TEST(schema::str(last().getJob()) == "12.q1");
  BOOST_TEST(names() == "<federer[1]><lendl>");
  BOOST_TEST(release("12", "lendl") == 0);
  BOOST_TEST(schema::str(last().getJob()) == "12.q1");
  BOOST_TEST(names() == "<lendl>");
  BOOST_TEST(release("12", "a++b+") == 0);  // an empty name is one: the server refuses it
  BOOST_TEST(names() == "<a><><b><>");
}

// RD-39, 40
BOOST_FIXTURE_TEST_CASE(without_nodes_all_go_but_what_extend_keeps, connected) {
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    BOOST_TEST(release("12", none) == 0);
    BOOST_TEST(last().isAll());
    BOOST_TEST(release("12", none, "") == 0);
    BOOST_TEST(last().isAll());
    BOOST_TEST(release("12", none, "2") == 0);
    BOOST_TEST(last().getKeepHosts() == 2u);
    BOOST_TEST(release("12", none, "select=2:ncpus=1") == 0);
    BOOST_TEST(schema::str(last().getKeepSelect()) == "2:ncpus=1");
  }
}

// RD-06
BOOST_FIXTURE_TEST_CASE(a_program_of_the_job_says_that_it_is, connected) {
  ::setenv("PBS_JOBID", "12.q1", 1);
  ::setenv("PBS_JOBCOOKIE", "c", 1);
  BOOST_TEST(release("12", "lendl") == 0);
  BOOST_TEST(last().getInJob());
  BOOST_TEST(release("13", "lendl") == 0);
  BOOST_TEST(!last().getInJob());
  ::unsetenv("PBS_JOBID");
  ::unsetenv("PBS_JOBCOOKIE");
}

// RD-40, 41
BOOST_FIXTURE_TEST_CASE(what_can_not_be_asked_never_reaches_the_server, connected) {
  BOOST_TEST(refused("12", "", "bogus") == "15004 only a \"select=\" string is valid in -k option");
  BOOST_TEST(refused("12", "lendl", "1") == "15004 names of nodes and what is kept do not go together");
  BOOST_TEST(refused("20[]", "lendl") == "15029 not supported for Array Jobs or multiple sub-jobs");
  BOOST_TEST(refused("20[0-1].q1", "lendl") == "15029 not supported for Array Jobs or multiple sub-jobs");
  BOOST_TEST(refused("no id", "lendl").starts_with("15001 "));
  BOOST_TEST(release(nullptr, "lendl") == PBSE_UNKJOBID);
  BOOST_TEST(server.requests().empty());
  BOOST_TEST(pbs_relnodesjob(c + 1, "12", "lendl", nullptr) == PBSE_DISPROTO);
  BOOST_TEST(release("12", "lendl") == 0);  // the connection is as good as before
}

// RD-41
BOOST_FIXTURE_TEST_CASE(a_refusal_of_the_server_is_its_answer, connected) {
  BOOST_TEST(refused("99", "lendl") == "15001 Unknown Job Id");
}

// RD-43
BOOST_AUTO_TEST_CASE(command_and_function_have_their_pages) {
  for (const char* page : {"man1/pbs_release_nodes.1", "man3/pbs_relnodesjob.3"})
    BOOST_TEST(std::filesystem::exists(annals::test::stage_dir() + "/share/man/" + page), page);
}

BOOST_FIXTURE_TEST_CASE(texts_are_taken_up_to_their_limits, connected) {
  const std::string select = "select=" + std::string(limits::keep_select_bytes_max, 'x');
  BOOST_TEST(release("12", nullptr, select.c_str()) == 0);
  BOOST_TEST(last().getKeepSelect().size() == limits::keep_select_bytes_max);
  BOOST_TEST(refused("12", "", select + "x") == "15014 a select of 262145 bytes is above the limit of 262144");
  std::string names(limits::vnode_name_chars_max, 'x');
  for (std::size_t i = 1; i < limits::released_names_max; ++i) names += "+" + std::string(limits::vnode_name_chars_max, 'y');
  BOOST_TEST(release("12", names.c_str()) == 0);
  BOOST_TEST(last().getNamed().size() == limits::released_names_max);
  BOOST_TEST(refused("12", names + "+z") == "15014 10001 names are above the limit of 10000");
  BOOST_TEST(refused("12", std::string(limits::vnode_name_chars_max + 1, 'x')) ==
             "15014 a name of 256 characters is above the limit of 255");
}

BOOST_AUTO_TEST_SUITE_END()
