// A status that was restored from a checkpoint and folded on answers as one that was folded from the first record on, and so does the index
// of the past; wherever the rows of finished jobs are.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "projections/status/past.hpp"
#include "test/support/recorded_lives.hpp"
#include "test/support/stored_bytes.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/projections/status/answers.hpp"
#include "test/unit/projections/status/told_histories.hpp"

using namespace annals;
using namespace annals::test;

namespace {

using records = std::vector<log::record_ptr>;

std::vector<question> every_kind_of_question() {
  std::vector<question> all;
  for (const auto kind : {ObjectKind::QUEUE, ObjectKind::SERVER, ObjectKind::NODE, ObjectKind::SCHEDULER, ObjectKind::RESOURCE,
                          ObjectKind::HOST, ObjectKind::HOOK, ObjectKind::RESERVATION})
    all.push_back({.kind = kind});
  for (const auto history : {schema::History::LIVE, schema::History::ALSO, schema::History::ONLY}) {
    all.push_back({.history = history});
    all.push_back({.history = history, .subjobs = true});
    all.push_back({.history = history, .queue = "workq", .states = "FQ"});
    all.push_back({.history = history, .users = {"user1"}});
    all.push_back({.history = history, .newest = 3});
  }
  all.push_back({.wanted = {"job_state"}, .why = true, .subjobs = true});
  return all;
}

// All that anybody is told by it.
std::string told_by(const projections::status& now) {
  std::string text;
  for (const auto& q : every_kind_of_question()) text += answer(now, q);
  for (const auto history : {schema::History::LIVE, schema::History::ALSO})
    text += selected(now, [&](schema::SelectJobs::Builder s) { s.setHistory(history); });
  for (const auto& u : now.shares().usages("default", now.wall_ns())) text += u.entity + " " + std::to_string(u.usage) + "\n";
  now.each_stream([&](const model::job_state& job) {
    text += job.id + " " + std::to_string(job.version) + (now.in_history(job.serial) ? " of the history\n" : "\n");
    return true;
  });
  return text;
}

// What a maker of checkpoints folds of it.
struct folds {
  projections::status now;
  projections::past_records past;
  void fold(const log::record& r) {
    now.fold(r);
    past.fold(r, now);
  }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.now, self.past);
  }
};

struct checkpoint_told {
  std::size_t folded;  // records
  std::string bytes, told;
};

// Folds them all into `whole`, with so many records between checkpoints.
std::vector<checkpoint_told> fold_all(const records& all, std::size_t every, folds& whole) {
  std::vector<checkpoint_told> checkpoints;
  for (std::size_t i = 0; i < all.size(); ++i) {
    whole.fold(*all[i]);
    if ((i + 1) % every == 0) checkpoints.push_back({i + 1, stored_bytes(whole), told_by(whole.now)});
  }
  return checkpoints;
}

template <class To>
void fold_rest(const records& all, std::size_t from, To& to) {
  for (std::size_t i = from; i < all.size(); ++i) to.fold(*all[i]);
}

void check_in_memory(const records& all, std::size_t every) {
  folds whole;
  const auto checkpoints = fold_all(all, every, whole);
  const auto bytes = stored_bytes(whole), told = told_by(whole.now);
  for (const auto& c : checkpoints) {
    folds restored;
    stored::restore_whole(c.bytes, restored);
    BOOST_TEST((stored_bytes(restored) == c.bytes), "restored at " << c.folded);
    BOOST_TEST(told_by(restored.now) == c.told, "restored at " << c.folded);
    fold_rest(all, c.folded, restored);
    BOOST_TEST((stored_bytes(restored) == bytes), "folded on from " << c.folded);
    BOOST_TEST(told_by(restored.now) == told, "folded on from " << c.folded);
  }
}

// A directory with the two files of rows.
struct kept_rows {
  temporary_directory dir;
  std::string jobs = dir.at("jobs"), past = dir.at("past");
  // As they are now: perhaps with rows behind the end that a checkpoint names.
  void copy_to(const kept_rows& other) const {
    std::filesystem::copy_file(jobs, other.jobs);
    std::filesystem::copy_file(past, other.past);
  }
  void keep(folds& f) const {
    BOOST_REQUIRE(f.now.history_rows().keep_in(jobs) == "");
    BOOST_REQUIRE(f.past.ended_rows().keep_in(past) == "");
  }
  void go_on(folds& f) const {
    f.now.history_rows().go_on_in(jobs);
    f.past.ended_rows().go_on_in(past);
  }
  void serve(projections::status& now, projections::past_records& of_past) const {
    now.history_rows().read_from(jobs);
    of_past.ended_rows().read_from(past);
    BOOST_REQUIRE(now.keep_history_in(dir.path) == "");
    BOOST_REQUIRE(of_past.ended_rows().use_directory(dir.path) == "");
  }
};

void check_kept(const records& all, std::size_t every) {
  const kept_rows kept;
  folds whole;
  kept.keep(whole);
  const auto checkpoints = fold_all(all, every, whole);
  const auto bytes = stored_bytes(whole), told = told_by(whole.now);
  std::size_t of_history = 0;
  for (const auto& c : checkpoints) {
    // A next round of the maker, after one that died at the end of the log.
    const kept_rows copy;
    kept.copy_to(copy);
    folds maker;
    stored::restore_whole(c.bytes, maker);
    copy.go_on(maker);
    BOOST_TEST(told_by(maker.now) == c.told, "restored at " << c.folded);
    fold_rest(all, c.folded, maker);
    BOOST_TEST((stored_bytes(maker) == bytes), "a round from " << c.folded);
    BOOST_TEST(told_by(maker.now) == told, "a round from " << c.folded);
    // A server.
    folds server;
    stored::restore_whole(c.bytes, server);
    kept.serve(server.now, server.past);
    server.now.each_stream([&](const model::job_state& job) { return of_history += server.now.in_history(job.serial), true; });
    BOOST_TEST(told_by(server.now) == c.told, "a server from " << c.folded);
    fold_rest(all, c.folded, server);
    BOOST_TEST(told_by(server.now) == told, "a server from " << c.folded);
  }
  BOOST_TEST(of_history > 0u);
}

records invented(unsigned seed, int steps) {
  log::memory_event_store store;
  made_history history(store, seed);
  tell_of_everything(history, seed, steps);
  return records_of(store);
}

records of_a_cluster(unsigned seed, int steps) {
  recorded_cluster c("fair_share: True all\nby_queue: False all\nfairshare_usage_res: ncpus\nresources: \"ncpus\"\n");
  c.change_server("job_history_enable", "True");
  c.change_server("eligible_time_enable", "True");
  live(c, seed, steps);
  c.refuses = false;
  live_with_reservations(c, seed, steps);
  c.submit_array("user1", "1-9:2", 2, 100);
  for (int i = 0; i < 10; ++i) {
    c.cycle();
    c.later(60);
  }
  return records_of(c.store);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(restored_status)

BOOST_AUTO_TEST_CASE(of_invented_histories_goes_on_as_if_it_had_folded_all) {
  for (const unsigned seed : {1u, 2u}) check_in_memory(invented(seed, 250), 31);
}

BOOST_AUTO_TEST_CASE(of_a_cluster_with_reservations_and_fairshare_goes_on_as_if_it_had_folded_all) {
  check_in_memory(of_a_cluster(3, 60), 61);
}

BOOST_AUTO_TEST_CASE(finds_finished_jobs_in_the_files_of_its_checkpoint) {
  check_kept(invented(4, 250), 47);
  check_kept(of_a_cluster(5, 60), 101);
}

BOOST_AUTO_TEST_CASE(without_its_rows_is_refused) {
  const auto all = invented(6, 100);
  const kept_rows kept;
  folds whole;
  kept.keep(whole);
  fold_rest(all, 0, whole);
  const auto bytes = stored_bytes(whole);
  std::filesystem::remove(kept.past);
  folds server;
  stored::restore_whole(bytes, server);
  BOOST_CHECK_THROW(kept.serve(server.now, server.past), stored::state_unreadable);
}

// Cut anywhere, it is no state.
BOOST_AUTO_TEST_CASE(of_fewer_bytes_is_refused) {
  folds whole;
  fold_rest(invented(7, 60), 0, whole);
  const auto bytes = stored_bytes(whole);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 200) {
    folds restored;
    BOOST_CHECK_THROW(stored::restore_whole(std::string_view(bytes).substr(0, cut), restored), stored::state_unreadable);
  }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

constexpr projections::checkpoint_spacing close_together{.records_min = 23, .bytes_per_record = 1'000'000};

using cache = std::vector<std::pair<std::string, std::vector<std::byte>>>;

cache cache_of(const log::memory_event_store& store) {
  cache all;
  store.scan_cache("", [&](std::string_view key, ports::byte_span value) {
    all.emplace_back(key, std::vector(value.begin(), value.end()));
    return true;
  });
  return all;
}

void put_back(log::memory_event_store& store, const cache& all) {
  BOOST_REQUIRE(store.drop_cache(""));
  for (const auto& [key, value] : all) BOOST_REQUIRE(store.put_cache(key, value));
}

// The records that each checkpoint of the index names, by its sequence and the stream.
using named_records = std::map<std::uint64_t, std::map<std::uint64_t, std::vector<std::uint32_t>>>;

named_records index_of(log::memory_event_store& store) {
  const log::snapshot_store index(store);
  named_records all;
  for (auto c = projections::checkpoint_before(index, store.last_sequence()); c; c = projections::checkpoint_before(index, c->sequence - 1))
    for (auto s : c->content.get().getStreams())
      for (const auto back : s.getBack()) all[c->sequence][s.getSerial()].push_back(back);
  return all;
}

struct indexed_history {
  log::memory_event_store store;
  struct state {
    std::size_t folded;
    std::string now, past;
    cache index;
  };
  std::vector<state> states;
  records all;

  explicit indexed_history(unsigned seed, std::size_t every) {
    projections::past_writer writer{store, close_together};
    made_history history(store, seed);
    history.written = [&](const log::record& r) {
      writer.fold(r, history.now);
      if (r.sequence() % every == 0)
        states.push_back({r.sequence(), stored_bytes(history.now), stored_bytes(writer.records()), cache_of(store)});
    };
    tell_of_everything(history, seed, 200);
    all = records_of(store);
  }

  // A server goes on from there with the index as it is.
  void go_on(const state& from) {
    projections::past_writer writer{store, close_together};
    projections::status now;
    stored::restore_whole(from.now, now);
    stored::restore_whole(from.past, writer.records());
    for (auto i = from.folded; i < all.size(); ++i) {
      now.fold(*all[i]);
      writer.fold(*all[i], now);
    }
  }

  void check_answers(std::uint64_t every) {
    const log::snapshot_store index(store);
    const log::log_reader reader(store);
    projections::status live;
    for (const auto& r : all) {
      live.fold(*r);
      if (r->sequence() % every != 0) continue;
      for (auto q : every_kind_of_question()) {
        if (q.newest > 0) continue;  // asks of the present alone
        const auto then = answer(live, q);
        q.at_sequence = r->sequence();
        BOOST_TEST(answer_at(reader, &index, q) == then, "at " << r->sequence());
      }
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(restored_index_of_the_past)

BOOST_AUTO_TEST_CASE(has_the_checkpoints_that_it_would_have_had) {
  indexed_history h(8, 37);
  const auto whole = index_of(h.store);
  BOOST_TEST(whole.size() > 8u);
  for (const auto& s : h.states) {
    put_back(h.store, s.index);
    h.go_on(s);
    BOOST_TEST((index_of(h.store) == whole), "from " << s.folded);
  }
  h.check_answers(11);
}

BOOST_AUTO_TEST_CASE(makes_no_checkpoint_twice) {
  indexed_history h(9, 37);
  const auto whole = cache_of(h.store);
  for (const auto& s : h.states) {
    h.go_on(s);
    BOOST_TEST((cache_of(h.store) == whole), "from " << s.folded);
  }
}

BOOST_AUTO_TEST_CASE(that_was_lost_begins_where_it_was_restored) {
  indexed_history h(10, 101);
  const auto& from = h.states.front();
  put_back(h.store, {});
  h.go_on(from);
  const auto index = index_of(h.store);
  BOOST_REQUIRE(!index.empty());
  BOOST_TEST(index.begin()->first == from.folded + 1);
  h.check_answers(29);
}

BOOST_AUTO_TEST_SUITE_END()
