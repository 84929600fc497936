#include <boost/test/unit_test.hpp>

#include "tools/client/directives.hpp"

using namespace annals::client;
using lines = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(directives)

BOOST_AUTO_TEST_CASE(they_end_at_the_first_command) {
  BOOST_TEST(
      scan_directives("#!/bin/bash\n#PBS -N a\n#PBS -p 5\necho hi\n#PBS -A late\n").lines == (lines{"-N a", "-p 5"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(blank_lines_comments_and_colons_do_not_end_them) {
  BOOST_TEST(scan_directives("# c\n\n  #PBS -N d2\n#PBS  -A acc\n:#PBS -p 7\n#PBS -h\nsleep 1\n").lines ==
                 (lines{"-N d2", "-A acc", "-h"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(another_prefix_makes_pbs_lines_comments) {
  const char* script = "#!/bin/sh\n#XX -N xx\n#PBS -N pbs\ntrue\n";
  BOOST_TEST(scan_directives(script, "#XX").lines == lines{"-N xx"}, boost::test_tools::per_element());
  BOOST_TEST(scan_directives(script, "").lines.empty());
}

BOOST_AUTO_TEST_CASE(cr_lf_is_noticed) {
  BOOST_TEST(scan_directives("#PBS -h\r\ntrue\r\n").has_cr_lf);
  BOOST_TEST(scan_directives("true\r\n").has_cr_lf);
  BOOST_TEST(!scan_directives("#PBS -h\ntrue\n").has_cr_lf);
}

BOOST_AUTO_TEST_CASE(bytes_behind_the_first_command_are_not_read) {
  BOOST_TEST(!scan_directives(std::string("\x7f"
                                          "ELF\0\1\n#PBS -h\r\n",
                                          16))
                  .has_cr_lf);
}

BOOST_AUTO_TEST_CASE(a_backslash_at_the_end_takes_the_next_line_in) {  // golden: parsing.txt
  const auto scanned = [](const char* script) { return scan_directives(script).lines; };
  BOOST_TEST(scanned("#PBS -N two \\\n-p 7\nsleep 0\n") == lines{"-N two -p 7"}, boost::test_tools::per_element());
  BOOST_TEST(scanned("#PBS -N four \\\n#PBS -p 8\n#PBS -A ac\n") == (lines{"-N four #PBS -p 8", "-A ac"}),
             boost::test_tools::per_element());
  BOOST_TEST(scanned("#PBS -N five \\ \n#PBS -p 8\n") == lines{"-N five #PBS -p 8"}, boost::test_tools::per_element());
  BOOST_TEST(scanned("#PBS -v A=b\\\\\n#PBS -p 9\n") == lines{"-v A=b#PBS -p 9"}, boost::test_tools::per_element());
  BOOST_TEST(scanned("#PBS -N a\\\n  -p 1 \\\n -r n\n") == lines{"-N a  -p 1  -r n"}, boost::test_tools::per_element());
  BOOST_TEST(scanned("#PBS -N las\\") == lines{"-N las"}, boost::test_tools::per_element());
  BOOST_TEST(scan_directives("#PBS -h \\\n-p 1\r\n").has_cr_lf);
}

BOOST_AUTO_TEST_CASE(a_quote_that_is_not_closed_is_noticed) {
  bool unmatched = false;
  BOOST_TEST(split_words("-A \"a b", &unmatched).size() == 2u);
  BOOST_TEST(unmatched);
  split_words(R"(-A "it's" it\'s)", &unmatched);
  BOOST_TEST(!unmatched);
}

BOOST_AUTO_TEST_CASE(quotes_join_words) {
  BOOST_TEST(split_words(R"(-v A="b c",D -N 'x y' z\ w "")") == (lines{"-v", "A=b c,D", "-N", "x y", "z w", ""}),
             boost::test_tools::per_element());
  BOOST_TEST(split_words("  ").empty());
}

BOOST_AUTO_TEST_SUITE_END()
