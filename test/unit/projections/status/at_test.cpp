// A question about a moment of the past is answered as the live server answered it at that moment, with the index of the past,
// without it, and with one that was damaged.
#include <boost/test/unit_test.hpp>

#include "events/log/memory_event_store.hpp"
#include "projections/status/past.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/projections/status/answers.hpp"
#include "test/unit/projections/status/array_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr projections::checkpoint_spacing close_together{.records_min = 23, .bytes_per_record = 1'000'000};
constexpr int steps = 300;

std::vector<question> questions(std::uint64_t jobs) {
  std::vector<question> all;
  for (auto kind : {ObjectKind::JOB, ObjectKind::QUEUE, ObjectKind::SERVER, ObjectKind::NODE, ObjectKind::SCHEDULER, ObjectKind::RESOURCE})
    all.push_back({.kind = kind});
  all.push_back({.kind = ObjectKind::JOB, .history = schema::History::ALSO});
  for (std::uint64_t n = 1; n <= jobs; n += 1 + jobs / 4)
    all.push_back({.kind = ObjectKind::JOB, .names = {std::to_string(n) + ".borg"}, .history = schema::History::ALSO});
  for (std::uint64_t n = 2; n <= jobs; n += 1 + jobs / 6)
    all.push_back({.kind = ObjectKind::JOB, .names = {std::to_string(n) + ".borg"}, .wanted = {"job_state"}, .why = true});
  return all;
}

struct told_story {
  log::memory_event_store store;
  made_history history;
  projections::past_writer writer{store, close_together};
  log::log_reader reader{store};

  // `ahead_s`: so far the clock is ahead for some steps, now and then.
  explicit told_story(unsigned seed, std::int64_t ahead_s = 0) : history(store, seed) {
    history.written = [this](const log::record& r) { writer.fold(r, history.now); };
    history.begin();
    for (int i = 0; i < steps; ++i) {
      if (i % 60 == 20) history.pass(ahead_s);
      if (i % 60 == 25) history.pass(-ahead_s);
      history.step();
    }
  }

  // Compares the answers at every sequence (or every so many) with those of a status that is folded record by record.
  void check(const log::snapshot_store* index, std::uint64_t every = 7) {
    projections::status live;
    BOOST_REQUIRE(reader.read(1, [&](const log::record_ptr& r) {
      live.fold(*r);
      if (r->sequence() % every != 0) return true;
      auto asked = questions(history.last_number());
      for (auto& q : asked) {
        const auto then = answer(live, q);
        q.at_sequence = r->sequence();
        const auto now = answer_at(reader, index, q);
        if (then != now) BOOST_TEST(then == now, "at " << r->sequence() << ":\n"
                                                       << then << "but\n"
                                                       << now);
        if (then != now) return false;
      }
      return true;
    }));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_past_is_answered_as_it_was_at_every_sequence) {
  for (unsigned seed : {1u, 2u}) {
    told_story story(seed);
    const log::snapshot_store index(story.store);
    BOOST_TEST(story.store.last_sequence() > 10 * close_together.records_min);
    BOOST_REQUIRE(projections::checkpoint_before(index, story.store.last_sequence()));
    BOOST_REQUIRE(projections::checkpoint_before(index, story.store.last_sequence() / 5));
    story.check(&index, 1);
  }
}

BOOST_AUTO_TEST_CASE(a_past_in_which_the_clock_went_back_is_answered_as_it_was) {
  told_story story(3, 604'800);
  const log::snapshot_store index(story.store);
  story.check(&index, 1);
}

BOOST_AUTO_TEST_CASE(without_an_index_the_answers_are_the_same) {
  told_story story(4);
  BOOST_REQUIRE(story.store.drop_cache(""));
  const log::snapshot_store index(story.store);
  BOOST_TEST(!projections::checkpoint_before(index, story.store.last_sequence()));
  story.check(&index);
  story.check(nullptr);
}

BOOST_AUTO_TEST_CASE(a_lost_checkpoint_is_made_up_for_by_the_one_before) {
  told_story story(5);
  log::snapshot_store index(story.store);
  const auto last = projections::checkpoint_before(index, story.store.last_sequence());
  BOOST_REQUIRE(last);
  BOOST_REQUIRE(story.store.drop_cache("snapshot/past/" + std::string(20 - std::to_string(last->sequence).size(), '0') +
                                       std::to_string(last->sequence)));
  const auto before = projections::checkpoint_before(index, story.store.last_sequence());
  BOOST_REQUIRE(before);
  BOOST_TEST(before->sequence < last->sequence);
  story.check(&index);
}

BOOST_AUTO_TEST_CASE(an_index_of_another_log_is_not_used) {
  told_story story(6), other(7);
  other.store.scan_cache("snapshot/", [&](std::string_view key, ports::byte_span value) {
    BOOST_REQUIRE(story.store.put_cache(key, value));
    return true;
  });
  const log::snapshot_store index(story.store);
  story.check(&index);
}

BOOST_AUTO_TEST_CASE(an_index_that_is_there_is_not_made_again_and_goes_on) {
  told_story story(8);
  log::snapshot_store index(story.store);
  const auto last = projections::checkpoint_before(index, story.store.last_sequence());
  std::size_t puts = 0;
  story.store.scan_cache("snapshot/past/", [&](std::string_view, ports::byte_span) { return ++puts > 0; });

  projections::past_writer again(story.store, close_together);
  projections::status now;
  BOOST_REQUIRE(story.reader.read(1, [&](const log::record_ptr& r) {
    now.fold(*r);
    again.fold(*r, now);
    return true;
  }));
  std::size_t puts_then = 0;
  story.store.scan_cache("snapshot/past/", [&](std::string_view, ports::byte_span) { return ++puts_then > 0; });
  BOOST_TEST(puts_then == puts);

  story.history.written = [&](const log::record& r) {
    now.fold(r);
    again.fold(r, now);
  };
  for (int i = 0; i < 60; ++i) story.history.step();
  BOOST_TEST(projections::checkpoint_before(index, story.store.last_sequence())->sequence > last->sequence);
  story.check(&index);
}

BOOST_AUTO_TEST_CASE(runs_of_a_hook_do_not_pile_up_in_the_index) {
  told_story story(9);
  const auto hook = story.history.write(0, [](auto e) { e.initHook().initCreated().setName("h1"); });
  for (int i = 0; i < 500; ++i) story.history.write(hook, [](auto e) { e.initHook().initRan().setSubject("borg"); });
  const log::snapshot_store index(story.store);
  const auto last = projections::checkpoint_before(index, story.store.last_sequence());
  BOOST_REQUIRE(last);
  bool found = false;
  for (auto s : last->content.get().getStreams()) {
    if (s.getSerial() != hook) continue;
    found = true;
    BOOST_TEST(s.getBack().size() == 2u);  // its creation and the last run
  }
  BOOST_TEST(found);
}

namespace {

// Between its events cycles pass, so that checkpoints are made.
void tell_of_an_array(made_history& history, std::uint64_t number) {
  const auto vnode = history.now.hosts().begin()->second.vnodes.front().name;
  array_story a([&](std::uint64_t stream, const array_story::fill& fill) { return history.write(stream, fill); }, number, "borg", vnode);
  const auto say = [&](const std::string& text) {
    history.write(history.now.schedulers().at("default").serial, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, text);
      r.initJobs(1)[0].setJob(a.array);
    });
    for (int i = 0; i < 5; ++i) history.cycle();
  };
  a.submit("1-8:2");
  say("Not Running: a");
  a.begin(1);
  a.begin(3);
  say("Not Running: b");
  a.start(1);
  a.end(1);
  a.leave(1);
  say("Not Running: b");
  a.requeue(3);
  a.leave(3, true);
  say("Not Running: c");
  a.begin(3);
  a.remove("5-7:2");
  say("Not Running: d");
  a.end(3);
  a.leave(3);
  a.end_stream(a.array);
  for (int i = 0; i < 5; ++i) history.cycle();
  for (std::uint32_t index : {1u, 3u}) a.forget(a.streams[index]);
  a.forget(a.array);
}

std::vector<question> questions_of_an_array(std::uint64_t number) {
  const auto of = [&](const char* indices) { return std::vector{std::to_string(number) + "[" + indices + "].borg"}; };
  std::vector<question> all{{.history = schema::History::ALSO, .subjobs = true}, {.names = of(""), .history = schema::History::ALSO}};
  for (const char* indices : {"1", "3", "5", "1-8", "3-7:4", "2"})
    all.push_back({.names = of(indices), .history = schema::History::ALSO});
  all.push_back({.names = of(""), .wanted = {"job_state"}, .why = true, .subjobs = true});
  all.push_back({.names = of("5"), .wanted = {"job_state"}, .why = true});
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(arrays_and_their_subjobs_have_a_past) {
  constexpr std::uint64_t number = 1'000'000;
  told_story story(3);
  const auto before = story.store.last_sequence();
  tell_of_an_array(story.history, number);
  const log::snapshot_store index(story.store);
  BOOST_TEST(projections::checkpoint_before(index, story.store.last_sequence())->sequence > before);
  projections::status live;
  BOOST_REQUIRE(story.reader.read(1, [&](const log::record_ptr& r) {
    live.fold(*r);
    if (r->sequence() <= before) return true;
    for (auto& q : questions_of_an_array(number)) {
      const auto then = answer(live, q);
      q.at_sequence = r->sequence();
      for (const auto* with : {&index, static_cast<const log::snapshot_store*>(nullptr)})
        BOOST_TEST(then == answer_at(story.reader, with, q), "at " << r->sequence());
    }
    return true;
  }));
}

BOOST_AUTO_TEST_CASE(a_time_means_the_last_record_that_is_not_after_it) {
  told_story story(9);
  const log::snapshot_store index(story.store);
  std::vector<std::int64_t> times;
  BOOST_REQUIRE(story.reader.read(1, [&](const log::record_ptr& r) {
    times.push_back(r->get().getWallNs());
    return true;
  }));
  const question all{.kind = ObjectKind::JOB};
  for (std::size_t i = 0; i < times.size(); i += 37) {
    auto by_sequence = all, by_time = all, just_after = all;
    by_sequence.at_sequence = i + 1;
    by_time.at_wall_ns = times[i];
    just_after.at_wall_ns = times[i] + 1;
    BOOST_TEST(answer_at(story.reader, &index, by_time) == answer_at(story.reader, &index, by_sequence));
    BOOST_TEST(answer_at(story.reader, &index, just_after) == answer_at(story.reader, &index, by_sequence));
  }
  auto before_all = all;
  before_all.at_wall_ns = times.front() - 1;
  BOOST_TEST(answer_at(story.reader, &index, before_all) == "at 0\n");
  auto beyond = all;
  beyond.at_sequence = times.size() + 1000;
  BOOST_TEST(answer_at(story.reader, &index, beyond) == answer(story.history.now, all));
}
