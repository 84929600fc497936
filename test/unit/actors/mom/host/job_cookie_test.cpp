// pbs guide, "job environment": PBS_JOBCOOKIE, 32 hex digits that nobody can guess.
#include "actors/mom/host/job_cookie.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

using namespace annals;

BOOST_AUTO_TEST_SUITE(job_cookies)

BOOST_AUTO_TEST_CASE(a_cookie_is_32_hex_digits_and_another_one_each_time) {
  std::set<std::string> made;
  for (int i = 0; i < 1000; ++i) {
    const auto cookie = mom::new_cookie();
    BOOST_TEST(cookie.size() == 32u);
    BOOST_TEST(std::all_of(cookie.begin(), cookie.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }));
    made.insert(cookie);
  }
  BOOST_TEST(made.size() == 1000u);
}

BOOST_AUTO_TEST_CASE(an_order_keeps_its_cookie_and_everything_else) {
  const auto order = schema::make<schema::ToMom>([](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    o.initRef().setJob("12.borg");
    auto list = o.initAttributes(2);
    list[0].setName("Job_Name");
    list[0].setValue("x");
    list[1].setName("Resource_List");
    list[1].setResource("ncpus");
    list[1].setValue("2");
  });
  BOOST_TEST(mom::cookie_of(order.get().getStartRun()) == "");
  const auto with = mom::with_chance(order, "ABC", "3B33FA69");
  const auto got = with.get().getStartRun();
  BOOST_TEST(mom::cookie_of(got) == "ABC");
  BOOST_TEST(mom::name_end_of(got) == "3B33FA69");
  BOOST_TEST(schema::str(got.getRef().getJob()) == "12.borg");
  BOOST_REQUIRE(got.getAttributes().size() == 4u);
  BOOST_TEST(schema::str(got.getAttributes()[1].getResource()) == "ncpus");
  BOOST_TEST(schema::str(got.getAttributes()[1].getValue()) == "2");
}

BOOST_AUTO_TEST_SUITE_END()
