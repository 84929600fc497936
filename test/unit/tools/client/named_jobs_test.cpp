// Who is named again on a command line is not asked for again: jobs, arrays, subjobs and ranges of them.
#include "tools/client/named_jobs.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <string>

using namespace annals;

namespace {

// Returns the jobs that the server is asked about.
std::string asked(std::initializer_list<const char*> ids, const char* server = "") {
  client::named_jobs named;
  std::string out;
  for (const auto* id : ids)
    if (named.add(server, id)) out += (out.empty() ? "" : " ") + std::string(id);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_is_asked_for_once) {
  BOOST_TEST(asked({"12.q1", "13.q1", "13.q1", "12.q1"}) == "12.q1 13.q1");
  BOOST_TEST(asked({"12.q1", "12[].q1"}) == "12.q1 12[].q1");  // one of them is unknown
}

BOOST_AUTO_TEST_CASE(subjobs_are_asked_for_once) {
  BOOST_TEST(asked({"12[3].q1", "12[3].q1"}) == "12[3].q1");
  BOOST_TEST(asked({"12[1-5].q1", "12[3].q1", "12[2-4].q1", "12[1-5:2].q1", "12[1-5].q1"}) == "12[1-5].q1");
  BOOST_TEST(asked({"12[1-4].q1", "12[2-5].q1"}) == "12[1-4].q1 12[2-5].q1");
  BOOST_TEST(asked({"12[1-3].q1", "12[4-6].q1", "12[2-5].q1"}) == "12[1-3].q1 12[4-6].q1");
  BOOST_TEST(asked({"12[1-9:2].q1", "12[3-5:2].q1", "12[4].q1"}) == "12[1-9:2].q1 12[4].q1");
  BOOST_TEST(asked({"12[3].q1", "13[3].q1"}) == "12[3].q1 13[3].q1");
}

BOOST_AUTO_TEST_CASE(an_array_has_all_its_subjobs) {
  BOOST_TEST(asked({"12[].q1", "12[3].q1", "12[1-5].q1", "12[].q1"}) == "12[].q1");
  BOOST_TEST(asked({"12[3].q1", "12[].q1"}) == "12[3].q1 12[].q1");
}

BOOST_AUTO_TEST_CASE(each_server_has_its_own) {
  client::named_jobs named;
  BOOST_TEST(named.add("a", "12.q1"));
  BOOST_TEST(named.add("b", "12.q1"));
  BOOST_TEST(!named.add("a", "12.q1"));
}
