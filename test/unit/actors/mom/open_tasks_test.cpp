// Tasks that are not over yet.
#include "actors/mom/tasks/open_tasks.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

using namespace annals;

BOOST_AUTO_TEST_SUITE(tasks_that_are_not_over)

BOOST_AUTO_TEST_CASE(each_is_looked_at_until_it_is_over) {
  std::map<std::uint32_t, bool> over{{2, false}, {3, true}};
  std::string looked_at;
  actors::open_tasks open;
  const auto look = [&] {
    looked_at.clear();
    open.look(over, [&](std::uint32_t task) {
      looked_at += std::to_string(task);
      return over.at(task);
    });
    return looked_at;
  };
  BOOST_TEST(look() == "23");
  BOOST_TEST(look() == "2");
  over[4] = false;
  BOOST_TEST(look() == "24");
  over[2] = true;
  BOOST_TEST(look() == "24");
  BOOST_TEST(look() == "4");
}

BOOST_AUTO_TEST_SUITE_END()
