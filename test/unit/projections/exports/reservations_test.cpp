// Rows of reservations, of a log that a small cluster wrote: they are the same wherever the fold begins.
#include <boost/test/unit_test.hpp>

#include <random>

#include "test/support/recorded_lives.hpp"
#include "test/unit/projections/exports/split_fold.hpp"

using namespace annals;
using namespace annals::test;

BOOST_AUTO_TEST_SUITE(exported_reservations)

BOOST_AUTO_TEST_CASE(a_fold_that_begins_anywhere_has_the_same_rows) {
  std::size_t windows = 0, reservations = 0;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    recorded_cluster cluster("fair_share: True all\nby_queue: False all\nresources: \"ncpus\"\n");
    live_with_reservations(cluster, seed, 120);
    std::vector<log::record_ptr> all;
    BOOST_REQUIRE(static_cast<bool>(log::log_reader(cluster.store).read(1, [&](const log::record_ptr& r) {
      all.push_back(r);
      return true;
    })));
    const auto whole = rows_of(all);
    reservations += whole.of(exports::table_id::reservations).size();
    windows += whole.of(exports::table_id::reservation_occurrences).size();
    std::mt19937 random(seed);
    for (int i = 0; i < 15; ++i) {
      const auto first = random() % all.size();
      BOOST_TEST(rows_in_two(all, first).differing(whole) == "", "seed " << seed << ", from " << first);
    }
  }
  BOOST_TEST(reservations > 10u);
  BOOST_TEST(windows > 5u);
}

BOOST_AUTO_TEST_SUITE_END()
