// The daily files: each line once, whatever stops the writer; the same again when rebuilt from nothing.
#include "projections/accounting/accounting_files.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "test/unit/projections/accounting/accounting_fixture.hpp"

using namespace annals;
using namespace annals::test;
using projections::accounting_files;
using result = accounting_files::result;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t noon = 1795262400;  // 11/21/2026 12:00:00 UTC
constexpr std::int64_t day = 24 * 60 * 60;

struct fixture : in_utc {
  temporary_directory dir;
  fs::path files = dir.at("accounting"), checkpoint = dir.at("views/accounting");
  std::optional<accounting_files> writer;

  fixture() {
    fs::create_directory(files);
    open();
  }
  void open(const std::string& log = "log1") {
    writer.reset();
    writer.emplace(files, checkpoint, log);
  }
  // Record n says "n" on the given day.
  void record(std::uint64_t n, std::int64_t wall_s = noon) {
    writer->add(wall_s, std::to_string(n));
    writer->reached(n);
  }
  // A restart: what the checkpoint says is done is not written again.
  void again(std::initializer_list<std::pair<std::uint64_t, std::int64_t>> all) {
    open();
    for (const auto& [n, wall_s] : all)
      if (n > writer->checkpoint_sequence()) record(n, wall_s);
    BOOST_TEST((writer->sync() == result::done));
  }
  std::string today() const { return content(files / "20261121"); }
  std::string tomorrow() const { return content(files / "20261122"); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(files, fixture)

BOOST_AUTO_TEST_CASE(lines_are_in_the_file_when_written_and_durable_when_synced) {
  record(1);
  BOOST_TEST((writer->write() == result::done));
  BOOST_TEST(today() == "1\n");
  BOOST_TEST(writer->checkpoint_sequence() == 0u);
  BOOST_TEST(writer->behind());
  BOOST_TEST((writer->sync() == result::done));
  BOOST_TEST(writer->checkpoint_sequence() == 1u);
  BOOST_TEST(!writer->behind());
  struct stat s {};
  BOOST_REQUIRE(::stat((files / "20261121").c_str(), &s) == 0);
  BOOST_TEST((s.st_mode & 0777) == 0644u);
}

BOOST_AUTO_TEST_CASE(what_was_written_but_not_synced_comes_once_after_a_crash) {
  record(1);
  writer->sync();
  record(2);
  record(3);
  writer->write();
  again({{1, noon}, {2, noon}, {3, noon}, {4, noon}});
  BOOST_TEST(today() == "1\n2\n3\n4\n");
}

BOOST_AUTO_TEST_CASE(a_crash_before_the_first_sync_repeats_nothing) {
  record(1);
  writer->write();
  again({{1, noon}, {2, noon}});
  BOOST_TEST(today() == "1\n2\n");
}

BOOST_AUTO_TEST_CASE(each_day_has_its_file_and_a_crash_at_midnight_repeats_nothing) {
  record(1);
  writer->sync();
  record(2);
  record(3, noon + day);
  writer->write();
  BOOST_TEST(today() == "1\n2\n");
  BOOST_TEST(tomorrow() == "3\n");
  again({{1, noon}, {2, noon}, {3, noon + day}, {4, noon + day}});
  BOOST_TEST(today() == "1\n2\n");
  BOOST_TEST(tomorrow() == "3\n4\n");
}

BOOST_AUTO_TEST_CASE(a_day_that_comes_twice_keeps_its_lines) {
  // The time zone was changed: what is today was tomorrow before.
  record(1, noon + day);
  writer->sync();
  record(2, noon);
  writer->sync();
  record(3, noon + day);
  writer->write();
  again({{1, noon + day}, {2, noon}, {3, noon + day}});
  BOOST_TEST(tomorrow() == "1\n3\n");
  BOOST_TEST(today() == "2\n");
}

BOOST_AUTO_TEST_CASE(rebuilding_sets_the_old_files_aside_and_writes_the_same) {
  record(1);
  record(2, noon + day);
  writer->sync();
  fs::remove(checkpoint);
  again({{1, noon}, {2, noon + day}});
  BOOST_TEST(today() == content(files / "20261121.replaced"));
  BOOST_TEST(tomorrow() == content(files / "20261122.replaced"));
  BOOST_TEST(tomorrow() == "2\n");
}

BOOST_AUTO_TEST_CASE(another_log_adds_to_the_files_there_are) {
  record(1);
  record(2);
  writer->sync();
  open("log2");
  BOOST_TEST(writer->checkpoint_sequence() == 0u);
  record(1);
  writer->sync();
  BOOST_TEST(today() == "1\n2\n1\n");
}

BOOST_AUTO_TEST_CASE(a_torn_checkpoint_leaves_the_one_before) {
  for (std::uint64_t n = 1; n <= 4; ++n) {
    record(n);
    writer->sync();
  }
  auto bytes = content(checkpoint);
  BOOST_REQUIRE_EQUAL(bytes.size(), 1024u);
  // Whichever slot is torn, the lines come out right.
  for (std::size_t slot : {0u, 1u}) {
    auto torn = bytes;
    torn[slot * 512 + 30] ^= 1;
    std::ofstream(checkpoint, std::ios::binary) << torn;
    again({{1, noon}, {2, noon}, {3, noon}, {4, noon}, {5, noon}});
    BOOST_TEST(today() == "1\n2\n3\n4\n5\n");
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_of_nonsense_is_none) {
  record(1);
  writer->sync();
  std::ofstream(checkpoint, std::ios::binary) << std::string(2000, 'x');
  again({{1, noon}});
  BOOST_TEST(today() == "1\n");
  BOOST_TEST(fs::exists(files / "20261121.replaced"));
}

BOOST_AUTO_TEST_CASE(records_without_lines_move_the_checkpoint_seldom) {
  record(1);
  writer->sync();
  writer->reached(5000);
  BOOST_TEST(!writer->behind());
  writer->reached(20'000);
  BOOST_TEST(writer->behind());
  writer->sync();
  BOOST_TEST(writer->checkpoint_sequence() == 20'000u);
}

BOOST_AUTO_TEST_CASE(what_can_not_be_written_waits_and_comes_in_order) {
  record(1);
  writer->sync();
  fs::create_directory(files / "20261122");  // tomorrow's file can't be opened
  record(2, noon + day);
  record(3, noon + day);
  BOOST_TEST((writer->sync() == result::no_space));
  BOOST_TEST(writer->why().find("20261122") != std::string::npos);
  BOOST_TEST(writer->behind());
  record(4, noon + day);
  BOOST_TEST((writer->write() == result::no_space));
  fs::remove(files / "20261122");
  BOOST_TEST((writer->sync() == result::done));
  BOOST_TEST(tomorrow() == "2\n3\n4\n");
}

BOOST_AUTO_TEST_CASE(files_that_are_not_as_they_were_written_are_told_by_the_next_start_once) {
  for (std::uint64_t n = 1; n <= 4; ++n) record(n, noon + static_cast<std::int64_t>(n - 1) * day);
  writer->sync();
  open();
  BOOST_TEST(writer->differences().empty());
  fs::remove(files / "20261121");
  std::ofstream(files / "20261122", std::ios::app) << "mine\n";
  fs::resize_file(files / "20261124", 1);  // the file that is written
  open();
  const std::vector<std::string> expected{"20261121 is missing", "20261122 has 7 bytes, 2 were written",
                                          "20261124 has 1 bytes, 2 were written"};
  BOOST_TEST(writer->differences() == expected, boost::test_tools::per_element());
  record(5, noon + 3 * day);
  writer->sync();
  open();
  BOOST_TEST(writer->differences().empty());
}

BOOST_AUTO_TEST_CASE(what_a_crash_left_unsynced_and_days_that_are_torn_or_rebuilt_are_no_difference) {
  record(1);
  record(2, noon + day);
  writer->sync();
  record(3, noon + day);
  writer->write();  // longer than the checkpoint says
  std::ofstream(checkpoint.string() + "_days", std::ios::app) << "20261121 x\n20261120 7 7\n20261119 12";
  open();
  BOOST_TEST(writer->differences().empty());
  fs::remove(checkpoint);
  again({{1, noon}, {2, noon + day}});
  BOOST_TEST(writer->differences().empty());
  open();
  BOOST_TEST(writer->differences().empty());
}

BOOST_AUTO_TEST_CASE(a_directory_that_is_not_there_is_named) {
  BOOST_CHECK_EXCEPTION(accounting_files(dir.at("nowhere"), checkpoint, "log1"), std::runtime_error,
                        [](const std::exception& e) { return std::string(e.what()).find("nowhere") != std::string::npos; });
}

BOOST_AUTO_TEST_SUITE_END()

// -- the fold and the files together ---------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(files_rebuilt_from_nothing_are_the_same_byte_for_byte) {
  told_log log;
  log.host("borg", "8", "1gb");
  for (int n = 0; n < 20; ++n) {
    auto s = log.job();
    s.now_s = noon - 40'000 + n * 4000;  // over midnight
    s.when(submission(static_cast<std::uint64_t>(n)));
    s.when(propose(), the_scheduler());
    s.starts();
    s.later(100).exits(n % 3, {1, 2, 100, 1});
    s.leaves();
    log.told(s);
  }
  const auto build = [&](std::size_t stop_after) {
    temporary_directory dir;
    fs::create_directory(dir.at("a"));
    // Stops without notice after each `stop_after` records, and goes on from the checkpoint.
    for (std::size_t end = stop_after;; end += stop_after) {
      accounting_files files(dir.at("a"), dir.at("c"), "log");
      projections::accounting fold;
      for (const auto& r : log.records) {
        if (r->sequence() > end) break;
        if (r->sequence() <= files.checkpoint_sequence()) fold.learn(*r);
        else fold.fold(*r, [&](std::int64_t wall_s, std::string_view line) { files.add(wall_s, line); });
        files.reached(std::max(files.checkpoint_sequence(), r->sequence()));
        files.write();
        if (r->sequence() % 7 == 0) files.sync();
      }
      if (end >= log.records.size()) break;
    }
    return content(dir.at("a/20261121")) + "====\n" + content(dir.at("a/20261122"));
  };
  const auto whole = build(log.records.size());
  BOOST_TEST(std::count(whole.begin(), whole.end(), '\n') == 61);
  for (std::size_t step = 1; step < 40; step += 3) BOOST_TEST(build(step) == whole);
}
