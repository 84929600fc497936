// The follower that keeps the accounting files: restarts, a disk that takes no more, and gaps.
#include "actors/server/accounting_actor.hpp"

#include <sys/resource.h>

#include <csignal>

#include "events/values/date_time.hpp"
#include "test/unit/projections/accounting/accounting_fixture.hpp"

using namespace annals;
using namespace annals::test;
namespace fs = std::filesystem;

namespace {

struct fixture {
  told_log log;
  temporary_directory dir;
  std::shared_ptr<actors::accounting_follower> follower;
  std::vector<std::string> notes;
  std::size_t told = 0;  // records the follower was told of
  std::uint64_t number = 0;

  explicit fixture(const std::string& host = "borg") {
    fs::create_directory(dir.at("accounting"));
    log.host(host, "8", "1gb");
    restart();
  }
  void restart() {
    follower = actors::make_accounting({dir.at("accounting"), dir.at("views/accounting"), &log.store,
                                        [this](const std::string& text) { notes.push_back(text); }});
    for (const auto& r : log.records) follower->replayed(*r);
    told = log.records.size();
  }
  // `ahead_s`: so far is the clock.
  void run_jobs(int count, std::int64_t ahead_s = 0) {
    for (int i = 0; i < count; ++i) {
      auto s = log.job();
      s.later(ahead_s);
      s.when(submission(++number));
      s.when(propose(), the_scheduler());
      s.exits(0);
      s.leaves();
      log.told(s);
    }
  }
  void commit() {
    auto batch = std::make_shared<std::vector<log::record_ptr>>(log.records.begin() + static_cast<std::ptrdiff_t>(told), log.records.end());
    told = log.records.size();
    follower->follow(batch);
  }
  fs::path file(const char* day = "20261121") const { return dir.at("accounting") / fs::path(day); }
  std::string expected() const {
    std::string all;
    for (const auto& line : lines_of(log.records)) all += line + "\n";
    return all;
  }
};

// A disk on which no file may become longer, for a while.
struct small_disk {
  rlimit before{};
  explicit small_disk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit less = before;
    less.rlim_cur = bytes;
    BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &less) == 0);
  }
  ~small_disk() { ::setrlimit(RLIMIT_FSIZE, &before); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(following, fixture)

BOOST_AUTO_TEST_CASE(a_file_that_was_cut_is_told_at_the_start_with_what_to_run) {
  run_jobs(1);
  commit();
  follower->sync();
  const auto written = fs::file_size(file());
  restart();
  BOOST_TEST(notes.empty());
  fs::resize_file(file(), 10);
  restart();
  BOOST_REQUIRE_EQUAL(notes.size(), 1u);
  BOOST_TEST(notes[0] == "accounting: files are not as they were written: 20261121 has 10 bytes, " + std::to_string(written) +
                             " were written; run `pbs_audit accounting --check`");
}

BOOST_AUTO_TEST_CASE(lines_are_there_when_the_commit_was_told) {
  run_jobs(3);
  commit();
  BOOST_TEST(content(file()) == expected());
  BOOST_TEST(follower->behind());
  follower->sync();
  BOOST_TEST(!follower->behind());
}

BOOST_AUTO_TEST_CASE(every_restart_goes_on_where_the_checkpoint_stands) {
  for (int i = 0; i < 6; ++i) {
    run_jobs(2);
    commit();
    if (i % 2 == 0) follower->sync();
    run_jobs(1);  // committed, but the follower was not told before the server died
    restart();
    BOOST_TEST((content(file()) == expected() || follower->behind()));
    follower->sync();
    BOOST_TEST(content(file()) == expected());
  }
}

BOOST_AUTO_TEST_CASE(a_full_disk_stops_it_and_space_lets_it_go_on) {
  run_jobs(2);
  commit();
  const auto in_a_line = fs::file_size(file()) + 100;
  {
    const small_disk disk(in_a_line);
    run_jobs(3);
    commit();
    run_jobs(3);
    commit();  // nothing is kept of these; the log has them
    follower->sync();
    BOOST_TEST(fs::file_size(file()) == in_a_line);
    BOOST_TEST(notes.size() == 1u);
    BOOST_TEST(follower->behind());
  }
  run_jobs(1);
  commit();
  BOOST_TEST(content(file()) == expected());
  BOOST_TEST(notes.size() == 2u);
  BOOST_TEST(notes.back() == "accounting: written again");
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_full_at_the_start_delays_the_lines_only) {
  run_jobs(4);
  {
    const small_disk disk(1500);
    restart();
    follower->sync();
    BOOST_TEST(follower->behind());
  }
  follower->sync();
  BOOST_TEST(content(file()) == expected());
}

BOOST_AUTO_TEST_CASE(records_it_was_not_told_of_are_read_from_the_log) {
  run_jobs(1);
  told = log.records.size();  // the commit got lost
  run_jobs(1);
  commit();
  BOOST_TEST(content(file()) == expected());
}

BOOST_AUTO_TEST_CASE(records_told_twice_are_written_once) {
  run_jobs(1);
  told = 0;
  commit();
  told = 0;
  commit();
  BOOST_TEST(content(file()) == expected());
}

BOOST_AUTO_TEST_CASE(a_new_log_in_an_old_home_adds_its_lines) {
  run_jobs(1);
  commit();
  follower->sync();
  const auto before = content(file());
  fixture other("cube");  // so its first record is another
  other.dir.path.swap(dir.path);
  other.number = 50;
  other.run_jobs(1);
  other.restart();
  other.follower->sync();
  BOOST_TEST(content(other.file()) == before + other.expected());
  other.dir.path.swap(dir.path);
}

// A day's file goes on when its day comes again, and after a crash as well.
BOOST_AUTO_TEST_CASE(when_the_clock_went_back_the_file_of_today_goes_on) {
  for (const bool crash : {false, true}) {
    fixture f;
    f.run_jobs(2);
    f.run_jobs(1, 7 * 86'400);
    f.run_jobs(1);
    f.commit();
    f.follower->sync();
    f.run_jobs(1);
    if (crash) f.restart();
    else f.commit();
    f.follower->sync();
    f.restart();
    std::string today, ahead;
    projections::accounting fold;
    for (const auto& r : f.log.records)
      fold.fold(*r, [&](std::int64_t wall_s, std::string_view line) {
        (values::print_day(wall_s) == "20261121" ? today : ahead) += std::string(line) + "\n";
      });
    BOOST_TEST(!ahead.empty());
    BOOST_TEST(content(f.file()) == today);
    BOOST_TEST(content(f.file("20261128")) == ahead);
    BOOST_TEST(f.notes.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
