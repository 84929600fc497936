// A log whose clock goes back: what is written then, and how its moments are found.
#include "events/log/clock_step.hpp"

#include <optional>

#include "events/log/fault_store.hpp"
#include "events/log/log_check.hpp"
#include "events/model/limits.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

constexpr std::int64_t hour_s = 3600, day_s = 24 * hour_s, week_s = 7 * day_s;
constexpr std::int64_t ns_per_s = 1'000'000'000;

struct stepped_log {
  set_clock clock;
  fault_store store{1};
  std::optional<event_log> log{std::in_place, store, clock};
  const std::int64_t start = clock.ns;
  std::vector<record_ptr> committed;

  std::variant<staged, version_conflict, repeated, too_large> stage(const std::string& command = {}) {
    auto a = append_to(0, 0);
    a.command_id = command;
    a.answer = "done";
    return log->stage(std::move(a));
  }
  void write(const std::string& command = {}) {
    BOOST_REQUIRE(std::holds_alternative<staged>(stage(command)));
    BOOST_REQUIRE(log->commit(committed));
  }
  bool was_done(const std::string& command) { return std::holds_alternative<repeated>(stage(command)); }
  void restart() {
    log.reset();
    store.crash();
    log.emplace(store, clock);
  }
  // Ahead by so much for one record, then back; a second passes meanwhile.
  void ahead_for_a_moment(std::int64_t seconds) {
    clock.add_seconds(seconds);
    write();
    clock.add_seconds(1 - seconds);
  }
  static std::optional<schema::ClockSteppedBack::Reader> step(const record_ptr& r) {
    if (!schema::is(r->event(), schema::LogEvent::CLOCK_STEPPED_BACK)) return std::nullopt;
    return r->event().getLog().getClockSteppedBack();
  }
  // Seconds since the start, of each record; "<" before one that says that the clock went back.
  std::string times() {
    std::string out;
    BOOST_REQUIRE(log_reader(store).read(1, [&](const record_ptr& r) {
      out += (step(r) ? "<" : "") + std::to_string((r->get().getWallNs() - start) / ns_per_s) + " ";
      return true;
    }));
    return out;
  }
  std::uint64_t last_at(std::int64_t seconds) {
    ports::store_status read;
    const auto found = last_not_after(store, start + seconds * ns_per_s, read);
    BOOST_TEST(read.text == "");
    return found;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(clock_steps, stepped_log)

BOOST_AUTO_TEST_CASE(a_clock_that_was_a_week_ahead_for_a_moment_is_believed_again) {
  write();
  ahead_for_a_moment(week_s);
  write();
  BOOST_REQUIRE(committed.size() == 2u);
  const auto said = step(committed[0]);
  BOOST_REQUIRE(said.has_value());
  BOOST_TEST(said->getFromNs() == start + week_s * ns_per_s);
  BOOST_TEST(said->getToNs() == clock.ns);
  BOOST_TEST(said->getFurthestNs() == start + week_s * ns_per_s);
  BOOST_TEST(committed[0]->get().getStreamVersion() == 1u);
  BOOST_TEST(committed[0]->get().getStream() != committed[1]->get().getStream());
  BOOST_TEST(committed[0]->get().getSteppedAt() == 0u);
  BOOST_TEST(committed[1]->get().getSteppedAt() == 3u);
  BOOST_TEST(times() == "0 604800 <1 1 ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_moment_more_than_is_held_is_said) {
  write();
  clock.ns -= limits::clock_held_ns + 1;
  write();
  BOOST_TEST(step(committed[0]).has_value());
}

BOOST_AUTO_TEST_CASE(what_can_not_be_the_time_is_not_believed_and_said) {
  write();
  BOOST_TEST(log->why_time_stands() == "");
  clock.ns -= limits::clock_step_back_ns_max;
  write();
  BOOST_REQUIRE(committed.size() == 2u);  // as far as that it may go
  BOOST_TEST(log->why_time_stands() == "");
  const auto last = clock.ns;
  clock.ns = 1;
  BOOST_TEST(log->why_time_stands().find("the clock says Thu Jan  1") == 0u, log->why_time_stands());
  write();
  restart();
  write();
  BOOST_REQUIRE(committed.size() == 1u);
  BOOST_TEST(committed[0]->get().getWallNs() == last);
  BOOST_TEST(committed[0]->get().getRawNs() == 1);
  clock.ns = last + 5;
  BOOST_TEST(log->why_time_stands() == "");
  write();
  BOOST_TEST(committed[0]->get().getWallNs() == last + 5);
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(somebody_may_say_that_it_is_right_all_the_same) {
  write();
  clock.ns = 1;
  log->accept_clock();
  write();
  BOOST_REQUIRE(committed.size() == 2u);
  BOOST_TEST(committed[1]->get().getWallNs() == 1);
  BOOST_TEST(log->why_time_stands() == "");
  clock.ns = start;
  write();
  clock.ns = 1;
  write();
  BOOST_TEST(committed.size() == 1u);  // it was said once
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_start_behind_the_last_record_says_so_too) {
  write();
  clock.add_seconds(week_s);
  write();
  log.reset();
  clock.add_seconds(-week_s);
  log.emplace(store, clock);
  write();
  BOOST_TEST(times() == "0 604800 <0 0 ");
  restart();
  write();
  clock.add_seconds(-10);
  write();
  BOOST_TEST(times() == "0 604800 <0 0 0 <-10 -10 ");
  BOOST_TEST(step(committed[0])->getFurthestNs() == start + week_s * ns_per_s);
  BOOST_TEST(committed[0]->get().getSteppedAt() == 3u);
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(it_stays_when_the_append_behind_it_is_taken_back) {
  write();
  clock.add_seconds(-10);
  stage();
  BOOST_TEST(log->last_staged_begin() == 1u);
  log->unstage_last();
  BOOST_TEST(log->staged_records().size() == 1u);
  stage();
  BOOST_REQUIRE(log->commit(committed));
  BOOST_TEST(times() == "0 <-10 -10 ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_none_of_it) {
  write();
  clock.add_seconds(-10);
  store.set_disk_full(true);
  stage();
  BOOST_TEST(!log->commit(committed));
  store.set_disk_full(false);
  write();
  BOOST_TEST(times() == "0 <-10 -10 ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(what_says_that_records_are_lost_stands_behind_the_loss) {
  write();
  clock.add_seconds(-10);
  log->skip_lost(100, 100);
  append loss;
  loss.events.push_back(model::make_event([](schema::Event::Builder e) { e.initLog().initLossAccepted().setLastSequence(1); }));
  BOOST_REQUIRE(std::holds_alternative<staged>(log->stage(std::move(loss))));
  BOOST_REQUIRE(log->commit(committed));
  BOOST_TEST(committed[0]->sequence() == 100u);
  write();
  BOOST_TEST(times() == "0 0 <-10 -10 ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_decrease_that_nobody_explains_is_damage) {
  record_meta meta;
  meta.sequence = meta.stream = meta.version = meta.epoch = 1;
  meta.wall_ns = 1000;
  const auto first = encode(meta, named_event("a"), chain_hash{});
  meta.sequence = meta.stream = 2;
  meta.wall_ns = 10;
  const auto wrong = model::make_event([](schema::Event::Builder e) {
    auto step = e.initLog().initClockSteppedBack();
    step.setFromNs(999);
    step.setToNs(10);
  });
  for (const auto& event : {named_event("b"), wrong}) {
    fault_store other(1);
    const auto second_one = encode(meta, event, first.hash);
    ports::write_batch batch;
    batch.records.push_back({1, 1, 1, first.bytes});
    batch.records.push_back({2, 2, 1, second_one.bytes});
    BOOST_REQUIRE(other.append(batch));
    const auto report = verify(other);
    BOOST_REQUIRE(report.faults.size() == 1u);
    BOOST_TEST(report.faults[0].find("its time is before that of the record before it") != std::string::npos);
  }
}

// -- command ids ---------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(what_was_done_by_a_right_clock_and_by_wrong_ones_is_not_done_again) {
  std::vector<std::string> all;
  const auto done_at = [&](std::int64_t ahead_s, char name) {
    clock.add_seconds(ahead_s);
    all.emplace_back(16, name);
    write(all.back());
    for (int n = 0; n < 2; ++n) {
      for (const auto& command : all) BOOST_TEST(was_done(command));
      restart();
    }
    clock.add_seconds(1 - ahead_s);
  };
  done_at(0, 'a');
  done_at(week_s, 'b');
  done_at(0, 'c');
  done_at(-week_s, 'd');
  done_at(2 * day_s, 'e');
  done_at(0, 'f');
}

// -- moments -------------------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(of_a_moment_that_there_is_twice_the_later_one_counts) {
  write();                     // 1, at 0
  clock.add_seconds(hour_s);   //
  write();                     // 2, at 3600
  clock.add_seconds(hour_s);   //
  write();                     // 3, at 7200
  clock.add_seconds(-hour_s);  //
  write();                     // 4 the step, and 5, at 3600
  clock.add_seconds(hour_s / 2);
  write();  // 6, at 5400
  BOOST_TEST(times() == "0 3600 7200 <3600 3600 5400 ");
  BOOST_TEST(last_at(-1) == 0u);
  BOOST_TEST(last_at(0) == 1u);
  BOOST_TEST(last_at(3599) == 1u);
  BOOST_TEST(last_at(3600) == 5u);
  BOOST_TEST(last_at(5399) == 5u);
  BOOST_TEST(last_at(5400) == 6u);
  BOOST_TEST(last_at(100'000) == 6u);  // nothing is later than the end of the log
}

BOOST_AUTO_TEST_CASE(a_record_of_the_future_hides_no_moment) {
  for (int n = 0; n < 50; ++n) {
    if (n % 7 == 3) ahead_for_a_moment(week_s);
    clock.add_seconds(1);
    write();
  }
  std::vector<std::int64_t> at{0};  // by sequence
  BOOST_REQUIRE(log_reader(store).read(1, [&](const record_ptr& r) {
    at.push_back((r->get().getWallNs() - start) / ns_per_s);
    return true;
  }));
  for (std::int64_t s = -1; s < 100; ++s) {
    std::uint64_t expected = 0;
    for (std::uint64_t n = 1; n < at.size(); ++n)
      if (at[n] <= s) expected = n;
    BOOST_TEST(last_at(s) == expected);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_log_has_no_moment) { BOOST_TEST(last_at(0) == 0u); }

BOOST_AUTO_TEST_SUITE_END()
