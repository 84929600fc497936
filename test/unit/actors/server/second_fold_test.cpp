// A start folds its log with two threads: each record once, in order; and what goes wrong there is known here.
#include "actors/server_system/second_fold.hpp"

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <vector>

#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/made_history.hpp"

namespace {

using namespace annals;

struct fixture {
  explicit fixture(int steps) {
    test::made_history history(store, 7);
    history.begin();
    for (int i = 0; i < steps; ++i) history.step();
  }

  void read_into(actors::second_fold& fold, std::vector<std::uint64_t>& sequences) {
    BOOST_REQUIRE(static_cast<bool>(log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      sequences.push_back(r->sequence());
      fold.take(r);
      return true;
    })));
  }

  log::memory_event_store store;
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_record_is_folded_once_and_in_order) {
  for (const int steps : {0, 1, 700}) {  // of 256 together
    fixture f(steps);
    std::vector<std::uint64_t> folded, read;
    actors::second_fold fold([&](const log::record& r) { folded.push_back(r.sequence()); });
    f.read_into(fold, read);
    fold.end();
    BOOST_TEST(folded == read);
  }
}

BOOST_AUTO_TEST_CASE(what_the_fold_throws_comes_out_at_the_end_and_nothing_more_is_folded) {
  fixture f(700);
  std::vector<std::uint64_t> folded, read;
  actors::second_fold fold([&](const log::record& r) {
    if (folded.size() == 300) throw std::runtime_error("a record that can't be");
    folded.push_back(r.sequence());
  });
  f.read_into(fold, read);
  BOOST_CHECK_EXCEPTION(fold.end(), std::runtime_error, [](const auto& e) { return e.what() == std::string("a record that can't be"); });
  BOOST_TEST(folded.size() == 300u);
}

BOOST_AUTO_TEST_CASE(a_start_that_is_given_up_waits_for_the_running_fold_only) {
  fixture f(700);
  std::vector<std::uint64_t> folded, read;
  {
    actors::second_fold fold([&](const log::record& r) { folded.push_back(r.sequence()); });
    f.read_into(fold, read);
  }
  BOOST_TEST(folded.size() <= read.size());
}
