// What the MoM's log says of failures that a job bears.
#include "actors/mom/runs/start_lines.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "actors/runtime/daemon_log.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;

namespace {

struct noted {
  test::temporary_directory dir;
  actors::daemon_log log{dir.path, "pbs_mom", 0xffff, false};
  actors::mom_parts parts;
  model::run_state run;
  std::size_t read = 0;

  noted() {
    parts.notes = &log;
    run.job = "12.borg";
    run.tolerates = model::tolerance::all;
    (void)lines();
  }
  // Those since the last look, from their level on.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(dir.path)) {
      std::ifstream in(file.path());
      for (std::string line; std::getline(in, line);) all.push_back(line.substr(line.find(';') + 1));
    }
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::exchange(read, all.size())));
    return all;
  }
};

const std::string of_job = ";pbs_mom;Job;12.borg;", borne = " as job is tolerant of node failures";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lines_of_a_start, noted)

BOOST_AUTO_TEST_CASE(a_host_whose_link_is_lost_has_both_lines) {  // RS-12, RS-13
  run.phase = model::run_phase::started;
  actors::start_lines(parts, run, {}).lost_link("n2");
  const std::string lost = "0001" + of_job + "im_eof, lost communication with n2, not killing job yet";
  const std::vector<std::string> all = {lost, "0400" + of_job + "ignoring lost communication with n2" + borne,
                                        "0080" + of_job + "ignoring error" + borne};
  BOOST_TEST(lines() == all, boost::test_tools::per_element());
  run.tolerates = model::tolerance::none;
  actors::start_lines(parts, run, {}).lost_link("n2");
  BOOST_TEST(lines() == std::vector<std::string>{lost}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
