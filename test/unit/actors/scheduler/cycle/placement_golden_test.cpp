// Every case of the transcript: where a real PBS put the job, or why it did not.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <map>
#include <sstream>

#include "actors/scheduler/cycle/cycle.hpp"
#include "actors/scheduler/cycle/policy.hpp"
#include "test/support/paths.hpp"
#include "transcript.hpp"

using namespace annals;
using namespace annals::cycle;
using namespace annals::cycle::test;

namespace {

const std::string data = annals::test::source_dir() + "/test/unit/actors/scheduler/cycle/data/";

struct answer {
  std::string exec_vnode, exec_host, comment;
  std::vector<std::string> log_lines;
};

answer run(const placement_case& c) {
  view v;
  BOOST_REQUIRE(v.apply(*c.cluster.full_view()));
  const auto decided = run_cycle(v, parse_policy(c.sched_config).value, some_day);
  answer a;
  if (!decided.runs.empty()) {
    a.exec_vnode = decided.runs[0].exec_vnode;
    a.exec_host = decided.runs[0].exec_host;
  }
  if (!decided.reasons.empty()) a.comment = decided.comments[decided.reasons[0].comment];
  for (const auto& line : decided.log) {
    if (std::string_view(line.log_class) != "Job") continue;
    char event[8];
    std::snprintf(event, sizeof event, "%04x", line.event);
    a.log_lines.push_back(std::string(event) + ";pbs_sched;Job;" + std::string(line.object) + ";" + std::string(line.text));
  }
  return a;
}

bool agrees(const placement_case& c, const answer& a) {
  return a.exec_vnode == c.exec_vnode && a.exec_host == c.exec_host && a.comment == c.comment &&
         (c.log_lines.empty() || a.log_lines == c.log_lines);
}

std::map<std::string, std::string> not_served() {
  std::map<std::string, std::string> out;
  std::ifstream in(data + "placement_not_served.txt");
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') out[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_case_of_the_transcript_is_placed_as_pbs_did) {
  const auto listed = not_served();
  std::size_t checked = 0;
  for (const auto& c : read_transcript(data + "placement.txt", data + "placement_config.txt")) {
    if (listed.count(c.name)) continue;
    BOOST_TEST_CONTEXT(c.name << " " << c.command) {
      BOOST_REQUIRE_MESSAGE(c.submitted, "refused by qsub, but not listed in placement_not_served.txt");
      const answer a = run(c);
      BOOST_TEST(a.exec_vnode == c.exec_vnode);
      BOOST_TEST(a.exec_host == c.exec_host);
      BOOST_TEST(a.comment == c.comment);
      if (!c.log_lines.empty()) BOOST_TEST(a.log_lines == c.log_lines, boost::test_tools::per_element());
      ++checked;
    }
  }
  BOOST_TEST(checked + listed.size() == 212u);
}

BOOST_AUTO_TEST_CASE(the_list_of_cases_not_served_has_no_stale_lines) {
  const auto cases = read_transcript(data + "placement.txt", data + "placement_config.txt");
  for (const auto& [name, why] : not_served()) {
    const auto c = std::find_if(cases.begin(), cases.end(), [&, n = name](const auto& x) { return x.name == n; });
    BOOST_REQUIRE_MESSAGE(c != cases.end(), name << " is no case of the transcript");
    const bool refused_by_qsub = why == "refused by qsub";
    BOOST_TEST(c->submitted != refused_by_qsub, name << ": " << why);
    if (c->submitted) BOOST_TEST(!agrees(*c, run(*c)), name << " passes now: take it off the list");
  }
}
