// A start reads its log on a thread and folds it on another: each record once, in order; and what goes wrong there is known here.
#include "actors/replica/read_ahead.hpp"

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

  // What was read; the reading throws when it has this many records.
  actors::read_ahead::reading reading(std::vector<std::uint64_t>& sequences, std::size_t throws_at = SIZE_MAX) {
    return [this, &sequences, throws_at](const log::log_reader::visitor& give) {
      return log::log_reader(store).read(1, [&](const log::record_ptr& r) {
        if (sequences.size() == throws_at) throw std::runtime_error("a record that can't be");
        sequences.push_back(r->sequence());
        return give(r);
      });
    };
  }

  log::memory_event_store store;
};

}  // namespace

BOOST_AUTO_TEST_CASE(each_record_is_folded_once_and_in_order) {
  for (const int steps : {0, 1, 700}) {  // of 256 together
    fixture f(steps);
    std::vector<std::uint64_t> folded, read;
    actors::read_ahead log(f.reading(read));
    BOOST_TEST(static_cast<bool>(log.fold_all([&](const log::record& r) { folded.push_back(r.sequence()); })));
    BOOST_TEST(folded == read);
    BOOST_TEST(!folded.empty());
  }
}

BOOST_AUTO_TEST_CASE(what_the_reading_throws_comes_out_at_the_end) {
  fixture f(700);
  std::vector<std::uint64_t> folded, read;
  actors::read_ahead log(f.reading(read, 300));
  BOOST_CHECK_EXCEPTION(log.fold_all([&](const log::record& r) { folded.push_back(r.sequence()); }), std::runtime_error,
                        [](const auto& e) { return e.what() == std::string("a record that can't be"); });
  BOOST_TEST(folded.size() <= 300u);
}

BOOST_AUTO_TEST_CASE(what_the_fold_throws_ends_the_reading) {
  fixture f(5000);
  std::vector<std::uint64_t> read;
  {
    actors::read_ahead log(f.reading(read));
    BOOST_CHECK_THROW(log.fold_all([](const log::record&) { throw std::runtime_error("a record that can't be"); }), std::runtime_error);
  }
  BOOST_TEST(read.size() < f.store.last_sequence());
}

BOOST_AUTO_TEST_CASE(how_the_reading_ended_is_told) {
  actors::read_ahead log([](const log::log_reader::visitor&) { return ports::store_status{ports::store_error::damaged, "a gap"}; });
  BOOST_TEST(log.fold_all([](const log::record&) {}).text == "a gap");
}

BOOST_AUTO_TEST_CASE(a_start_that_is_given_up_reads_no_further) {
  fixture f(5000);
  std::vector<std::uint64_t> read;
  { actors::read_ahead log(f.reading(read)); }
  BOOST_TEST(read.size() < f.store.last_sequence());
}
