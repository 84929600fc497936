// dense_map and dense_numbers do what std::map does, for keys and numbers that lie close together and for those that don't.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "events/values/dense_map.hpp"

using annals::values::dense_map;

namespace {

using plain_map = std::map<std::uint64_t, std::string>;

plain_map content(const dense_map<std::string>& m, std::uint64_t from = 0) {
  plain_map all;
  for (auto at = m.from(from); at; at.next()) all.emplace_hint(all.end(), at.key(), at.value());
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(dense_maps)

BOOST_AUTO_TEST_CASE(it_does_what_a_map_does) {
  std::mt19937_64 random(1);
  for (const std::uint64_t width : {300ull, 3000ull, ~0ull}) {
    dense_map<std::string> dense;
    plain_map plain;
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 400; ++i) keys.push_back(random() % width);
    for (int step = 0; step < 4000; ++step) {
      const auto key = keys[random() % keys.size()];
      if (random() % 3 > 0) {
        const auto value = std::to_string(step);
        dense.put(key, value);
        plain[key] = value;
      } else {
        BOOST_REQUIRE(dense.erase(key) == (plain.erase(key) > 0));
      }
      BOOST_REQUIRE(dense.size() == plain.size());
      const auto other = keys[random() % keys.size()];
      BOOST_REQUIRE(dense.contains(other) == plain.contains(other));
      if (plain.contains(other)) BOOST_REQUIRE(*dense.find(other) == plain.at(other));
      const auto below = plain.lower_bound(other);
      const auto before = dense.before(other);
      BOOST_REQUIRE(static_cast<bool>(before) == (below != plain.begin()));
      if (before) BOOST_REQUIRE(before.key() == std::prev(below)->first);
      if (step % 100 > 0) continue;
      BOOST_REQUIRE(content(dense) == plain);
      BOOST_REQUIRE(content(dense, other) == plain_map(plain.lower_bound(other), plain.end()));
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_are_kept_as_a_map_keeps_them) {
  std::mt19937_64 random(2);
  for (const std::uint64_t width : {1ull, 200ull, 70'000ull, 1ull << 40, ~0ull}) {
    annals::values::dense_numbers dense, twice;
    std::map<std::uint64_t, std::uint64_t> plain;
    for (int step = 0; step < 4000; ++step) {
      const auto key = random() % 700;
      if (random() % 3 > 0) {
        // Rising, falling and wild ones.
        const auto value = step % 3 == 0 ? random() % width : step % 3 == 1 ? width / 4000 * static_cast<unsigned>(step)
                                                                            : ~0ull - width / 4000 * static_cast<unsigned>(step);
        dense.put(key, value);
        plain[key] = value;
      } else {
        BOOST_REQUIRE(dense.erase(key) == (plain.erase(key) > 0));
      }
      BOOST_REQUIRE(dense.size() == plain.size());
      const auto other = random() % 700;
      BOOST_REQUIRE(dense.find(other).has_value() == plain.contains(other));
      if (plain.contains(other)) BOOST_REQUIRE(dense.at(other) == plain.at(other));
      if (step % 100 > 0) continue;
      std::map<std::uint64_t, std::uint64_t> all;
      for (auto at = dense.begin(); at; at.next()) all.emplace(at.key(), at.value());
      BOOST_REQUIRE(all == plain);
      twice = {};
      for (const auto& [k, v] : plain) twice.put(k, v);
      BOOST_REQUIRE((twice == dense));  // however they came to it
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_one_has_nothing) {
  dense_map<std::string> none;
  BOOST_TEST(none.empty());
  BOOST_TEST(!none.begin());
  BOOST_TEST(!none.from(7));
  BOOST_TEST(!none.before(7));
  BOOST_TEST(!none.erase(7));
  BOOST_TEST(!dense_map<std::string>::cursor());
}

BOOST_AUTO_TEST_CASE(a_value_may_be_changed_where_it_is) {
  dense_map<std::string> m;
  m.put(255, "a");
  m.put(256, "b");
  m.find(256)->append("c");
  BOOST_TEST(*m.find(256) == "bc");
  BOOST_TEST(m.from(256).key() == 256u);
}

BOOST_AUTO_TEST_SUITE_END()
