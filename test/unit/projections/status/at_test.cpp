// A question about a moment of the past is answered as the live server answered it at that moment, with the index of the past,
// without it, and with one that was damaged.
#include <boost/test/unit_test.hpp>

#include "events/log/memory_event_store.hpp"
#include "projections/status/past.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/projections/status/answers.hpp"

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

  explicit told_story(unsigned seed) : history(store, seed) {
    history.written = [this](const log::record& r) { writer.fold(r, history.now); };
    history.begin();
    for (int i = 0; i < steps; ++i) history.step();
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
