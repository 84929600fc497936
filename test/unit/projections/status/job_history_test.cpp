// Jobs that have ended are told as they ended, whoever looks for them and however; out of a file as out of memory.
#include <boost/test/unit_test.hpp>

#include "events/attributes/ids.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/place.hpp"
#include "test/support/made_history.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/projections/status/answers.hpp"
#include "test/unit/projections/status/array_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

// What is kept of a job, by the rules of the model alone.
struct plain_jobs {
  std::map<std::uint64_t, model::job_state> by_serial;
  void fold(const log::record& r) {
    if (r.kind() != schema::StreamKind::JOB) return;
    auto& job = by_serial[r.get().getStream()];
    model::apply(job, log::place_of(r), r.event().getJob());
    if (job.phase == model::job_phase::forgotten) by_serial.erase(r.get().getStream());
  }
};

void check_same(const model::job_state& told, const model::job_state& plain) {
  BOOST_TEST((told.phase == plain.phase));
  BOOST_TEST(told.serial == plain.serial);
  BOOST_TEST(told.version == plain.version);
  BOOST_TEST(told.number == plain.number);
  BOOST_TEST(told.id == plain.id);
  BOOST_TEST(told.queue_rank == plain.queue_rank);
  BOOST_TEST(told.run == plain.run);
  BOOST_TEST(told.has_exit_status == plain.has_exit_status);
  BOOST_TEST(told.exit_status == plain.exit_status);
  BOOST_TEST(told.delete_requested == plain.delete_requested);
  BOOST_TEST(told.purge_history == plain.purge_history);
  BOOST_TEST(told.deleted_by == plain.deleted_by);
  for (const auto& e : plain.attributes) {
    // What cycles said of it is known to the status alone.
    if (e.id == attributes::job::comment) continue;
    BOOST_TEST(told.attribute(e.id, e.resource) == e.value);
  }
  BOOST_TEST((told.dependents == plain.dependents));
}

struct two_views {
  log::memory_event_store store;
  made_history history;
  temporary_directory dir;
  projections::status on_disk;
  plain_jobs plain;
  explicit two_views(unsigned seed) : history(store, seed) {
    BOOST_REQUIRE(on_disk.keep_history_in(dir.path) == "");
    history.written = [this](const log::record& r) {
      on_disk.fold(r);
      plain.fold(r);
    };
    history.begin();
  }
  void check() const {
    for (const auto& [serial, job] : plain.by_serial) {
      if (!job.ended()) continue;
      const auto told = on_disk.job(serial);
      BOOST_REQUIRE(told);
      check_same(*told, job);
      BOOST_TEST(on_disk.job_by_id(job.id)->serial == serial);
      BOOST_TEST(on_disk.in_history(serial) == model::pending_effects(job, {}).empty());
    }
  }
  // Answers do not depend on where the jobs are.
  void check_answers() const {
    for (const auto history : {schema::History::LIVE, schema::History::ALSO, schema::History::ONLY})
      for (const auto& users : {std::vector<std::string>{}, {"user1"}, {"user1@front"}, {"nobody"}})
        for (const char* queue : {"", "workq"})
          for (const char* states : {"", "F", "QR"}) {
            const question q{.history = history, .queue = queue, .states = states, .users = users};
            BOOST_TEST(answer(on_disk, q) == answer(history_in_memory(), q));
          }
  }
  const projections::status& history_in_memory() const { return history.now; }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(job_history)

BOOST_AUTO_TEST_CASE(ended_jobs_are_told_as_they_ended) {
  for (unsigned seed : {1u, 2u, 3u}) {
    two_views v(seed);
    bool some_ended = false;
    for (int i = 0; i < 400; ++i) {
      v.history.step();
      if (i % 10 > 0) continue;
      v.check();
      v.check_answers();
      v.on_disk.each_job([&](const model::job_state& job) { return !(some_ended |= job.ended()); });
    }
    BOOST_TEST(some_ended);
  }
}

BOOST_AUTO_TEST_CASE(rows_of_the_history_are_read_only_when_they_may_be_wanted) {
  two_views v(4);
  std::size_t all = 0, asked = 0, seen = 0;
  for (int i = 0; i < 4000 && all < 4; ++i) {
    v.history.step();
    all = 0;
    v.on_disk.each_stream([&](const model::job_state& job) { return all += v.on_disk.in_history(job.serial), true; });
  }
  BOOST_REQUIRE(all >= 4u);
  const auto count = [&](const model::job_state& job) {
    seen += v.on_disk.in_history(job.serial);
    return true;
  };
  v.on_disk.each_stream(count, {schema::History::ALSO, [&](std::string_view owner, std::string_view queue) {
                                  BOOST_TEST(owner.find('@') != std::string_view::npos);
                                  BOOST_TEST(!queue.empty());
                                  return ++asked % 2 == 0;
                                }});
  BOOST_TEST(asked == all);
  BOOST_TEST(seen == all / 2);
  bool only_live = true;
  v.on_disk.each_stream([&](const model::job_state& job) { return only_live &= !job.ended(); }, {schema::History::LIVE});
  BOOST_TEST(only_live);
}

BOOST_AUTO_TEST_CASE(an_array_and_its_subjobs_are_in_the_history) {
  two_views v(5);
  const auto vnode = v.history.now.hosts().begin()->second.vnodes.front().name;
  array_story a([&](std::uint64_t stream, const array_story::fill& fill) { return v.history.write(stream, fill); }, 1'000'000, "borg",
                vnode);
  a.submit("1-8:2");
  for (const std::uint32_t index : {3u, 1u}) {
    a.begin(index);
    a.start(index);
    a.end(index);
    a.leave(index);
  }
  a.remove("5-7:2");
  v.check();
  a.end_stream(a.array);
  v.check();
  v.check_answers();
  const auto array = v.on_disk.job_by_id("1000000[].borg");
  BOOST_REQUIRE(array);
  BOOST_TEST(v.on_disk.in_history(a.array));
  BOOST_TEST(array->array->remaining.print() == v.plain.by_serial.at(a.array).array->remaining.print());
  std::vector<std::uint64_t> own;
  v.on_disk.each_subjob(*array, [&](std::uint32_t, const model::job_state* s) {
    own.push_back(s ? s->serial : 0);
    return true;
  });
  BOOST_TEST(own == (std::vector<std::uint64_t>{a.streams[1], a.streams[3], 0, 0}), boost::test_tools::per_element());
  std::vector<std::string> begun;
  v.on_disk.each_stream([&](const model::job_state& job) {
    if (job.is_subjob()) begun.push_back(job.id);
    return true;
  });
  BOOST_TEST(begun == (std::vector<std::string>{"1000000[1].borg", "1000000[3].borg"}), boost::test_tools::per_element());
  for (const std::uint32_t index : {1u, 3u}) a.forget(a.streams[index]);
  a.forget(a.array);
  BOOST_TEST(!v.on_disk.job_by_id("1000000[].borg"));
  BOOST_TEST(!v.on_disk.job_by_id("1000000[3].borg"));
  v.check();
}

BOOST_AUTO_TEST_SUITE_END()
