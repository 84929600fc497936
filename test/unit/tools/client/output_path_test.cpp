#include <boost/test/unit_test.hpp>

#include "tools/client/output_path.hpp"

using namespace annals::client;

namespace {
const path_facts facts{"q1", "/home/u", [](const std::string& p) { return p == "/home/u/dirx" || p == "/tmp"; },
                       [](const std::string& h) { return h == "q2"; }};
}

BOOST_AUTO_TEST_SUITE(output_path)

BOOST_AUTO_TEST_CASE(relative_paths_get_host_and_directory) {
  BOOST_TEST(*full_output_path("out.txt", facts) == "q1:/home/u/out.txt");
  BOOST_TEST(*full_output_path("~/x", facts) == "q1:/home/u/~/x");
  BOOST_TEST(*full_output_path("a b", facts) == "q1:/home/u/a b");
  BOOST_TEST(*full_output_path("/tmp/x:y", facts) == "q1:/tmp/x:y");
}

BOOST_AUTO_TEST_CASE(directories_end_in_a_slash) {
  BOOST_TEST(*full_output_path("dirx", facts) == "q1:/home/u/dirx/");
  BOOST_TEST(*full_output_path("./dirx/", facts) == "q1:/home/u/./dirx/");
  BOOST_TEST(*full_output_path("/tmp", facts) == "q1:/tmp/");
  BOOST_TEST(*full_output_path("/tmp/x/", facts) == "q1:/tmp/x/");
}

BOOST_AUTO_TEST_CASE(paths_with_a_host_stay_as_they_are) {
  BOOST_TEST(*full_output_path("q2:/tmp/x", facts) == "q2:/tmp/x");
  BOOST_TEST(*full_output_path("q2:rel", facts) == "q2:rel");
  BOOST_TEST(*full_output_path(":x", facts) == "q1:x");
}

BOOST_AUTO_TEST_CASE(empty_paths_and_unknown_hosts_are_none) {
  for (const char* text : {"", "nohost:/tmp/x", "q2:", ":"}) BOOST_TEST(!full_output_path(text, facts), text);
}

BOOST_AUTO_TEST_SUITE_END()
