// A follower's checkpoints: a start that has one knows what one knows that has folded the whole copy, and one that is of no use is not
// used.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/follow/follower_folds.hpp"
#include "actors/replica/checkpoint_round.hpp"
#include "actors/replica/status_folds.hpp"
#include "test/support/checkpoint_law.hpp"
#include "test/support/made_history.hpp"
#include "test/support/stored_bytes.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/projections/status/answers.hpp"

using namespace annals;
using namespace annals::test;
namespace fs = std::filesystem;

namespace {

struct copied_log {
  log::memory_event_store store;
  log::log_reader reader{store};
  temporary_directory dir;
  std::uint64_t last = 0;
  std::vector<std::string> notes;  // of the last start

  copied_log() {
    made_history history(store, 33);
    history.begin();
    for (int i = 0; i < 600; ++i) history.step();
    last = store.last_sequence();
  }
  std::string state() const { return actors::checkpoint_file(dir.path); }
  std::uint64_t round(std::uint64_t up_to) const {
    const auto make_folds = [] { return std::make_unique<actors::follower_maker_folds>(); };
    return actors::make_checkpoint(reader, {dir.path, make_folds, up_to, 7}).value().sequence;
  }
  // All that a start knows.
  std::string told() {
    notes.clear();
    const temporary_directory scratch;
    log::memory_event_store index;
    const auto start =
        actors::fold_copy({&reader, index, dir.path, scratch.path, [this](const std::string& text) { notes.push_back(text); }});
    std::string text;
    for (const auto kind : {ObjectKind::QUEUE, ObjectKind::SERVER, ObjectKind::NODE, ObjectKind::SCHEDULER})
      text += answer(*start.folds.status, {.kind = kind});
    text += answer(*start.folds.status, {.history = schema::History::ALSO, .subjobs = true});
    std::map<std::uint64_t, std::string> records;
    start.past->records().each([&](std::uint64_t serial, const auto& stream) { records[serial] = stored_bytes(stream); });
    return text + stored_bytes(records) + stored_bytes(*start.folds.settings);
  }
  std::string all_records() const { return "the start reads the whole copy, " + std::to_string(last) + " records"; }
};

// All rows, and not what a file begins with.
void damage_rows(const std::string& file) {
  constexpr std::uintmax_t head = 24;
  const auto size = fs::file_size(file);
  BOOST_REQUIRE(size > head);
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(head);
  f << std::string(size - head, '\0');
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(folds_of_a_follower, copied_log)

BOOST_AUTO_TEST_CASE(the_law_of_checkpoints_holds) {
  const auto records = made_records(34, 300);
  const auto maker = [] { return std::make_unique<actors::follower_maker_folds>(); };
  BOOST_TEST(broken_law(records, {1, records.size() / 3, records.size() / 2, records.size()}, maker, maker) == "");
}

BOOST_AUTO_TEST_CASE(a_start_goes_on_from_any_checkpoint) {
  const auto expected = told();
  BOOST_TEST(notes == (std::vector<std::string>{"there is no checkpoint", all_records()}), boost::test_tools::per_element());
  for (const auto up_to : {last / 3, last / 2, last}) {
    BOOST_TEST(round(up_to) == up_to);
    BOOST_TEST((told() == expected), "from record " << up_to);
    BOOST_TEST(notes == std::vector<std::string>{"the start went on from the checkpoint of record " + std::to_string(up_to)},
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(one_that_is_of_no_use_is_not_used_and_why_is_told) {
  const auto expected = told();
  const auto change_head = [&](const std::function<void(actors::checkpoint_head&)>& change) {
    auto head = actors::read_checkpoint_head(state()).value();
    change(head);
    actors::keep_checkpoint(state(), head, {});
  };
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"its checksum is wrong", [&] { std::ofstream(state(), std::ios::app) << "more"; }},
      {"it is empty", [&] { fs::resize_file(state(), 0); }},
      {"another program made it", [&] { change_head([](auto& h) { h.program = "another"; }); }},
      {"it is of another log", [&] { change_head([](auto& h) { h.hash[3] ^= std::byte{1}; }); }},
      {"the log ends before it", [&] { change_head([](auto& h) { h.sequence += 1000; }); }},
      {"there is no state of ", [&] { change_head([](auto&) {}); }},
      {"rows of jobs: ", [&] { fs::remove(actors::history_file(dir.path)); }},
  };
  for (const auto& [why, change] : changes) {
    BOOST_TEST_CONTEXT(why) {
      (void)round(last / 2);
      change();
      BOOST_TEST((told() == expected));
      BOOST_REQUIRE(notes.size() == 2u);
      BOOST_TEST(notes[0].starts_with(std::string("the checkpoint is not used: ") + why), notes[0]);
      BOOST_TEST(notes[1] == all_records());
      fs::remove(state());
    }
  }
}

BOOST_AUTO_TEST_CASE(one_whose_rows_are_damaged_is_removed) {
  const auto expected = told();
  for (const auto& file : {actors::history_file(dir.path), actors::past_file(dir.path)}) {
    (void)round(last / 2);
    damage_rows(file);
    BOOST_TEST((told() == expected));
    BOOST_REQUIRE(notes.size() == 2u);
    BOOST_TEST(notes[0].find(" can't be read: the row at byte ") != std::string::npos, notes[0]);
    BOOST_TEST(!fs::exists(state()));
  }
}

BOOST_AUTO_TEST_SUITE_END()
