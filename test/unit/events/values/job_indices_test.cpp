// Which subjobs an array has, and sets of them. pbs guide, "job arrays".
#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

#include "events/values/job_id.hpp"
#include "events/values/job_indices.hpp"

using namespace annals::values;

namespace {

std::string text_of(const char* range) {
  const auto parsed = parse_index_range(range);
  return parsed ? print(*parsed) + " x" + std::to_string(parsed->count()) : "none";
}

index_set some(const char* of, const char* which) { return index_set::parse(which, *parse_index_range(of)).value(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(job_indices)

BOOST_AUTO_TEST_CASE(ranges_are_read_and_printed) {
  BOOST_TEST(text_of("1-8") == "1-8 x8");
  BOOST_TEST(text_of("1-8:2") == "1-8:2 x4");
  BOOST_TEST(text_of("3-5:10") == "3-5:10 x1");
  BOOST_TEST(text_of("0-3:1") == "0-3 x4");
  BOOST_TEST(text_of("7") == "7 x1");
  for (const char* bad : {"", "-", "1-", "-3", "3-1", "1-8:", "1-8:0", "1-8:2x", "1,3", " 1-3", "1-99999999999", "1-2147483648"})
    BOOST_TEST(text_of(bad) == "none", bad);
  BOOST_TEST(text_of("1-2147483647") == "1-2147483647 x2147483647");
}

BOOST_AUTO_TEST_CASE(a_set_prints_what_it_has) {
  const auto range = *parse_index_range("1-8:2");
  auto set = index_set::all(range);
  BOOST_TEST(set.print() == "1-8:2");
  set.remove(1);
  set.remove(3);
  BOOST_TEST(set.print() == "5-8:2");  // to the end of the array, as it was typed
  set.remove(5);
  BOOST_TEST(set.print() == "7");
  set.add(1);
  set.add(4);  // no subjob
  BOOST_TEST(set.print() == "1,7");
  set.remove(7);
  set.remove(1);
  BOOST_TEST(set.print() == "-");
  BOOST_TEST(set.empty());
}

BOOST_AUTO_TEST_CASE(a_set_is_read_again) {
  for (const char* text : {"1-10", "3-10", "1,3-5,9-10", "-", "10"}) BOOST_TEST(some("1-10", text).print() == text);
  BOOST_TEST(some("1-10", "8-20").print() == "8-10");
  BOOST_TEST(some("1-10", "2-9:3").print() == "2,5,8");
  BOOST_TEST(some("1-9:2", "0-9").print() == "1-9:2");
  BOOST_TEST(some("1-10", "20-30").empty());
  BOOST_TEST(!index_set::parse("x", *parse_index_range("1-10")));
}

BOOST_AUTO_TEST_CASE(a_million_are_one_run) {
  auto set = index_set::all(*parse_index_range("1-1000000"));
  set.remove(500'000);
  BOOST_TEST(set.count() == 999'999u);
  BOOST_TEST(set.print() == "1-499999,500001-1000000");
  BOOST_TEST(!set.has(500'000));
  set.add(500'000);
  BOOST_TEST(set.print() == "1-1000000");
}

BOOST_AUTO_TEST_CASE(it_does_what_a_set_of_numbers_does) {
  std::mt19937 dice(7);
  for (int round = 0; round < 200; ++round) {
    const index_range range{static_cast<std::uint32_t>(dice() % 5), 30 + static_cast<std::uint32_t>(dice() % 5),
                            1 + static_cast<std::uint32_t>(dice() % 4)};
    index_set set(range), other(range);
    std::set<std::uint32_t> model, other_model;
    for (int step = 0; step < 60; ++step) {
      const auto index = static_cast<std::uint32_t>(dice() % 40);
      const bool adds = dice() % 2 == 0;
      auto& s = dice() % 3 == 0 ? other : set;
      auto& m = &s == &set ? model : other_model;
      if (adds) s.add(index);
      else s.remove(index);
      if (!adds) m.erase(index);
      else if (range.has(index)) m.insert(index);
    }
    const auto same = [&](const index_set& s, const std::set<std::uint32_t>& m) {
      std::set<std::uint32_t> listed;
      s.each([&](std::uint32_t index) { return listed.insert(index).second; });
      BOOST_REQUIRE(listed == m);
      for (std::uint32_t from = 0; from < 45; ++from) {
        const auto at = m.lower_bound(from);
        BOOST_REQUIRE((s.next(from) == (at == m.end() ? std::nullopt : std::optional(*at))));
      }
      BOOST_REQUIRE(s.count() == m.size());
      BOOST_REQUIRE(index_set::parse(s.print(), range) == s);
    };
    same(set, model);
    std::set<std::uint32_t> both;
    for (const auto i : model)
      if (other_model.contains(i)) both.insert(i);
    same(set.also_in(other), both);
    auto sum = set, difference = set;
    sum.add(other);
    difference.remove(other);
    auto sum_model = model, difference_model = model;
    for (const auto i : other_model) {
      sum_model.insert(i);
      difference_model.erase(i);
    }
    same(sum, sum_model);
    same(difference, difference_model);
  }
}

BOOST_AUTO_TEST_CASE(the_number_of_a_subjob_holds_its_arrays) {
  const auto number = subjob_number(999'999'999'999, largest_index);
  BOOST_TEST(is_subjob(number));
  BOOST_TEST(array_of(number) == 999'999'999'999u);
  BOOST_TEST(index_of(number) == largest_index);
  BOOST_TEST(is_subjob(subjob_number(0, 0)));
  BOOST_TEST(!is_subjob(999'999'999'999));
  BOOST_TEST(id_of_number(subjob_number(12, 3), "borg") == "12[3].borg");
  BOOST_TEST(id_of_number(12, "borg") == "12.borg");
  BOOST_TEST(array_id(12, "borg") == "12[].borg");
  const auto read = [](const char* id) { return number_of(parse_job_id(id).value()); };
  BOOST_TEST((read("12[3].borg") == subjob_number(12, 3)));
  BOOST_TEST((read("12[].borg") == 12u));
  BOOST_TEST((read("12") == 12u));
  BOOST_TEST((read("12[1-3]") == std::nullopt));
  BOOST_TEST((read("12[16777215]") == std::nullopt));
}

BOOST_AUTO_TEST_SUITE_END()
