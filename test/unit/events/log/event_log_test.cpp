#include "events/log/event_log.hpp"

#include <optional>

#include "events/log/fault_store.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/model/limits.hpp"
#include "test/unit/events/log/log_fixture.hpp"

using namespace annals;
using namespace annals::log;

namespace {

const std::string command(16, 'c'), other_command(16, 'd');

struct fixture {
  set_clock clock;
  fault_store store{1};
  std::optional<event_log> log{std::in_place, store, clock};
  std::vector<record_ptr> committed;

  staged stage(append a) {
    auto answer = log->stage(std::move(a));
    BOOST_REQUIRE(std::holds_alternative<staged>(answer));
    return std::get<staged>(answer);
  }
  void commit() { BOOST_REQUIRE_EQUAL(log->commit(committed).text, ""); }
  void write(append a) {
    stage(std::move(a));
    commit();
  }
  // A log at work: it is written every ten minutes.
  void passes(std::int64_t seconds) {
    for (; seconds > 0; seconds -= 600) {
      clock.add_seconds(600);
      write(append_to(0, 0));
    }
  }
  void crash_and_restart() {
    log.reset();
    store.crash();
    log.emplace(store, clock);
  }
  std::string kept() { return names_in(store); }
};

append asked(const std::string& id, std::vector<std::string> names = {"q"}, const std::string& answer = "done") {
  auto a = append_to(0, 0, std::move(names));
  a.command_id = id;
  a.answer = answer;
  return a;
}

// Beside its own events those of a stream that begins with them.
append with_born(append a, std::vector<std::string> names) {
  for (const auto& name : names) a.born.push_back(named_event(name));
  return a;
}

// "1.2": stream and version of each.
std::string places_of(const std::vector<record_ptr>& records) {
  std::string out;
  for (const auto& r : records)
    out += (out.empty() ? "" : " ") + std::to_string(r->get().getStream()) + "." + std::to_string(r->get().getStreamVersion());
  return out;
}

std::string said(const std::variant<staged, version_conflict, repeated, too_large>& answer) {
  if (auto* s = std::get_if<staged>(&answer)) return "staged " + std::to_string(s->last_sequence);
  if (auto* c = std::get_if<version_conflict>(&answer)) return "conflict " + std::to_string(c->actual);
  if (auto* t = std::get_if<too_large>(&answer)) return "too large " + std::to_string(t->bytes);
  const auto& r = std::get<repeated>(answer);
  return "repeated " + r.answer + " " + std::to_string(r.sequence) + (r.pending ? " pending" : "");
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(writing, fixture)

BOOST_AUTO_TEST_CASE(events_get_sequences_versions_and_serials_of_new_streams) {
  auto a = stage(append_to(0, 0, {"a", "b"}));
  auto b = stage(append_to(0, 0, {"c"}));
  auto c = stage(append_to(a.stream, 2, {"d"}));
  BOOST_TEST(a.stream == 1u);
  BOOST_TEST(a.version == 2u);
  BOOST_TEST(a.last_sequence == 2u);
  BOOST_TEST(b.stream == 2u);
  BOOST_TEST(b.last_sequence == 3u);
  BOOST_TEST(c.version == 3u);
  BOOST_TEST(log->last_sequence() == 0u);
  BOOST_TEST(kept() == "");
  commit();
  BOOST_TEST(committed.size() == 4u);
  BOOST_TEST(committed[3]->get().getStreamVersion() == 3u);
  BOOST_TEST(log->last_sequence() == 4u);
  BOOST_TEST(kept() == "1:a 2:b 3:c 4:d ");
  BOOST_TEST(store.appends() == 1u);
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(committing_nothing_writes_nothing) {
  commit();
  BOOST_TEST(committed.empty());
  BOOST_TEST(store.appends() == 0u);
}

// It has seen more than anybody has written to its stream since the log was opened, so that its version is as it says.
BOOST_AUTO_TEST_CASE(the_store_is_not_asked_for_a_version_that_somebody_has_seen_since) {
  struct counting final : memory_event_store {
    std::uint64_t last_version(std::uint64_t stream) const override {
      ++asked;
      return memory_event_store::last_version(stream);
    }
    mutable int asked = 0;
  } store;
  const auto write = [&](event_log& to, std::uint64_t stream, std::uint64_t version, std::uint64_t seen) {
    auto a = append_to(stream, version);
    a.seen = seen;
    const auto answer = said(to.stage(std::move(a)));
    BOOST_REQUIRE(static_cast<bool>(to.commit(committed)));
    return answer;
  };
  {
    event_log before(store, clock);
    for (int i = 0; i < 3; ++i) (void)write(before, 0, 0, 0);
  }
  event_log again(store, clock);
  BOOST_TEST(write(again, 1, 1, 3) == "staged 4");
  BOOST_TEST(store.asked == 0);
  BOOST_TEST(write(again, 1, 1, 3) == "conflict 2");  // it was written to since
  BOOST_TEST(write(again, 1, 2, 4) == "staged 5");
  BOOST_TEST(store.asked == 0);
  BOOST_TEST(write(again, 2, 7, 2) == "conflict 1");  // that was before the log was opened
  BOOST_TEST(write(again, 3, 1, 0) == "staged 6");
  BOOST_TEST(store.asked == 2);
}

BOOST_AUTO_TEST_CASE(a_version_that_is_not_the_streams_is_a_conflict) {
  write(append_to(0, 0, {"a", "b"}));
  BOOST_TEST(said(log->stage(append_to(1, 1))) == "conflict 2");
  BOOST_TEST(said(log->stage(append_to(1, 3))) == "conflict 2");
  BOOST_TEST(said(log->stage(append_to(9, 1))) == "conflict 0");
  stage(append_to(1, 2));
  BOOST_TEST(said(log->stage(append_to(1, 2))) == "conflict 3");  // counts what is staged
  crash_and_restart();
  BOOST_TEST(said(log->stage(append_to(1, 0))) == "conflict 2");  // asked of the store
  stage(append_to(1, 2));
}

BOOST_AUTO_TEST_CASE(a_serial_is_never_given_twice) {
  write(append_to(0, 0));
  write(append_to(0, 0));
  crash_and_restart();
  BOOST_TEST(stage(append_to(0, 0)).stream == 3u);
}

BOOST_AUTO_TEST_CASE(the_epoch_counts_the_writers) {
  BOOST_TEST(log->epoch() == 1u);
  write(append_to(0, 0));
  crash_and_restart();
  BOOST_TEST(log->epoch() == 2u);
  write(append_to(0, 0));
  BOOST_TEST(committed[0]->get().getWriterEpoch() == 2u);
  crash_and_restart();
  BOOST_TEST(log->epoch() == 3u);
}

BOOST_AUTO_TEST_CASE(a_clock_that_is_a_moment_behind_is_waited_for_and_stands_beside_the_time) {
  const auto start = clock.ns;
  write(append_to(0, 0));
  clock.ns -= limits::clock_held_ns;
  write(append_to(0, 0));
  BOOST_TEST(committed.size() == 1u);
  BOOST_TEST(committed[0]->get().getWallNs() == start);
  BOOST_TEST(committed[0]->get().getRawNs() == start - limits::clock_held_ns);
  crash_and_restart();
  write(append_to(0, 0));
  BOOST_TEST(committed[0]->get().getWallNs() == start);
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(the_last_append_can_be_taken_back) {
  stage(append_to(0, 0, {"a"}));
  const auto bytes = log->staged_bytes();
  auto refused = asked(command, {"b", "c"});
  refused.blobs.push_back(blob_of("script"));
  stage(refused);
  BOOST_TEST(log->last_staged_begin() == 1u);
  BOOST_TEST(log->staged_records().size() == 3u);
  log->unstage_last();
  BOOST_TEST(log->staged_records().size() == 1u);
  BOOST_TEST(log->staged_bytes() == bytes);
  auto next = stage(append_to(0, 0, {"d"}));
  BOOST_TEST(next.stream == 2u);
  BOOST_TEST(next.last_sequence == 2u);
  commit();
  BOOST_TEST(kept() == "1:a 2:d ");
  BOOST_TEST(verify(store).ok());
  BOOST_TEST(!store.read_blob(blob_of("script").hash));
  BOOST_TEST(!log->find_command(refused.by, command));  // refused: the client may ask again
}

BOOST_AUTO_TEST_CASE(taking_back_restores_the_version_of_its_stream) {
  write(append_to(0, 0, {"a"}));
  stage(append_to(1, 1, {"b"}));
  stage(append_to(1, 2, {"c"}));
  log->unstage_last();
  BOOST_TEST(log->last_version(1) == 2u);
  log->unstage_last();
  BOOST_TEST(log->last_version(1) == 1u);
  stage(append_to(1, 1, {"d"}));
  commit();
  BOOST_TEST(kept() == "1:a 2:d ");
}

BOOST_AUTO_TEST_CASE(blobs_are_written_with_the_events_that_name_them) {
  auto a = append_to(0, 0);
  a.blobs.push_back(blob_of("#!/bin/sh\n"));
  stage(a);
  BOOST_TEST(!store.read_blob(a.blobs[0].hash));
  commit();
  crash_and_restart();
  BOOST_TEST(text_of(store.read_blob(a.blobs[0].hash).value()) == "#!/bin/sh\n");
}

BOOST_AUTO_TEST_CASE(an_upload_named_by_an_event_survives) {
  const auto large = blob_of(std::string(100'000, 'x'));
  BOOST_REQUIRE(store.put_blob_piece(large.hash, 0, large.bytes));
  BOOST_REQUIRE(store.finish_blob(large.hash, 1));
  auto a = append_to(0, 0);
  a.uploaded.push_back(large.hash);
  write(a);
  crash_and_restart();
  BOOST_TEST(store.read_blob(large.hash).has_value());
}

BOOST_AUTO_TEST_CASE(an_event_larger_than_the_limit_is_refused_and_one_of_the_limit_is_not) {
  const auto over = limits::event_bytes_max;
  const auto frame = named_event("").bytes().size();
  BOOST_TEST(said(log->stage(append_to(0, 0, {std::string(over, 'x')}))).starts_with("too large "));
  BOOST_TEST(log->staged_records().empty());
  const auto largest = named_event(std::string(over - frame - 16, 'x')).bytes().size();
  BOOST_TEST(largest <= over);
  stage(append_to(0, 0, {std::string(over - frame - 16, 'x')}));
}

BOOST_AUTO_TEST_CASE(the_runs_of_hooks_count_as_of_the_event_in_whose_record_they_stand) {
  const std::string half(limits::event_bytes_max / 2, 'x');
  auto a = append_to(0, 0, {half});
  a.hooks.push_back(schema::make<schema::HookRun>([&](schema::HookRun::Builder run) { run.setMessage(half); }));
  BOOST_TEST(said(log->stage(a)).starts_with("too large "));
  a.events.insert(a.events.begin(), named_event("q"));
  stage(a);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(born_streams, fixture)

BOOST_AUTO_TEST_CASE(a_stream_is_born_in_the_append_of_another) {
  write(append_to(0, 0, {"array"}));
  const auto s = stage(with_born(append_to(1, 1, {"began"}), {"queued", "assigned"}));
  BOOST_TEST(s.stream == 1u);
  BOOST_TEST(s.version == 2u);
  BOOST_TEST(s.last_sequence == 4u);
  BOOST_TEST(log->last_version(1) == 2u);
  BOOST_TEST(log->last_version(2) == 2u);
  stage(append_to(2, 2, {"started"}));  // it may go on at once
  BOOST_TEST(stage(append_to(0, 0, {"other"})).stream == 3u);
  commit();
  BOOST_TEST(places_of(committed) == "1.2 2.1 2.2 2.3 3.1");
  BOOST_TEST(kept() == "1:array 2:began 3:queued 4:assigned 5:started 6:other ");
  BOOST_TEST(store.appends() == 2u);
  BOOST_TEST(verify(store).ok());
  crash_and_restart();
  BOOST_TEST(log->last_version(2) == 3u);
  BOOST_TEST(stage(with_born(append_to(1, 2, {"began"}), {"queued"})).version == 3u);
  commit();
  BOOST_TEST(places_of(committed) == "1.3 4.1");
}

BOOST_AUTO_TEST_CASE(both_streams_may_be_new) {
  const auto s = stage(with_born(append_to(0, 0, {"a"}), {"b", "c"}));
  BOOST_TEST(s.stream == 1u);
  BOOST_TEST(s.version == 1u);
  commit();
  BOOST_TEST(places_of(committed) == "1.1 2.1 2.2");
}

BOOST_AUTO_TEST_CASE(the_runs_of_hooks_stand_in_the_first_record_alone) {
  auto a = with_born(append_to(0, 0, {"a"}), {"b"});
  a.hooks.push_back(schema::make<schema::HookRun>([](schema::HookRun::Builder run) { run.setMessage("looked"); }));
  write(a);
  BOOST_REQUIRE(committed.size() == 2u);
  BOOST_TEST(committed[0]->get().getHooks().size() == 1u);
  BOOST_TEST(committed[1]->get().getHooks().size() == 0u);
}

BOOST_AUTO_TEST_CASE(both_are_taken_back) {
  write(append_to(0, 0, {"a"}));
  stage(append_to(1, 1, {"b"}));
  const auto bytes = log->staged_bytes();
  auto refused = with_born(append_to(1, 2, {"c"}), {"d", "e"});
  refused.command_id = command;
  stage(refused);
  BOOST_TEST(log->staged_records().size() == 4u);
  log->unstage_last();
  BOOST_TEST(log->staged_records().size() == 1u);
  BOOST_TEST(log->staged_bytes() == bytes);
  BOOST_TEST(log->last_version(1) == 2u);
  BOOST_TEST(log->last_version(2) == 0u);
  BOOST_TEST(!log->find_command(refused.by, command));
  stage(with_born(append_to(1, 2, {"f"}), {"g"}));
  commit();
  BOOST_TEST(places_of(committed) == "1.2 1.3 2.1");
  BOOST_TEST(kept() == "1:a 2:b 3:f 4:g ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_repeat_bears_nothing) {
  write(with_born(asked(command, {"a"}, "12[3].borg"), {"b", "c"}));
  BOOST_TEST(said(log->stage(with_born(asked(command, {"a"}), {"b", "c"}))) == "repeated 12[3].borg 3");
  BOOST_TEST(log->staged_records().empty());
  crash_and_restart();
  BOOST_TEST(said(log->stage(with_born(asked(command, {"a"}), {"b", "c"}))) == "repeated 12[3].borg 3");
  BOOST_TEST(stage(append_to(0, 0)).stream == 3u);
}

BOOST_AUTO_TEST_CASE(a_conflict_of_the_first_stream_bears_nothing) {
  write(append_to(0, 0, {"a"}));
  BOOST_TEST(said(log->stage(with_born(append_to(1, 0, {"b"}), {"c"}))) == "conflict 1");
  BOOST_TEST(log->staged_records().empty());
  BOOST_TEST(stage(append_to(0, 0)).stream == 2u);
}

BOOST_AUTO_TEST_CASE(an_event_that_is_too_large_is_refused_with_all_the_others) {
  write(append_to(0, 0, {"a"}));
  BOOST_TEST(
      said(log->stage(with_born(append_to(1, 1, {"b"}), {"c", std::string(limits::event_bytes_max, 'x')}))).starts_with("too large "));
  BOOST_TEST(log->staged_records().empty());
  BOOST_TEST(log->last_version(1) == 1u);
  BOOST_TEST(stage(append_to(0, 0)).stream == 2u);
}

BOOST_AUTO_TEST_CASE(a_full_disk_keeps_neither) {
  write(append_to(0, 0, {"a"}));
  const auto head = log->head();
  store.set_disk_full(true);
  stage(with_born(append_to(1, 1, {"b"}), {"c"}));
  stage(with_born(append_to(1, 2, {"d"}), {"e"}));
  BOOST_TEST((log->commit(committed).error == ports::store_error::disk_full));
  BOOST_TEST(log->staged_bytes() == 0u);
  BOOST_TEST(log->last_sequence() == 1u);
  for (std::uint64_t stream = 1; stream <= 3; ++stream) BOOST_TEST(log->last_version(stream) == (stream == 1 ? 1u : 0u));
  BOOST_TEST((log->head() == head));
  store.set_disk_full(false);
  write(with_born(append_to(1, 1, {"f"}), {"g"}));
  BOOST_TEST(places_of(committed) == "1.2 2.1");
  BOOST_TEST(kept() == "1:a 2:f 3:g ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(after_a_failed_sync_both_are_there_or_neither) {
  bool kept_it = false, lost_it = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fault_store s(seed);
    {
      event_log first(s, clock);
      (void)first.stage(with_born(append_to(0, 0, {"a"}), {"b", "c"}));
      s.fail_next_sync();
      BOOST_TEST((first.commit(committed).error == ports::store_error::sync_failed));
    }
    s.crash();
    const event_log again(s, clock);
    const bool kept_now = again.last_sequence() == 3;
    BOOST_TEST((kept_now || again.last_sequence() == 0));
    BOOST_TEST(again.last_version(2) == (kept_now ? 2u : 0u));
    (kept_now ? kept_it : lost_it) = true;
  }
  BOOST_TEST(kept_it);
  BOOST_TEST(lost_it);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(command_ids, fixture)

BOOST_AUTO_TEST_CASE(a_repeat_gets_the_first_answer_and_writes_nothing) {
  write(asked(command, {"a", "b"}, "12.borg"));
  BOOST_TEST(said(log->stage(asked(command, {"c"}, "13.borg"))) == "repeated 12.borg 2");
  commit();
  BOOST_TEST(kept() == "1:a 2:b ");
}

BOOST_AUTO_TEST_CASE(a_repeat_while_the_first_is_staged_joins_it) {
  stage(asked(command, {"a"}, "12.borg"));
  BOOST_TEST(said(log->stage(asked(command, {"a"}, "13.borg"))) == "repeated 12.borg 1 pending");
  commit();
  BOOST_TEST(said(log->stage(asked(command, {"a"}, "13.borg"))) == "repeated 12.borg 1");
}

BOOST_AUTO_TEST_CASE(the_answer_survives_a_crash) {
  write(asked(command, {"a"}, "12.borg"));
  crash_and_restart();
  BOOST_TEST(said(log->stage(asked(command))) == "repeated 12.borg 1");
}

BOOST_AUTO_TEST_CASE(an_answer_is_given_to_who_asked_first_and_to_nobody_else) {
  write(asked(command));
  auto stranger = asked(command);
  stranger.by.user = "mallory";
  BOOST_TEST(said(log->stage(stranger)) == "staged 2");
}

BOOST_AUTO_TEST_CASE(different_commands_and_those_without_an_id_are_done) {
  write(asked(command));
  BOOST_TEST(said(log->stage(asked(other_command))) == "staged 2");
  BOOST_TEST(said(log->stage(asked(""))) == "staged 3");
  BOOST_TEST(said(log->stage(asked(""))) == "staged 4");
}

BOOST_AUTO_TEST_CASE(an_answer_is_kept_for_a_day_and_forgotten_in_the_end) {
  write(asked(command));
  passes(limits::command_id_memory_s);
  BOOST_TEST(said(log->stage(asked(command))) == "repeated done 1");
  crash_and_restart();
  BOOST_TEST(said(log->stage(asked(command))) == "repeated done 1");
  passes(limits::command_id_memory_s);
  BOOST_TEST(said(log->stage(asked(command))).starts_with("staged "));
}

BOOST_AUTO_TEST_CASE(time_that_passes_at_once_makes_nobody_forget) {
  write(asked(command));
  for (int week = 0; week < 50; ++week) {
    clock.add_seconds(7 * limits::command_id_memory_s);
    write(append_to(0, 0));
  }
  BOOST_TEST(said(log->stage(asked(command))) == "repeated done 1");
}

BOOST_AUTO_TEST_CASE(what_is_forgotten_leaves_the_store) {
  struct counting : fault_store {
    using fault_store::fault_store;
    int drops = 0;
    ports::store_status append(const ports::write_batch& batch) override {
      if (!batch.forget_memos_below.empty()) ++drops;
      return fault_store::append(batch);
    }
  } counted(1);
  event_log own(counted, clock);
  for (std::int64_t s = 0; s < 3 * limits::command_id_memory_s; s += 600) {
    clock.add_seconds(600);
    (void)own.stage(asked(std::string(8, 'c') + std::to_string(10'000'000 + s)));
    BOOST_REQUIRE(own.commit(committed));
  }
  BOOST_TEST(counted.drops == 3);  // once a day, not once a batch
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(faults, fixture)

BOOST_AUTO_TEST_CASE(a_full_disk_empties_the_stage_and_the_log_stands_where_it_stood) {
  write(asked(command, {"a"}));
  const auto head = log->head();
  store.set_disk_full(true);
  stage(append_to(1, 1, {"b"}));
  stage(asked(other_command, {"c"}));
  BOOST_TEST((log->commit(committed).error == ports::store_error::disk_full));
  BOOST_TEST(committed.empty());
  BOOST_TEST(log->staged_records().empty());
  BOOST_TEST(log->staged_bytes() == 0u);
  BOOST_TEST(log->last_sequence() == 1u);
  BOOST_TEST(log->last_version(1) == 1u);
  BOOST_TEST((log->head() == head));
  BOOST_TEST(kept() == "1:a ");  // reads go on
  store.set_disk_full(false);
  BOOST_TEST(said(log->stage(asked(other_command, {"c"}))) == "staged 2");  // and so does writing
  commit();
  BOOST_TEST(kept() == "1:a 2:c ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(on_a_full_disk_nothing_was_skipped_either) {
  write(append_to(0, 0, {"a"}));
  store.set_disk_full(true);
  log->skip_lost(1000, 500);
  BOOST_TEST(stage(append_to(0, 0, {"loss"})).last_sequence == 1000u);
  BOOST_TEST((log->commit(committed).error == ports::store_error::disk_full));
  store.set_disk_full(false);
  BOOST_TEST(stage(append_to(0, 0, {"b"})).stream == 2u);
  commit();
  BOOST_TEST(kept() == "1:a 2:b ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(after_a_failed_sync_a_restart_finds_all_of_the_batch_or_nothing) {
  bool kept_it = false, lost_it = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fault_store s(seed);
    {
      event_log first(s, clock);
      (void)first.stage(asked(command, {"a", "b"}));
      s.fail_next_sync();
      BOOST_TEST((first.commit(committed).error == ports::store_error::sync_failed));
      BOOST_TEST(committed.empty());
    }
    s.crash();
    event_log again(s, clock);
    const bool kept_now = again.last_sequence() == 2;
    BOOST_TEST((kept_now || again.last_sequence() == 0));
    BOOST_TEST(said(again.stage(asked(command, {"a", "b"}))) == (kept_now ? "repeated done 2" : "staged 2"));
    (kept_now ? kept_it : lost_it) = true;
  }
  BOOST_TEST(kept_it);
  BOOST_TEST(lost_it);
}

BOOST_AUTO_TEST_CASE(a_writer_that_another_has_replaced_writes_no_more) {
  write(append_to(0, 0, {"a"}));
  stage(append_to(0, 0, {"late"}));
  event_log next(store, clock);
  BOOST_TEST(next.epoch() == log->epoch() + 1);
  BOOST_TEST((log->commit(committed).error == ports::store_error::fenced));
  BOOST_TEST(committed.empty());
  (void)next.stage(append_to(0, 0, {"b"}));
  BOOST_REQUIRE(next.commit(committed));
  BOOST_TEST((log->commit(committed).error == ports::store_error::fenced));  // nor in the place of what came since
  BOOST_TEST(kept() == "1:a 2:b ");
  BOOST_TEST(verify(store).ok());
}

BOOST_AUTO_TEST_CASE(a_restart_on_a_full_disk_takes_the_log_when_there_is_room) {
  write(append_to(0, 0, {"a"}));
  log.reset();
  store.set_disk_full(true);
  log.emplace(store, clock);
  stage(append_to(1, 1, {"b"}));
  BOOST_TEST((log->commit(committed).error == ports::store_error::disk_full));
  store.set_disk_full(false);
  write(append_to(1, 1, {"c"}));
  BOOST_TEST(kept() == "1:a 2:c ");
  BOOST_TEST(committed[0]->get().getWriterEpoch() == 2u);
  BOOST_TEST(store.epoch() == 2u);
}

BOOST_AUTO_TEST_CASE(what_is_uncertain_stays_staged_until_it_is_sure) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fault_store s(seed);
    event_log own(s, clock);
    (void)own.stage(asked(command, {"a", "b"}));
    s.be_uncertain(3);
    for (int i = 0; i < 3; ++i) {
      BOOST_TEST((own.commit(committed).error == ports::store_error::uncertain));
      BOOST_TEST(committed.empty());
      BOOST_TEST(own.last_sequence() == 0u);
      BOOST_TEST(own.find_command({"alice", "front", schema::Role::USER}, command)->pending);
    }
    BOOST_REQUIRE(own.commit(committed));
    BOOST_TEST(committed.size() == 2u);
    BOOST_TEST(names_in(s) == "1:a 2:b ");
    BOOST_TEST(said(own.stage(asked(command))) == "repeated done 2");
    BOOST_TEST(verify(s).ok());
  }
}

// Whoever takes the log finds what the one before was uncertain about, or it never comes.
BOOST_AUTO_TEST_CASE(what_was_uncertain_when_the_writer_died_is_there_or_never_comes) {
  bool kept_it = false, lost_it = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    fault_store s(seed);
    event_log first(s, clock);
    (void)first.stage(asked(command, {"a"}));
    s.be_uncertain(1);
    BOOST_TEST((first.commit(committed).error == ports::store_error::uncertain));
    event_log next(s, clock);
    const bool kept_now = next.last_sequence() == 1;
    BOOST_TEST((first.commit(committed).error == ports::store_error::fenced));
    BOOST_TEST(said(next.stage(asked(command, {"a"}))) == (kept_now ? "repeated done 1" : "staged 1"));
    (kept_now ? kept_it : lost_it) = true;
  }
  BOOST_TEST(kept_it);
  BOOST_TEST(lost_it);
}

BOOST_AUTO_TEST_CASE(a_torn_batch_is_found_at_the_start_and_located) {
  write(append_to(0, 0, {"a"}));
  stage(append_to(0, 0, {"b"}));
  store.tear_next_append();
  BOOST_TEST(!log->commit(committed));
  BOOST_CHECK_EXCEPTION(crash_and_restart(), log_damaged, [](const log_damaged& x) {
    const std::string text = x.what();
    return text.find("record 2 (stream 2, version 1)") != std::string::npos &&
           text.find("pbs_audit verify") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_caller_may_verify_the_tail_itself) {
  const auto verify_later = [&] {
    log.reset();
    store.crash();
    const event_log later(store, clock, tail_check::left_to_caller);
    BOOST_TEST(later.tail_begin() == 1u);
    later.verify_tail();
  };
  verify_later();  // of an empty log
  log.emplace(store, clock);
  write(append_to(0, 0, {"a"}));
  BOOST_CHECK_NO_THROW(verify_later());
  log.emplace(store, clock);
  stage(append_to(0, 0, {"b"}));
  store.tear_next_append();
  BOOST_TEST(!log->commit(committed));
  BOOST_CHECK_EXCEPTION(verify_later(), log_damaged, [](const log_damaged& x) {
    return std::string(x.what()).find("record 2 (stream 2, version 1)") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_is_located_by_every_reader) {
  write(append_to(0, 0, {"a", "b", "c"}));
  store.flip_bit(2);
  const auto all = kept();
  BOOST_TEST(all.find("1:a event log: record 2 is damaged: wrong checksum; run `pbs_audit verify`") == 0u, all);
  const auto stream = log_reader(store).read_stream(1, 1, [](const record_ptr&) { return true; });
  BOOST_TEST((stream.error == ports::store_error::damaged));
  BOOST_TEST(stream.text.find("record 2") != std::string::npos);
  const auto report = verify(store);
  BOOST_REQUIRE(report.faults.size() == 1u);
  BOOST_TEST(report.faults[0] == "record 2 (stream 1, version 2): wrong checksum");
  BOOST_CHECK_THROW(crash_and_restart(), log_damaged);
}

BOOST_AUTO_TEST_CASE(crashes_at_any_moment_leave_a_log_that_verifies) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    fault_store s(seed);
    s.set_sync_failure_rate(0.2);
    std::mt19937_64 random(seed);
    std::uint64_t acknowledged = 0;
    std::optional<event_log> writer(std::in_place, s, clock);
    for (int i = 0; i < 60; ++i) {
      for (auto n = random() % 4; n > 0; --n) {
        const auto streams = s.last_stream();
        const auto serial = streams == 0 || random() % 2 ? 0 : 1 + random() % streams;
        auto a = append_to(serial, writer->last_version(serial), {"x", "y"});
        (void)writer->stage(random() % 4 ? std::move(a) : with_born(std::move(a), {"z"}));
        if (random() % 5 == 0) writer->unstage_last();
      }
      clock.ns += static_cast<std::int64_t>(random() % 2'000) - 1'000;
      if (writer->commit(committed)) {
        acknowledged = writer->last_sequence();
      } else {
        writer.reset();
        s.crash();
        writer.emplace(s, clock);
      }
      BOOST_REQUIRE_GE(writer->last_sequence(), acknowledged);
    }
    const auto report = verify(s);
    BOOST_TEST(report.ok(), (report.ok() ? "" : report.faults.front()));
    BOOST_TEST((report.head == writer->head()));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(on_rocksdb)

BOOST_AUTO_TEST_CASE(a_log_on_disk_goes_on_after_a_restart) {
  own_directory d;
  set_clock clock;
  std::vector<record_ptr> committed;
  for (std::uint64_t life = 1; life <= 3; ++life) {
    auto opened = open_event_store(d.path + "/log");
    auto& store = *std::get<0>(opened);
    event_log log(store, clock);
    BOOST_TEST(log.epoch() == life);
    BOOST_TEST(said(log.stage(asked(command, {"first"}, "12.borg"))) ==
               (life == 1 ? "staged 1" : "repeated 12.borg 1"));
    (void)log.stage(append_to(0, 0, {"again"}));
    BOOST_REQUIRE(log.commit(committed));
    BOOST_TEST(verify(store).ok());
    BOOST_TEST(log.last_sequence() == life + 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
