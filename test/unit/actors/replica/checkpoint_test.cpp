// A checkpoint is read as it was written, or not at all.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <memory>
#include <string>

#include "actors/replica/checkpoint.hpp"
#include "events/log/event_log.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/temporary_directory.hpp"

using namespace annals;
using actors::checkpoint;

namespace {

// Counts records, and sums up their sequences.
struct counting {
  std::uint64_t records = 0, sum = 0;
  void fold(const log::record& r) {
    ++records;
    sum += r.sequence();
  }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.records, self.sum);
  }
  bool operator==(const counting&) const = default;
};

struct counted_log {
  log::memory_event_store store;
  struct still : ports::clock {
    std::int64_t now_ns() const override { return 1'795'222'000'000'000'000; }
  } clock;
  log::event_log log{store, clock};
  log::log_reader reader{store};

  void write(unsigned records) {
    for (unsigned i = 0; i < records; ++i) {
      log::append a;
      a.events.push_back(model::make_event([](auto e) { e.initQueue().initCreated().setName("q"); }));
      BOOST_REQUIRE(std::holds_alternative<log::staged>(log.stage(std::move(a))));
    }
    std::vector<log::record_ptr> committed;
    BOOST_REQUIRE(static_cast<bool>(log.commit(committed)));
  }
  actors::checkpoint_head head() const { return {actors::program_name(), log.last_sequence(), log.head(), 7}; }
};

struct folded {
  std::shared_ptr<counting> first = std::make_shared<counting>(), second = std::make_shared<counting>();
  actors::replica of;
  folded() {
    of.add_first_lane(actors::make_fold("first", first));
    of.add_second_lane(actors::make_fold("second", second));
  }
};

std::string text_of(std::variant<checkpoint, std::string> read) {
  return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "a checkpoint";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(checkpoints, counted_log)

BOOST_AUTO_TEST_CASE(a_replica_that_goes_on_from_one_is_as_one_that_folded_all) {
  write(5);
  folded before;
  BOOST_REQUIRE(static_cast<bool>(before.of.catch_up(reader)));
  BOOST_TEST(before.of.sequence() == 5u);
  const auto bytes = std::make_shared<std::string>(actors::write_checkpoint(head(), before.of.store()));
  write(4);
  auto read = actors::read_checkpoint(bytes, *bytes);
  BOOST_REQUIRE(std::holds_alternative<checkpoint>(read));
  const auto& c = std::get<checkpoint>(read);
  BOOST_TEST(actors::why_not_used(c.head(), reader) == "");
  folded after, all;
  after.of.restore(c.head().sequence, [&](const std::string& name) { return c.state_of(name); });
  BOOST_REQUIRE(static_cast<bool>(after.of.catch_up(reader)));
  BOOST_REQUIRE(static_cast<bool>(all.of.catch_up(reader)));
  BOOST_TEST((*after.first == *all.first));
  BOOST_TEST((*after.second == *all.second));
  BOOST_TEST(after.of.sequence() == 9u);
}

BOOST_AUTO_TEST_CASE(it_catches_up_to_a_record_and_no_further) {
  write(9);
  folded f;
  std::uint64_t last = 0;
  BOOST_REQUIRE(static_cast<bool>(f.of.catch_up(
      reader, [&](const log::record& r) { last = r.sequence(); }, 6)));
  BOOST_TEST(f.first->records == 6u);
  BOOST_TEST(f.second->records == 6u);
  BOOST_TEST(last == 6u);
  BOOST_REQUIRE(static_cast<bool>(f.of.catch_up(reader)));
  BOOST_TEST(f.first->records == 9u);
}

BOOST_AUTO_TEST_CASE(a_changed_bit_anywhere_is_noticed) {
  write(3);
  folded f;
  BOOST_REQUIRE(static_cast<bool>(f.of.catch_up(reader)));
  const auto whole = actors::write_checkpoint(head(), f.of.store());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 4);
    BOOST_TEST(text_of(actors::read_checkpoint(nullptr, bytes)) != "a checkpoint");
    BOOST_TEST(text_of(actors::read_checkpoint(nullptr, std::string_view(whole).substr(0, i))) != "a checkpoint");
  }
}

BOOST_AUTO_TEST_CASE(one_of_another_program_or_log_is_not_used) {
  write(3);
  auto h = head();
  h.program += "x";
  BOOST_TEST(actors::why_not_used(h, reader) == "another program made it");
  h = head();
  h.hash[5] ^= std::byte{1};
  BOOST_TEST(actors::why_not_used(h, reader) == "it is of another log");
  h = head();
  h.sequence = 4;
  BOOST_TEST(actors::why_not_used(h, reader) == "the log ends before it");
}

BOOST_AUTO_TEST_CASE(a_fold_without_a_state_refuses_it) {
  folded f;
  BOOST_CHECK_THROW(f.of.restore(3, [](const std::string&) { return std::nullopt; }), stored::state_unreadable);
}

BOOST_AUTO_TEST_CASE(a_file_takes_the_place_of_the_last_one) {
  const test::temporary_directory directory;
  const auto file = directory.at("state");
  BOOST_TEST(text_of(actors::open_checkpoint(file)) == "");
  write(3);
  folded f;
  BOOST_REQUIRE(static_cast<bool>(f.of.catch_up(reader)));
  for (int round = 0; round < 2; ++round) {
    actors::keep_checkpoint(file, head(), f.of.store());
    BOOST_TEST(text_of(actors::open_checkpoint(file)) == "a checkpoint");
    BOOST_TEST((actors::read_checkpoint_head(file) == head()));
  }
  std::ofstream(file, std::ios::app) << "more";
  BOOST_TEST(text_of(actors::open_checkpoint(file)) == "its checksum is wrong");
}

BOOST_AUTO_TEST_SUITE_END()
