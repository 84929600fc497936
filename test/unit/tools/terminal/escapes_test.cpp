#include "tools/terminal/escapes.hpp"

#include <boost/test/unit_test.hpp>

using namespace annals::terminal;
using wish = escape_reader::wish;

namespace {

struct reader {
  escape_reader escapes{'\x1a'};
  // What goes to the job; "." and "z" behind a '|' are what qsub itself does.
  std::string operator()(std::string_view typed) {
    const auto f = escapes.read(typed);
    const auto here = f.for_job + (f.what == wish::hang_up ? "|." : f.what == wish::suspend ? "|z"
                                                                                            : "");
    return f.rest.empty() ? here : here + (*this)(f.rest);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(escapes)

BOOST_AUTO_TEST_CASE(at_the_start_of_a_line_a_tilde_is_for_qsub) {
  reader r;
  BOOST_TEST(r("~.") == "|.");
  BOOST_TEST(r("echo a\r~\x1a") == "echo a\r|z");
  BOOST_TEST(r("~.") == "|.");  // still the start of a line
  BOOST_TEST(r("~\x1a~\x1als\r") == "|z|zls\r");
  BOOST_TEST(r("~") == "");
  BOOST_TEST(r(".") == "|.");
}

BOOST_AUTO_TEST_CASE(anything_else_is_the_jobs) {
  reader r;
  BOOST_TEST(r("~x\r") == "~x\r");
  BOOST_TEST(r("~?\r~~\r") == "~?\r~~\r");
  BOOST_TEST(r("echo ~.\r") == "echo ~.\r");
  BOOST_TEST(r("a\n~.") == "a\n~.");  // Enter sends a carriage return
  BOOST_TEST(r("\r~\r~.") == "\r~\r|.");
}

BOOST_AUTO_TEST_SUITE_END()
