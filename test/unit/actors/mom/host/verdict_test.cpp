#include "actors/mom/host/verdict.hpp"

#include <boost/test/unit_test.hpp>

using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(verdicts)

namespace {

const journal_claimed claimed{12, "now"}, claimed_before{12, "before"};
const circumstances now{"now", 5000, 700, ""};

run_journal journal(const std::string& lines) { return parse_journal(lines); }
run_journal after(const verdict& v) { return parse_journal(v.line); }

}  // namespace

BOOST_AUTO_TEST_CASE(an_end_that_was_written_stays) {
  const auto v = verdict_on(
      journal(line_of(claimed) + forking_line() + line_of(journal_started{13, 13, 9, 1000}) + exited_line({7, 10, 20})),
      now);
  BOOST_TEST((after(v).ended == journal_ended{7, 10, 20}));
  BOOST_TEST(v.may_have_left_processes);
}

BOOST_AUTO_TEST_CASE(a_started_program_has_an_unknown_end) {
  const auto lines = forking_line() + line_of(journal_started{13, 13, 9, 1000});
  const auto v = verdict_on(journal(line_of(claimed) + lines), now);
  BOOST_TEST((after(v).ended == journal_ended{-4, 700, 4000}));
  BOOST_TEST(v.may_have_left_processes);
  const auto rebooted = verdict_on(journal(line_of(claimed_before) + lines), now);
  BOOST_TEST((after(rebooted).ended == journal_ended{-4, 700, 0}));
  BOOST_TEST(!rebooted.may_have_left_processes);
}

BOOST_AUTO_TEST_CASE(a_fork_without_a_start_may_have_begun) {
  const auto v = verdict_on(journal(line_of(claimed) + forking_line()), now);
  BOOST_TEST(after(v).failed->code == -4);
  BOOST_TEST(v.may_have_left_processes);
}

BOOST_AUTO_TEST_CASE(a_claim_alone_may_be_tried_again_unless_the_machine_went_down) {
  BOOST_TEST(after(verdict_on(journal(line_of(claimed)), now)).failed->code == -3);
  BOOST_TEST(after(verdict_on(journal(line_of(claimed_before)), now)).failed->code == -4);
}

BOOST_AUTO_TEST_CASE(an_empty_journal_is_a_program_that_never_began) {
  const auto v = verdict_on({}, now);
  BOOST_TEST((after(v).failed == journal_failed{-3, "the program was never begun"}));
  BOOST_TEST(!v.may_have_left_processes);
  BOOST_TEST((after(verdict_on({}, {"now", 0, 0, "no shepherd"})).failed == journal_failed{-3, "no shepherd"}));
}

BOOST_AUTO_TEST_SUITE_END()
