#include "actors/mom/host/run_journal.hpp"

#include <boost/test/unit_test.hpp>

using namespace annals::mom;

BOOST_AUTO_TEST_SUITE(journal)

BOOST_AUTO_TEST_CASE(lines_are_read_as_they_were_written) {
  const journal_claimed claimed{12, "boot"};
  const journal_started started{13, 13, 99, 1000};
  const journal_failed failed{-3, "two\nlines \\ and more"};
  const journal_ended ended{271, 1500, 2500, 4096, 8192};
  const auto j = parse_journal(line_of(claimed) + terminal_line("/dev/pts/3") + line_of(journal_made{66, 1234567890123}) +
                               log_line("running prologue") + forking_line() +
                               line_of(started) + exited_line(ended) + killed_line("too much\nmemory") + line_of(failed) + line_of(ended));
  BOOST_TEST((j.claimed == claimed));
  BOOST_TEST(j.terminal == "/dev/pts/3");
  BOOST_TEST((j.made == journal_made{66, 1234567890123}));
  BOOST_TEST(j.forking);
  BOOST_TEST((j.started == started));
  BOOST_TEST((j.exited == ended));
  BOOST_TEST((j.failed == failed));
  BOOST_TEST((j.ended == ended));
  BOOST_TEST(j.killed == "too much\nmemory");
  BOOST_TEST(j.log == std::vector<std::string>{"running prologue"});
}

BOOST_AUTO_TEST_CASE(lines_of_another_mark_or_of_none_are_not_of_this_journal) {
  const auto claim = line_of(journal_claimed{12, "boot"}), end = line_of(journal_ended{0, 1, 2});
  const auto j = parse_journal(marked(log_line("a") + claim, "0f") + end + marked(end, "1f") + "0f" + end + "0fx " + end, "0f");
  BOOST_TEST((j.claimed == journal_claimed{12, "boot"}));
  BOOST_TEST(j.log == std::vector<std::string>{"a"});
  BOOST_TEST(!j.over());
  BOOST_TEST(parse_journal(marked(end, "0f"), "0f").over());
  BOOST_TEST(!parse_journal(marked(end, "0f")).over());
  BOOST_TEST(marked(claim + end, "") == claim + end);
}

BOOST_AUTO_TEST_CASE(a_torn_line_did_not_happen) {
  const auto whole = line_of(journal_ended{271, 1500, 2500});
  for (std::size_t n = 0; n < whole.size(); ++n) BOOST_TEST(!parse_journal(whole.substr(0, n)).over());
  BOOST_TEST(parse_journal(whole).over());
}

BOOST_AUTO_TEST_CASE(an_end_without_memory_is_one_of_an_earlier_release) {
  BOOST_TEST((parse_journal("ended 271 1500 2500\n").ended == journal_ended{271, 1500, 2500}));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_understood_did_not_happen) {
  BOOST_TEST(!parse_journal("ended x 1 2\nended 1\nended 1 2 3 4\nfailed\nclaimed 1\nsomething else\n\n").over());
}

BOOST_AUTO_TEST_SUITE_END()
