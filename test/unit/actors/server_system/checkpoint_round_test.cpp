// Rounds of making a checkpoint: however many there were, and whatever the last one has left, a server that starts from the checkpoint
// answers as one that has folded the log.
#include "actors/replica/checkpoint_round.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "actors/server_system/maker_folds.hpp"
#include "projections/rows/row_file.hpp"
#include "test/support/checkpoint_law.hpp"
#include "test/support/made_history.hpp"
#include "test/support/run_command.hpp"
#include "test/support/stored_bytes.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/actors/server_system/server_replica.hpp"
#include "test/unit/projections/status/answers.hpp"

using namespace annals;
using namespace annals::test;
using actors::checkpoint_head;
namespace fs = std::filesystem;

namespace {

struct grown_log {
  log::memory_event_store store;
  log::log_reader reader{store};
  std::uint64_t half = 0, last = 0;
  temporary_directory dir;

  grown_log() {
    made_history history(store, 21);
    history.begin();
    for (int i = 0; i < 600; ++i) history.step();
    last = store.last_sequence();
    half = last / 2;
  }
  std::optional<checkpoint_head> round(std::uint64_t up_to) const {
    return actors::make_checkpoint(reader, {dir.path, [] { return std::make_unique<actors::maker_folds>(home_of_server); }, up_to, 7});
  }
  std::string state() const { return actors::checkpoint_file(dir.path); }
  std::optional<checkpoint_head> kept() const { return actors::read_checkpoint_head(state()); }
};

// All that anybody is told by a server, and what it knows of the past.
std::string told_by(const server_replica& server) {
  std::string text;
  for (const auto kind : {ObjectKind::QUEUE, ObjectKind::SERVER, ObjectKind::NODE, ObjectKind::SCHEDULER})
    text += answer(*server.folds.status, {.kind = kind});
  text += answer(*server.folds.status, {.history = schema::History::ALSO, .subjobs = true});
  std::map<std::uint64_t, std::string> records;
  server.past->records().each([&](std::uint64_t serial, const auto& stream) { records[serial] = stored_bytes(stream); });
  return text + stored_bytes(records);
}

std::string told_from_checkpoint(const grown_log& of) {
  const temporary_directory scratch;
  server_replica server;
  const auto opened = actors::open_checkpoint(of.state());
  const auto& from = std::get<actors::checkpoint>(opened);
  BOOST_TEST(actors::why_not_used(from.head(), of.reader) == "");
  actors::restore(server.all(), from, *server.folds.status, *server.past, of.dir.path);
  BOOST_REQUIRE(server.folds.status->keep_history_in(scratch.path) == "");
  BOOST_REQUIRE(server.past->keep_ended_in(scratch.path) == "");
  BOOST_REQUIRE(static_cast<bool>(server.all().catch_up(of.reader)));
  return told_by(server);
}

std::string told_from_all(const grown_log& of) {
  server_replica server;
  BOOST_REQUIRE(static_cast<bool>(server.all().catch_up(of.reader)));
  return told_by(server);
}

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

BOOST_FIXTURE_TEST_SUITE(rounds_of_checkpoints, grown_log)

BOOST_AUTO_TEST_CASE(a_server_starts_from_any_of_them) {
  const auto expected = told_from_all(*this);
  for (const auto up_to : {half / 3, half, last - 1, last}) {
    const auto made = round(up_to);
    BOOST_REQUIRE(made.has_value());
    BOOST_TEST(made->sequence == up_to);
    BOOST_TEST((kept() == made));
    BOOST_TEST((told_from_checkpoint(*this) == expected), "from record " << up_to);
  }
}

BOOST_AUTO_TEST_CASE(a_round_goes_no_further_than_it_is_told_or_the_log_goes) {
  BOOST_TEST(!round(0).has_value());
  BOOST_TEST(!fs::exists(state()));
  BOOST_TEST(round(last + 100).value().sequence == last);
  BOOST_TEST(!round(last).has_value());  // nothing new
  BOOST_TEST(!round(half).has_value());
  BOOST_TEST(kept().value().sequence == last);
}

// It has appended rows, and its checkpoint never came.
BOOST_AUTO_TEST_CASE(after_a_round_that_died_the_next_one_makes_the_same) {
  (void)round(half);
  const auto before = slurp(state());
  (void)round(last);
  const auto after = slurp(state());
  std::ofstream(state(), std::ios::binary) << before;
  (void)round(last);
  BOOST_TEST((slurp(state()) == after));
  BOOST_TEST((told_from_checkpoint(*this) == told_from_all(*this)));
}

BOOST_AUTO_TEST_CASE(a_damaged_row_ends_a_round_and_the_next_begins_anew) {
  for (const auto& file : {actors::history_file(dir.path), actors::past_file(dir.path)}) {
    (void)round(half);
    damage_rows(file);
    BOOST_CHECK_THROW((void)round(last), projections::row_unreadable);
    BOOST_TEST(!fs::exists(state()));
    BOOST_TEST(round(last).value().sequence == last);
    BOOST_TEST((told_from_checkpoint(*this) == told_from_all(*this)));
    fs::remove(state());
  }
}

BOOST_AUTO_TEST_CASE(one_without_its_rows_or_of_another_program_or_log_is_made_anew) {
  const auto expected = told_from_all(*this);
  const auto made = round(half).value();
  auto other_log = made;
  other_log.hash[3] ^= std::byte{1};
  const auto of_program = [&](std::string name) { return checkpoint_head{std::move(name), made.sequence, made.hash, 7}; };
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"no history", [&] { fs::remove(actors::history_file(dir.path)); }},
      {"a short past", [&] { fs::resize_file(actors::past_file(dir.path), 30); }},
      {"another program's", [&] { actors::keep_checkpoint(state(), of_program("another"), {}); }},
      {"another log's", [&] { actors::keep_checkpoint(state(), other_log, {}); }},
      {"no states", [&] { actors::keep_checkpoint(state(), of_program(actors::program_name()), {}); }},
      {"an empty file", [&] { fs::resize_file(state(), 0); }},
  };
  for (const auto& [what, change] : changes) {
    BOOST_TEST_CONTEXT(what) {
      change();
      BOOST_TEST(round(last).value().program == actors::program_name());
      BOOST_TEST((told_from_checkpoint(*this) == expected));
      fs::remove(state());
      (void)round(half);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_can_not_be_written_leaves_the_last_one_and_nothing_else) {
  (void)round(half);
  const auto before = kept();
  const auto fresh = state() + ".new";
  fs::create_directory(fresh);
  BOOST_CHECK_THROW((void)round(last), std::system_error);
  BOOST_TEST((kept() == before));
  fs::remove(fresh);
  BOOST_TEST(round(last).has_value());
  BOOST_TEST(!fs::exists(fresh));
}

BOOST_AUTO_TEST_CASE(the_next_round_begins_behind_a_usable_one) {
  const auto own = round(half).value();
  auto of_other_log = own, of_other_program = own;
  of_other_log.hash[3] ^= std::byte{1};
  of_other_program.program = "another";
  const auto begins = [&](const std::optional<checkpoint_head>& now, const std::optional<checkpoint_head>& at_start) {
    return actors::next_round_begins(now, at_start, reader);
  };
  BOOST_TEST(begins({}, {}).value() == 0u);
  BOOST_TEST(begins(own, {}).value() == half);
  BOOST_TEST(begins(of_other_log, of_other_log).value() == 0u);
  BOOST_TEST(begins(of_other_program, of_other_program).value() == 0u);
}

// Somebody prepares an upgrade: the new program's checkpoint stays.
BOOST_AUTO_TEST_CASE(none_begins_where_another_program_has_just_made_one) {
  const auto own = round(half).value();
  auto of_other = own;
  of_other.program = "another";
  BOOST_TEST(!actors::next_round_begins(of_other, own, reader).has_value());
  BOOST_TEST(!actors::next_round_begins(of_other, {}, reader).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
