// Moments, words, listings, stories and replays of an invented log in memory.
#include <boost/test/unit_test.hpp>

#include <ctime>

#include "events/log/memory_event_store.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "test/support/made_history.hpp"
#include "test/support/temporary_directory.hpp"
#include "tools/audit/apart.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/moment.hpp"
#include "tools/audit/replay.hpp"
#include "tools/audit/scan.hpp"
#include "tools/audit/start_check.hpp"
#include "tools/audit/story.hpp"
#include "tools/audit/usage_report.hpp"

using namespace annals;
using namespace annals::audit;

namespace {

constexpr std::int64_t s = 1'000'000'000;

struct log_in_memory {
  log::memory_event_store store;
  test::made_history history;
  explicit log_in_memory(int steps = 200, unsigned seed = 1) : history(store, seed) {
    history.begin();
    for (int i = 0; i < steps; ++i) history.step();
  }
};

std::vector<std::string> lines_of(const ports::event_store& store, const event_filter& filter, bool json = false) {
  const log::log_reader reader(store);
  stream_names names(reader);
  listing lines(filter, names, store.last_sequence(), json);
  std::vector<std::string> all;
  scan(store, 1, store.last_sequence(),
       {[&](const log::record_ptr& r) {
          if (auto line = lines.line(*r); !line.empty()) all.push_back(line);
          return true;
        },
        [&](std::uint64_t sequence, const std::string& what) { all.push_back(lines.damaged_line(sequence, what)); }});
  return all;
}

std::string story_of(const ports::event_store& store, const std::string& id, story_end* end = nullptr) {
  std::string text;
  const auto e = tell_story(store, *values::parse_job_id(id), false, [&](const std::string& line) {
    text += line;
    return true;
  });
  if (end) *end = e;
  return text;
}

replayed replay_to(const ports::event_store& store, std::uint64_t until) {
  replayed state;
  BOOST_REQUIRE(replay(log::log_reader(store), until, state, [] { return true; }));
  return state;
}

// A copy of the log whose record `bad` has one bit changed.
void copy_damaged(const ports::event_store& from, ports::event_store& to, std::uint64_t bad) {
  BOOST_REQUIRE(from.read(1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    const auto r = std::get<log::record_ptr>(decoded)->get();
    ports::write_batch batch;
    batch.records.push_back({sequence, r.getStream(), r.getStreamVersion(), {bytes.begin(), bytes.end()}});
    if (sequence == bad) batch.records[0].bytes[60] ^= std::byte{1};
    return static_cast<bool>(to.append(batch));
  }));
}

}  // namespace

BOOST_AUTO_TEST_CASE(moments_are_sequences_dates_times_of_day_and_how_long_ago) {
  std::tm day{};
  day.tm_year = 126;
  day.tm_mon = 10;
  day.tm_mday = 21;
  day.tm_hour = 8;
  day.tm_isdst = -1;
  const std::int64_t eight = static_cast<std::int64_t>(std::mktime(&day)) * s;
  const auto now = eight + 3600 * s;
  const auto time = [&](const char* text) {
    const auto m = parse_moment(text, now);
    return m && m->sequence == 0 ? m->wall_ns : -1;
  };
  BOOST_TEST(parse_moment("42", now)->sequence == 42u);
  BOOST_TEST(parse_moment("#42", now)->sequence == 42u);
  BOOST_TEST(parse_moment("#1795248000", now)->sequence == 1795248000u);
  BOOST_TEST(time("1795248000") == 1795248000 * s);
  for (const char* text : {"08:00", "8:00", "08:00:00", "2026-11-21 08:00", "2026-11-21T08:00:00", "1h", "-1h", "-60m", "3600s"})
    BOOST_TEST(time(text) == eight, text);
  BOOST_TEST(time("08:00:00.25") == eight + s / 4);
  for (const char* text : {"today 08:00", "yesterday 08:00"}) BOOST_TEST(time(text) == eight - (*text == 'y') * 24 * 3600 * s, text);
  for (const char* text : {"2026-11-21", "today"}) BOOST_TEST(time(text) == eight - 8 * 3600 * s, text);
  BOOST_TEST(time("now") == now);
  BOOST_TEST(time("1w") == now - 7 * 24 * 3600 * s);
  for (const char* text : {"", "-", "#", "0", "x", "8", "24:00", "08:60", "08:0", "2026-13-01", "2026-11-21x", "2026-11-21 ", "1y", "-h",
                           "todayx", "yesterday 25:00", "9999-12-31", "08:00:00.", "2026-02-30", "9999999999", "9223372036"}) {
    const auto m = parse_moment(text, now);
    BOOST_TEST((!m || m->sequence == 8), text);
  }
}

BOOST_AUTO_TEST_CASE(a_time_is_found_in_the_log_by_halving) {
  log_in_memory log(60);
  std::vector<std::int64_t> times;
  BOOST_REQUIRE(log::log_reader(log.store).read(1, [&](const log::record_ptr& r) {
    times.push_back(r->get().getWallNs());
    return true;
  }));
  for (std::size_t i = 0; i < times.size(); i += 11) {
    BOOST_TEST(first_since(log.store, {0, times[i]}) == i + 1);
    BOOST_TEST(last_until(log.store, {0, times[i]}) == i + 1);
    BOOST_TEST(first_since(log.store, {0, times[i] + 1}) == i + 2);
    BOOST_TEST(last_until(log.store, {0, times[i] - 1}) == i);
  }
  BOOST_TEST(last_until(log.store, {1000000, 0}) == times.size());
}

BOOST_AUTO_TEST_CASE(every_kind_of_event_has_a_name_that_is_understood) {
  const auto names = kind_names();
  BOOST_TEST(names.size() > 50u);
  for (const auto& name : names) BOOST_TEST(kind_named(name).has_value(), name);
  BOOST_TEST(kind_named("jobassigned").value() == "JobAssigned");
  BOOST_TEST(!kind_named("JobAssignedx"));
  event_filter f;
  BOOST_TEST(add_kinds(f, "JobEnded,host"));
  for (const auto name : stream_kind_names()) BOOST_TEST(add_kinds(f, name), name);
  BOOST_TEST(!add_kinds(f, "JobEnded,"));
}

BOOST_AUTO_TEST_CASE(an_assignment_reads_as_a_sentence) {
  const auto event = model::make_event([](schema::Event::Builder e) {
    auto a = e.initJob().initAssigned();
    a.setRun(1);
    a.setExecVnode("(n1:ncpus=1)");
    a.setScheduler("default");
  });
  BOOST_TEST(words(event.get()) == "run 1 on (n1:ncpus=1)");
  BOOST_TEST(fields(event.get()) == "run=1, execVnode=(n1:ncpus=1), scheduler=default");
}

BOOST_AUTO_TEST_CASE(what_users_wrote_cannot_steer_the_terminal) {
  const auto event = model::make_event([](schema::Event::Builder e) { e.initHost().initWentDown().setText("\x1b[2Jgone\n"); });
  BOOST_TEST(words(event.get()) == "\\x1b[2Jgone\\x0a");
}

BOOST_AUTO_TEST_CASE(filters_choose_by_job_user_and_kind) {
  log_in_memory log;
  const auto all = lines_of(log.store, {});
  BOOST_TEST(all.size() == log.store.last_sequence());

  event_filter job;
  job.job = values::parse_job_id("3");
  const auto of_job = lines_of(log.store, job);
  BOOST_REQUIRE(!of_job.empty());
  BOOST_TEST(of_job.front().find("JobQueued") != std::string::npos);
  for (const auto& line : of_job)
    BOOST_TEST((line.find("  3.borg  ") != std::string::npos || line.find("CycleReasons") != std::string::npos), line);
  job.kinds.insert("JobQueued");
  BOOST_TEST(lines_of(log.store, job).size() == 1u);

  event_filter user;
  user.user = "user1";
  user.kinds.insert("JobAssigned");  // asked for by the server, but of the user's jobs
  const auto of_user = lines_of(log.store, user);
  BOOST_TEST(!of_user.empty());
  user.user = "nobody";
  BOOST_TEST(lines_of(log.store, user).empty());

  event_filter hosts;
  BOOST_REQUIRE(add_kinds(hosts, "host"));
  for (const auto& line : lines_of(log.store, hosts))
    BOOST_TEST((line.find("Host") != std::string::npos || line.find("Vnode") != std::string::npos), line);
}

BOOST_AUTO_TEST_CASE(json_lines_carry_every_field) {
  log_in_memory log(0);
  const auto lines = lines_of(log.store, {}, true);
  BOOST_TEST(lines[0].find("{\"sequence\":1,\"time\":\"") == 0u);
  BOOST_TEST(lines[0].find("\"kind\":\"ServerStarted\",\"event\":{\"version\":\"\",\"hostName\":\"borg\",\"serverName\":\"borg\"") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_story_has_all_events_of_the_job_and_its_reasons_in_order) {
  log_in_memory log;
  story_end end;
  const auto text = story_of(log.store, "2.borg", &end);
  BOOST_TEST(end.sound);
  BOOST_TEST(text.find("job 2.borg\n") == 0u);
  BOOST_TEST(text.find("    Job_Name=job2\n") != std::string::npos);
  // As many lines as the stream has events and cycles gave reasons.
  std::uint64_t expected = 0, stream = 0;
  BOOST_REQUIRE(log::log_reader(log.store).read(1, [&](const log::record_ptr& r) {
    const auto e = r->event();
    if (schema::is(e, schema::JobEvent::QUEUED) && schema::text(e.getJob().getQueued().getId()) == "2.borg") stream = r->get().getStream();
    if (stream != 0 && r->get().getStream() == stream) ++expected;
    if (schema::is(e, schema::SchedulerEvent::CYCLE_REASONS))
      for (auto told : e.getScheduler().getCycleReasons().getJobs()) expected += told.getJob() == stream;
    return true;
  }));
  BOOST_TEST(end.told == expected);
  story_of(log.store, "999", &end);
  BOOST_TEST(end.told == 0u);
}

namespace {

void queue(test::made_history& history, const std::string& id, std::uint64_t number, const std::string& indices, std::uint64_t& stream,
           std::uint32_t runs = 0, const log::who& by = {"root", "borg", schema::Role::SERVER}) {
  stream = history.write(
      0, [&](auto e) {
        auto q = e.initJob().initQueued();
        q.setId(id);
        q.setNumber(number);
        q.setOwner("alice@front");
        q.setEuser("alice");
        q.setEgroup("users");
        q.setQueue("workq");
        q.setIndices(indices);
        q.setRuns(runs);
      },
      by);
}

// The array 9[1-4], whose subjob 3 was run, queued again and run once more.
void run_an_array(test::made_history& history) {
  std::uint64_t array = 0, subjob = 0;
  queue(history, "9[].borg", 9, "1-4", array, 0, {"alice", "front", schema::Role::USER});
  for (std::uint32_t run : {1, 2}) {
    history.write(array, [&](auto e) {
      auto b = e.initJob().initSubjobBegan();
      b.setIndex(3);
      b.setRun(run);
    });
    queue(history, "9[3].borg", values::subjob_number(9, 3), "", subjob, run - 1);
    history.write(subjob, [&](auto e) {
      auto a = e.initJob().initAssigned();
      a.setRun(run);
      a.setExecVnode("(n1:ncpus=1)");
      a.initHosts(1).set(0, "n1");
    });
    if (run == 2) return;
    history.write(subjob, [&](auto e) { e.initJob().initStartFailed().setRun(run); });
    history.write(subjob, [](auto e) {
      auto r = e.initJob().initVnodesReleased();
      r.setExecVnode("(n1:ncpus=1)");
      r.initHosts(1).set(0, "n1");
    });
    history.write(subjob, [&](auto e) { e.initJob().initRequeued().setRun(run); });
    history.write(subjob, [](auto e) { e.initJob().setForgotten(); });
    history.write(array, [&](auto e) {
      auto l = e.initJob().initSubjobLeft();
      l.setIndex(3);
      l.setRun(run);
      l.setRequeued(true);
    });
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_array_and_each_subjob_have_stories_of_their_own) {
  log_in_memory log(0);
  run_an_array(log.history);
  story_end end;
  const auto array = story_of(log.store, "9[]", &end);
  BOOST_TEST(array.find("job 9[].borg\n") == 0u, array);
  BOOST_TEST(end.told == 4u);
  for (const char* words : {"of alice@front in workq, subjobs 1-4\n", "JobSubjobBegan ", "  subjob 3 begins, run 1\n",
                            "  subjob 3 is to be run again, run 1 is over\n", "  subjob 3 begins, run 2\n"})
    BOOST_TEST(array.find(words) != std::string::npos, words << " in " << array);
  const auto subjob = story_of(log.store, "9[3].borg", &end);
  BOOST_TEST(subjob.find("job 9[3].borg\n") == 0u, subjob);
  BOOST_TEST(end.told == 9u);  // of both runs, and of the array
  BOOST_TEST(subjob.find("  run 2 on (n1:ncpus=1)") != std::string::npos, subjob);
  for (const char* other : {"9[2]", "9", "9[1-4]"}) BOOST_TEST(story_of(log.store, other).empty(), other);
}

BOOST_AUTO_TEST_CASE(the_story_of_a_subjob_begins_with_who_submitted_its_array) {
  log_in_memory log(0);
  run_an_array(log.history);
  const auto first_line = [](const std::string& story) {
    const auto at = story.find('\n') + 1;
    return story.substr(at, story.find('\n', at) - at);
  };
  const auto array = story_of(log.store, "9[]"), subjob = story_of(log.store, "9[3].borg");
  const auto submitted = first_line(array), told = first_line(subjob);
  BOOST_TEST(submitted.find("by alice@front ") != std::string::npos, submitted);
  const auto what = submitted.find("of alice@front");  // behind when, which record, and by whom
  BOOST_REQUIRE(what != std::string::npos);
  BOOST_TEST(told == submitted.substr(0, what) + "its array 9[].borg " + submitted.substr(what));
  BOOST_TEST(subjob.find("its array") == subjob.rfind("its array"), subjob);  // although the subjob was made twice
  std::vector<std::string> lines;
  tell_story(log.store, *values::parse_job_id("9[3]"), true, [&](const std::string& line) {
    lines.push_back(line);
    return lines.size() < 2;
  });
  BOOST_REQUIRE(lines.size() == 2u);
  BOOST_TEST(lines[0].find("\"user\":\"alice\"") != std::string::npos, lines[0]);
  BOOST_TEST(lines[0].find("9[].borg") != std::string::npos, lines[0]);
  BOOST_TEST(lines[1].find("9[3].borg") != std::string::npos, lines[1]);
}

BOOST_AUTO_TEST_CASE(what_is_asked_of_subjobs_and_how_they_end_is_told_in_words) {
  const auto words_of = [](const auto& fill) { return words(model::make_event([&](auto e) { fill(e.initJob()); }).get()); };
  BOOST_TEST(words_of([](auto e) {
               auto a = e.initSubjobsAsked();
               a.setIndices("1-5");
               a.setWaiting("4-5");
               a.setWaitingCount(2);
               a.setForce(true);
             }) == "subjobs 1-5 to be deleted, by force; 2 had not begun: 4-5");
  BOOST_TEST(words_of([](auto e) {
               auto a = e.initSubjobsAsked();
               a.setIndices("1");
               a.setWaiting("-");
               a.setRerun(true);
             }) == "subjobs 1 to be run again");
  const auto left = [&](bool failed) {
    return words_of([&](auto e) {
      auto l = e.initSubjobLeft();
      l.setIndex(7);
      l.setRun(1);
      l.setFailed(failed);
    });
  };
  BOOST_TEST(left(false) == "subjob 7 has ended in run 1");
  BOOST_TEST(left(true) == "subjob 7 has failed in run 1");
}

BOOST_AUTO_TEST_CASE(damage_is_reported_with_its_sequence_and_stepped_over) {
  log_in_memory log;
  log::memory_event_store bad;
  copy_damaged(log.store, bad, 30);
  const auto lines = lines_of(bad, {});
  BOOST_TEST(lines.size() == log.store.last_sequence());
  BOOST_TEST(lines[29].find("#30") != std::string::npos);
  BOOST_TEST(lines[29].find("DAMAGED") != std::string::npos);
  story_end end;
  const auto story = story_of(bad, "1", &end);
  BOOST_TEST(!end.sound);
  BOOST_TEST(story.find("#30  DAMAGED") != std::string::npos);
  replayed state;
  BOOST_TEST(!replay(log::log_reader(bad), bad.last_sequence(), state, [] { return true; }));
  BOOST_TEST(state.sequence == 29u);
}

BOOST_AUTO_TEST_CASE(replays_of_the_same_events_have_the_same_digest) {
  log_in_memory log, same, other(200, 2);
  const auto last = log.store.last_sequence();
  BOOST_TEST(digest(replay_to(log.store, last)) == digest(replay_to(same.store, last)));
  BOOST_TEST(digest(replay_to(log.store, last)) != digest(replay_to(other.store, other.store.last_sequence())));
  const auto half = replay_to(log.store, last / 2);
  BOOST_TEST(half.sequence == last / 2);
  BOOST_TEST(digest(half) != digest(replay_to(log.store, last)));
  BOOST_TEST(replay_text(half).find("digest  " + digest(half)) != std::string::npos);
}

// -- usage -----------------------------------------------------------------------------------------------------------------

namespace {

std::string usage_of(const ports::event_store& store, const std::string& id, bool json, jobs_told* end = nullptr) {
  std::string text;
  const auto print = [&](const std::string& more) {
    text += more;
    return true;
  };
  const usage_wanted wanted{
      .job = *values::parse_job_id(id), .form = json ? usage_form::json : usage_form::text, .to = store.last_sequence()};
  const auto e =
      tell_usage(store, wanted, print,
                 {[] { return true; }, [&](std::uint64_t sequence, const std::string& what) { print(damage_line(sequence, what, json)); }});
  if (end) *end = e.told;
  return text;
}

// Job 1 ran on n1 for 20 seconds, then was forgotten.
void run_a_job(test::made_history& history, int samples = 1) {
  history.submit("alice");
  const auto job = history.jobs().back();
  if (history.now.job(job)->phase == model::job_phase::held) history.move(job);
  history.write(job, [](auto e) {
    auto a = e.initJob().initAssigned();
    a.setRun(1);
    a.setExecVnode("(n1:ncpus=2)");
    a.initHosts(1).set(0, "n1");
  });
  const auto use = [](schema::Usage::Builder u, std::uint64_t wall, std::uint64_t cpu) {
    model::write_usage(model::measured_usage({cpu, 2048, 4096, wall, 2, 75}), u);
  };
  history.write(job, [](auto e) { e.initJob().initStarted().setRun(1); });
  for (int i = 0; i < samples; ++i) history.write(job, [&](auto e) { use(e.initJob().initUsageReported().initUsage(), 10, 8 + i); });
  history.write(job, [&](auto e) {
    auto x = e.initJob().initExited();
    x.setExitStatus(3);
    use(x.initUsage(), 20, 30);
  });
  history.write(job, [](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setExecVnode("(n1:ncpus=2)");
    r.initHosts(1).set(0, "n1");
  });
  history.write(job, [](auto e) { e.initJob().initEnded().setSubstate(93); });
  history.write(job, [](auto e) { e.initJob().setForgotten(); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(usage_is_told_per_run_and_host_also_of_a_forgotten_job) {
  log_in_memory log(0);
  run_a_job(log.history);
  jobs_told end;
  const auto text = usage_of(log.store, "1", false, &end);
  BOOST_TEST(end.sound);
  BOOST_TEST(end.jobs == 1u);
  BOOST_TEST(text.find("job 1.borg\nrun 1  from ") == 0u, text);
  BOOST_TEST(text.find(", exit status 3\n  n1: 75 % of 2 cpus used, 2048kb of memory at most\n") != std::string::npos, text);
  BOOST_TEST(text.find("   00:00:10   00:00:08      75        2048kb        4096kb      2\n") != std::string::npos, text);
  BOOST_TEST(text.find("   00:00:20   00:00:30      75        2048kb        4096kb      2\n") != std::string::npos, text);
  const auto json = usage_of(log.store, "1.borg", true);
  BOOST_TEST(json.find("{\"job\":\"1.borg\",\"runs\":[{\"run\":1,\"assignedNs\":") == 0u, json);
  BOOST_TEST(
      json.find("\"exitStatus\":3,\"hosts\":[{\"host\":\"n1\",\"cpuEfficiencyPercent\":75,\"samples\":[{\"wallNs\":") != std::string::npos,
      json);
  BOOST_TEST(
      json.find("\"walltime\":20,\"cput\":30,\"cpupercent\":75,\"memKb\":2048,\"vmemKb\":4096,\"ncpus\":2}]}]}]}\n") != std::string::npos,
      json);
  BOOST_TEST(usage_of(log.store, "2", false, &end).empty());
  BOOST_TEST(end.jobs == 0u);
}

BOOST_AUTO_TEST_CASE(samples_of_usage_that_follow_each_other_are_one_line_of_a_story) {
  log_in_memory log(0);
  run_a_job(log.history, 3);
  const auto text = story_of(log.store, "1");
  const auto sample = text.find("JobUsageReported");
  BOOST_TEST_REQUIRE(sample != std::string::npos, text);
  BOOST_TEST(text.find("JobUsageReported", sample + 1) == std::string::npos, text);
  BOOST_TEST(text.substr(sample, text.find('\n', sample) - sample).find("cput 00:00:10") != std::string::npos, text);
  BOOST_TEST(text.find("(the last of 3)") < text.find("JobExited"), text);
}

BOOST_AUTO_TEST_CASE(usage_of_a_job_that_has_not_run_and_of_a_damaged_log) {
  log_in_memory log(0);
  log.history.submit("alice");
  BOOST_TEST(usage_of(log.store, "1", false) == "job 1.borg\nit has not run\n");
  log::memory_event_store bad;
  copy_damaged(log.store, bad, 3);
  jobs_told end;
  BOOST_TEST(usage_of(bad, "1", false, &end).find("#3  DAMAGED") == 0u);
  BOOST_TEST(!end.sound);
  BOOST_TEST(end.jobs == 1u);
}

BOOST_AUTO_TEST_CASE(a_log_that_can_not_be_opened_or_read_to_its_end_does_not_start) {
  const test::temporary_directory own;
  const auto missing = try_to_start(own.at("none"));
  BOOST_TEST(missing.trouble.find("No such file or directory") != std::string::npos, missing.trouble);
  BOOST_TEST(missing.refused == 0u);
  const auto made = run_apart([&](int) {  // this process must have no threads of RocksDB's: it forks once more
    const log_in_memory sound(0);
    const auto store = log::open_event_store(own.at("log"));
    copy_damaged(sound.store, *std::get<0>(store), 4);
  });
  BOOST_REQUIRE_MESSAGE(made.well, made.said);
  const auto damaged = try_to_start(own.at("log"));
  BOOST_TEST(damaged.trouble.find("record 4 is damaged") != std::string::npos, damaged.trouble);
  BOOST_TEST(damaged.refused == 0u);
}
