// docs/job_transitions.md is printed from the tables. When a table changes: ANNALS_PRINT_DOCS=1 makes this test write it.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "test/support/model_builders.hpp"
#include "test/support/paths.hpp"

using namespace annals;
using namespace annals::test;

namespace {

const char* const job_phases[] = {"none", "queued", "held", "waiting", "assigned",
                                  "started", "suspended", "exiting", "finished", "forgotten"};
const char* const run_phases[] = {"none", "received", "starting", "started", "ended", "placed", "refused", "left"};
static_assert(std::size(job_phases) == model::job_phase_count && std::size(run_phases) == model::run_phase_count);

// One row per phase and event, with every phase the event may lead to.
template <class Transitions, class Names>
void print_table(std::ostream& out, const Transitions& transitions, const Names& names) {
  out << "| from | event | to |\n|---|---|---|\n";
  std::map<std::pair<int, int>, std::string> rows;
  std::vector<std::pair<int, int>> order;
  for (const auto& t : transitions) {
    const std::pair key{static_cast<int>(t.from), static_cast<int>(t.event)};
    auto& to = rows[key];
    if (to.empty()) order.push_back(key);
    to += (to.empty() ? "" : ", ") + std::string(names[static_cast<int>(t.to)]);
  }
  for (const auto& key : order)
    out << "| " << names[key.first] << " | " << name_of(static_cast<decltype(transitions.front().event)>(key.second)) << " | " << rows[key]
        << " |\n";
}

std::string page() {
  std::ostringstream out;
  out << "# What may happen to a job, and to a run\n\n"
         "Printed from the tables in `events/model/job/table.cpp` and `events/model/run/table.cpp` by `transitions_page_test.cpp`; what is "
         "not\n"
         "listed can not get into a log. `qstat` shows: queued Q, held H, waiting W, assigned and started R, suspended S, exiting E, "
         "finished F.\n\n"
         "## A job, in the server's log\n\n";
  print_table(out, model::job_transitions(), job_phases);
  out << "\n## A run, in the log of its MoM\n\n";
  print_table(out, model::run_transitions(), run_phases);
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_of_transitions_equals_the_tables) {
  const std::string path = annals::test::source_dir() + "/docs/job_transitions.md";
  if (std::getenv("ANNALS_PRINT_DOCS")) std::ofstream(path) << page();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  BOOST_TEST(text.str() == page());
}
