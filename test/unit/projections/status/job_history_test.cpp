// Jobs that have ended are told as they ended, whoever looks for them and however; out of a file as out of memory.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <sstream>

#include "events/attributes/ids.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/place.hpp"
#include "projections/status/subjobs.hpp"
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
  BOOST_TEST(told.explained == plain.explained);
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

// The lines of an answer, one for each job.
std::vector<std::string> lines_of(const std::string& answer) {
  std::vector<std::string> lines;
  std::istringstream in(answer);
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("at ")) lines.push_back(line);
  return lines;
}

std::string value_in(const std::string& line, const std::string& name) {
  const auto at = line.find(" " + name + "=");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 2;
  return line.substr(begin, line.find(' ', begin) - begin);
}

std::set<std::string> ids_of(const std::string& answer) {
  std::set<std::string> ids;
  for (const auto& line : lines_of(answer)) BOOST_TEST(ids.insert(line.substr(0, line.find(':'))).second, line << " comes twice");
  return ids;
}

// What of a whole list a question with `since` and `newest` wants.
std::vector<std::string> chosen_of(const std::vector<std::string>& all, std::int64_t since_s, std::uint64_t newest) {
  const auto finished = [](const std::string& line) { return value_in(line, "job_state") == "F"; };
  std::vector<std::uint64_t> numbers;
  const auto in_time = [&](const std::string& line) { return std::stoll("0" + value_in(line, "history_timestamp")) >= since_s; };
  for (const auto& line : all)
    if (finished(line) && in_time(line)) numbers.push_back(std::stoull(line));
  std::sort(numbers.begin(), numbers.end());
  if (newest > 0 && numbers.size() > newest) numbers.erase(numbers.begin(), numbers.end() - static_cast<std::ptrdiff_t>(newest));
  std::vector<std::string> wanted;
  for (const auto& line : all)
    if (!finished(line) || std::binary_search(numbers.begin(), numbers.end(), std::stoull(line))) wanted.push_back(line);
  return wanted;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(job_history)

BOOST_AUTO_TEST_CASE(since_and_newest_choose_among_finished_jobs) {
  std::size_t some_left_out = 0;
  for (unsigned seed : {6u, 7u, 8u}) {
    two_views v(seed);
    for (int i = 0; i < 800; ++i) {
      v.history.step();
      if (i % 160 < 159) continue;
      for (const auto& users : {std::vector<std::string>{}, {"user1"}, {"nobody"}})
        for (const auto history : {schema::History::ALSO, schema::History::ONLY}) {
          const question whole{.history = history, .users = users};
          const auto all = lines_of(answer(v.on_disk, whole));
          std::set<std::int64_t> ends{0, INT64_MAX};
          for (const auto& line : all)
            if (const auto end = value_in(line, "history_timestamp"); !end.empty()) ends.insert(std::stoll(end));
          for (const auto since_s : ends)
            for (const std::uint64_t newest : {0, 1, 3, 1000}) {
              auto q = whole;
              q.since_s = since_s;
              q.newest = newest;
              const auto wanted = chosen_of(all, since_s, newest);
              some_left_out += all.size() - wanted.size();
              BOOST_TEST(lines_of(answer(v.on_disk, q)) == wanted, boost::test_tools::per_element());
              BOOST_TEST(lines_of(answer_in_parts(v.on_disk, q, 1)) == wanted, boost::test_tools::per_element());
            }
        }
    }
  }
  BOOST_TEST(some_left_out > 100u);
}

BOOST_AUTO_TEST_CASE(a_question_that_wants_no_finished_jobs_is_answered_as_ever) {
  two_views v(9);
  for (int i = 0; i < 300; ++i) v.history.step();
  question q{.since_s = 1, .newest = 1};
  BOOST_TEST(answer(v.on_disk, q) == answer(v.on_disk, {}));
}

// Whatever happens between the parts of an answer.
BOOST_AUTO_TEST_CASE(each_job_that_is_there_throughout_comes_once) {
  std::size_t ended_meanwhile = 0, forgotten_meanwhile = 0, came_meanwhile = 0;
  for (unsigned seed = 10; seed < 40; ++seed) {
    two_views v(seed);
    for (int i = 0; i < 300; ++i) v.history.step();
    const question q{.history = schema::History::ALSO};
    const auto before = ids_of(answer(v.on_disk, q));
    const auto live_before = ids_of(answer(v.on_disk, {}));
    const auto told = ids_of(answer_in_parts(v.on_disk, q, 1, [&] { v.history.step(); }));
    const auto after = ids_of(answer(v.on_disk, q));
    const auto live_after = ids_of(answer(v.on_disk, {}));
    for (const auto& id : told) BOOST_TEST(before.contains(id), id << " was not there when it was asked");
    for (const auto& id : before) {
      if (after.contains(id)) BOOST_TEST(told.contains(id), id << " is missing");
      forgotten_meanwhile += !after.contains(id);
      ended_meanwhile += live_before.contains(id) && after.contains(id) && !live_after.contains(id);
    }
    for (const auto& id : after) came_meanwhile += !before.contains(id);
  }
  BOOST_TEST(ended_meanwhile > 0u);
  BOOST_TEST(forgotten_meanwhile > 0u);
  BOOST_TEST(came_meanwhile > 0u);
}

BOOST_AUTO_TEST_CASE(a_selection_in_parts_is_the_whole_one) {
  two_views v(5);
  for (int i = 0; i < 400; ++i) v.history.step();
  for (const auto history : {schema::History::LIVE, schema::History::ALSO}) {
    const auto fill = [&](schema::SelectJobs::Builder s) { s.setHistory(history); };
    const auto whole = selected(v.on_disk, fill);
    BOOST_TEST(whole != "");
    BOOST_TEST(selected(v.on_disk, fill, 1) == whole);
  }
}

// Also of jobs that qorder gave another place, one of which ends such a part.
BOOST_AUTO_TEST_CASE(a_list_of_unfinished_jobs_in_parts_is_the_whole_one) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    two_views v(seed);
    for (int i = 0; i < 200; ++i) v.history.step();
    const auto whole = answer(v.on_disk, {});
    for (const std::size_t rows : {1, 2, 7}) BOOST_TEST(answer_in_parts(v.on_disk, {}, rows) == whole);
  }
}

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
  auto no_end = projections::effort::without_end();
  projections::subjob_walk all(*array);
  BOOST_TEST(!all.go_on(
      v.on_disk, [&](const projections::subjob_view& s) { own.push_back(s.own ? s.own->serial : 0); }, no_end));
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
