// What users say is printed so that it neither steers a terminal nor looks like a line of ours.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "golden.hpp"
#include "tools/client/print/full.hpp"
#include "tools/client/print/layout.hpp"
#include "tools/client/print/shown.hpp"

using namespace annals::client;
using namespace annals::client::test;

namespace {
std::string of(std::string_view value, line_ends ends = line_ends::as_control) { return std::string(shown(value, ends)); }
}  // namespace

BOOST_AUTO_TEST_CASE(control_characters_are_shown) {
  BOOST_TEST(of("plain") == "plain");
  BOOST_TEST(of("a\tb") == "a\tb");
  BOOST_TEST(of("\x1b[31mred\x07\x7f") == "^[[31mred^G^?");
  BOOST_TEST(of("a\r\nb") == "a^M^Jb");
  BOOST_TEST(of("a\nb", line_ends::kept) == "a\nb");
  BOOST_TEST(of("a\nb", line_ends::continue_line) == "a\n\tb");
  BOOST_TEST(of("\xc3\xa4") == "\xc3\xa4");
  BOOST_TEST(of("a\xc2\x9b\nb", line_ends::continue_line) == "aM-^[\n\tb");
}

BOOST_AUTO_TEST_CASE(no_value_forges_an_attribute) {
  std::string out;
  for (const bool wrap : {true, false}) {
    full_printer printer(annals::schema::ObjectKind::JOB, "Job Id: ", wrap);
    stored_object job;
    job.name = "1.borg";
    job.set(annals::attributes::job::Account_Name, "", "mine\n    job_state = F");
    printer.put(out, job.view());
  }
  BOOST_TEST(out.find("\n    job_state") == std::string::npos);
  BOOST_TEST(out.find("    Account_Name = mine\n\t    job_state = F\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cell_stays_in_its_line) {
  std::string out;
  put_left(out, "a\nb", 6);
  put_right(out, "\x1b", 4);
  BOOST_TEST(out == "a^Jb    ^[");
}

BOOST_AUTO_TEST_CASE(a_cell_ends_where_a_character_does) {
  std::string out;
  put_left(out, "ab\u20acde", 5);  // the third to fifth byte are one character
  put_right(out, "ab\u20acde", 4);
  BOOST_TEST(out == "ab*    ab");
}
