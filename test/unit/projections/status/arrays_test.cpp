// How job arrays and their subjobs are kept, shown and chosen.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "events/attributes/ids.hpp"
#include "projections/status/subjobs.hpp"
#include "test/support/told_records.hpp"
#include "test/unit/projections/status/answers.hpp"
#include "test/unit/projections/status/array_story.hpp"

using namespace annals;
using namespace annals::test;

namespace {

constexpr std::uint64_t server = 1, queue = 2, scheduler = 3, host = 4, plain_job = 5;

struct cluster {
  projections::status now;
  told_records records;
  std::uint64_t last_stream = 100;
  array_story story{[this](std::uint64_t stream, const array_story::fill& fill) { return happen(stream ? stream : ++last_stream, fill); },
                    12, "borg", "n1"};

  cluster() {
    happen(server, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    happen(server, [](auto e) {
      auto c = e.initServer().initChanged().initChanges(1)[0];
      c.setName("job_history_enable");
      c.setValue("True");
    });
    happen(queue, [](auto e) { e.initQueue().initCreated().setName("workq"); });
    happen(scheduler, [](auto e) { e.initScheduler().initCreated().setName("default"); });
    happen(host, [](auto e) { e.initHost().initAdded().setName("n1"); });
    happen(host, [](auto e) { e.initHost().initVnodeCreated().setName("n1"); });
  }

  std::uint64_t happen(std::uint64_t stream, const array_story::fill& fill) {
    now.fold(records.next(stream, fill));
    return stream;
  }

  void submit_plain_job() {
    happen(plain_job, [](auto e) {
      auto q = e.initJob().initQueued();
      q.setId("1.borg");
      q.setNumber(1);
      q.setOwner("ann@front");
      q.setQueue("workq");
      q.setQueueRank(1);
    });
  }

  void hold() {
    happen(story.array, [](auto e) { e.initJob().initHeld().initHolds(1).set(0, schema::HoldType::USER); });
  }

  void remove_all() {
    happen(story.array, [](auto e) { e.initJob().initDeleteRequested(); });
    happen(story.array, [](auto e) {
      auto x = e.initJob().initEnded();
      x.setSubstate(91);
      x.setCommentSuffix(" and terminated");
    });
  }

  // One of each: it has ended, runs, waits, waits.
  void begin_some() {
    story.submit("1-4");
    story.begin(1);
    story.begin(2);
    story.end(1);
    story.leave(1);
  }

  void end_all() {
    for (std::uint32_t index : {3u, 4u}) story.begin(index);
    for (std::uint32_t index : {2u, 3u, 4u}) {
      story.end(index);
      story.leave(index);
    }
    story.end_stream(story.array);
  }

  void say(const std::string& text) {
    happen(scheduler, [&](auto e) {
      auto r = e.initScheduler().initCycleReasons();
      r.initTexts(1).set(0, text);
      r.initJobs(1)[0].setJob(story.array);
    });
  }

  // Without the position of the log.
  std::string shown(const question& q, const model::requester& by = a_manager()) const {
    const auto text = answer(now, q, by);
    for (const std::size_t rows : {1, 3}) BOOST_TEST(answer_in_parts(
                                                         now, q, rows, [] {}, by) == text);
    return text.substr(0, text.rfind("at "));
  }

  std::string states(std::vector<std::string> names, schema::History history = schema::History::LIVE) const {
    return shown({.names = std::move(names), .history = history, .wanted = {"job_state"}});
  }

  std::string count() const {
    const auto row = projections::job_row(now, *now.job(story.array), 0);
    return std::string(*row.get(attributes::job::array_state_count)) + " / " +
           std::string(*row.get(attributes::job::array_indices_remaining));
  }

  std::string select(const std::vector<std::pair<std::string, std::string>>& criteria, bool subjobs,
                     schema::History history = schema::History::LIVE) const {
    const auto fill = [&](schema::SelectJobs::Builder s) {
      s.setSubjobs(subjobs);
      s.setHistory(history);
      auto list = s.initCriteria(static_cast<unsigned>(criteria.size()));
      for (unsigned i = 0; i < criteria.size(); ++i) {
        list[i].setName(criteria[i].first);
        list[i].setValue(criteria[i].second);
      }
    };
    const auto text = selected(now, fill);
    BOOST_TEST(selected(now, fill, 1) == text);  // in parts it is the same
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arrays, cluster)

// -- what is kept --------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(arrays_and_subjobs_are_found_by_their_ids) {
  story.submit("1-8:2");
  story.begin(3);
  BOOST_TEST(now.job_by_id("12[].borg") == now.job(story.array));
  BOOST_TEST(now.job_by_id("12[3].borg") == now.job(story.streams[3]));
  for (const char* id : {"12.borg", "12[1].borg", "12[4].borg", "12[1-3].borg", "13[].borg"}) BOOST_TEST(!now.job_by_id(id), id);
  submit_plain_job();
  BOOST_TEST(now.job_by_id("1.borg") == now.job(plain_job));
  BOOST_TEST(!now.job_by_id("1[].borg"));
  BOOST_TEST(now.array_of(*now.job(story.streams[3])) == now.job(story.array));
}

BOOST_AUTO_TEST_CASE(subjobs_are_listed_with_their_array_and_not_among_jobs) {
  submit_plain_job();
  story.submit("1-8:2");
  story.begin(5);
  story.begin(1);
  std::vector<std::string> jobs, begun;
  now.each_job([&](const model::job_state& job) {
    jobs.push_back(job.id);
    return true;
  });
  now.each_stream([&](const model::job_state& job) {
    if (job.is_subjob()) begun.push_back(job.id);
    return true;
  });
  std::vector<std::pair<std::uint32_t, std::uint64_t>> all;
  projections::subjob_walk walk(*now.job(story.array));
  const auto note = [&](const projections::subjob_view& s) { all.emplace_back(s.index, s.own ? s.own->serial : 0); };
  bool more = true;
  while (more) {
    projections::effort little(1);
    more = walk.go_on(now, note, little);
  }
  BOOST_TEST(jobs == (std::vector<std::string>{"1.borg", "12[].borg"}), boost::test_tools::per_element());
  BOOST_TEST(begun == (std::vector<std::string>{"12[1].borg", "12[5].borg"}), boost::test_tools::per_element());
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> expected{{1, story.streams[1]}, {3, 0}, {5, story.streams[5]}, {7, 0}};
  BOOST_TEST((all == expected));
}

BOOST_AUTO_TEST_CASE(a_subjob_that_is_run_again_is_found_on_its_new_stream) {
  story.submit("1-3");
  story.begin(1);
  const auto first = story.streams[1];
  story.end(1);
  story.leave(1, true);
  story.begin(1);
  BOOST_TEST(first != story.streams[1]);
  story.forget(first);
  BOOST_TEST(!now.job(first));
  BOOST_TEST(now.job_by_id("12[1].borg") == now.job(story.streams[1]));
  story.requeue(1);
  BOOST_TEST(!now.job_by_id("12[1].borg"));
}

BOOST_AUTO_TEST_CASE(an_array_and_its_subjobs_that_run_are_counted) {
  story.submit("1-4");
  BOOST_TEST(now.jobs_of("workq").text() == "Transit:0 Queued:1 Held:0 Waiting:0 Running:0 Exiting:0 Begun:0 ");
  story.begin(1);
  story.begin(2);
  BOOST_TEST(now.jobs_of("workq").text() == "Transit:0 Queued:0 Held:0 Waiting:0 Running:2 Exiting:0 Begun:1 ");
  BOOST_TEST(now.jobs_of("").total == 3u);
  BOOST_TEST(now.jobs_of("workq").total == 3u);
  story.end(1);
  BOOST_TEST(now.jobs_of("workq").text() == "Transit:0 Queued:0 Held:0 Waiting:0 Running:1 Exiting:0 Begun:1 ");
  BOOST_TEST(now.jobs_of("").total == 3u);
  BOOST_TEST(now.jobs_of("workq").total == 2u);
  story.forget(story.streams[1]);
  BOOST_TEST(now.jobs_of("").total == 2u);
  BOOST_TEST(now.jobs_of("workq").total == 2u);
}

BOOST_AUTO_TEST_CASE(a_reason_is_no_comment_of_an_array_that_has_begun) {
  const auto comment = [&] { return now.shown(*now.job(story.array), attributes::job::comment); };
  story.submit("1-2");
  say("Not Running: a");
  BOOST_TEST(comment() == "Not Running: a");
  story.begin(1);
  const auto began = comment();
  BOOST_TEST(began.starts_with("Job Array Began at "), began);
  say("Not Running: b");
  BOOST_TEST(comment() == began);
  BOOST_REQUIRE(now.why(story.array));
  BOOST_TEST(now.why(story.array)->why->text == "Not Running: b");
  BOOST_TEST(shown({.names = {"12[2].borg"}, .wanted = {"job_state"}, .why = true})
                 .starts_with("12[2].borg: job_state=Q why=Not Running: b/"));
  story.begin(2);
  BOOST_TEST(!now.why(story.array));  // nothing of it waits any more
}

// -- what is shown -------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(an_array_shows_how_many_are_in_which_state) {
  story.submit("1-8:2");
  BOOST_TEST(count() == "Queued:4 Running:0 Exiting:0 Expired:0 / 1-8:2");
  story.begin(1);
  story.begin(3);
  BOOST_TEST(count() == "Queued:2 Running:2 Exiting:0 Expired:0 / 5-8:2");
  story.exit(1);
  BOOST_TEST(count() == "Queued:2 Running:1 Exiting:1 Expired:0 / 5-8:2");
  story.finish(1);
  BOOST_TEST(count() == "Queued:2 Running:1 Exiting:0 Expired:1 / 5-8:2");
  story.leave(1);
  story.requeue(3);  // its array has not heard of it
  BOOST_TEST(count() == "Queued:3 Running:0 Exiting:0 Expired:1 / 5-8:2");
  story.leave(3, true);
  BOOST_TEST(count() == "Queued:3 Running:0 Exiting:0 Expired:1 / 3-8:2");
  story.remove("5,7");
  BOOST_TEST(count() == "Queued:1 Running:0 Exiting:0 Expired:3 / 3");
  story.begin(3);
  story.end(3);
  story.leave(3);
  BOOST_TEST(count() == "Queued:0 Running:0 Exiting:0 Expired:4 / -");
  story.end_stream(story.array);
  BOOST_TEST(count() == "Queued:0 Running:0 Exiting:0 Expired:0 / -");
}

BOOST_AUTO_TEST_CASE(a_suspended_subjob_counts_as_one_that_runs) {
  story.submit("1-2");
  story.begin(1);
  story.start(1);
  for (const bool stopped : {true, false}) {  // by the load of its host
    happen(story.streams[1], [&](auto e) {
      auto s = e.initJob().initSignalled();
      s.setRun(1);
      s.setRequest(stopped ? 1 : 2);
      s.setLoadHost("n1");
      s.setStopped(stopped);
    });
    BOOST_TEST(count() == "Queued:1 Running:1 Exiting:0 Expired:0 / 2");
    BOOST_TEST(states({"12[1].borg"}) == std::string("12[1].borg: job_state=") + (stopped ? "U" : "R") + "\n");
  }
  happen(story.streams[1], [](auto e) {
    e.initJob().initSuspended().setRun(1);
    e.getJob().getSuspended().setRequest(3);
  });
  BOOST_TEST(count() == "Queued:1 Running:1 Exiting:0 Expired:0 / 2");
  BOOST_TEST(states({"12[1].borg"}) == "12[1].borg: job_state=S\n");
}

BOOST_AUTO_TEST_CASE(subjobs_stand_behind_their_array_when_they_are_asked_for) {
  submit_plain_job();
  begin_some();
  const question without{.wanted = {"job_state"}}, with{.wanted = {"job_state"}, .subjobs = true};
  BOOST_TEST(shown(without) == "1.borg: job_state=Q\n12[].borg: job_state=B\n");
  BOOST_TEST(shown(with) ==
             "1.borg: job_state=Q\n"
             "12[].borg: job_state=B\n"
             "12[1].borg: job_state=X\n"
             "12[2].borg: job_state=R\n"
             "12[3].borg: job_state=Q\n"
             "12[4].borg: job_state=Q\n");
  hold();
  BOOST_TEST(shown({.names = {"12[].borg"}, .wanted = {"job_state"}, .subjobs = true}) ==
             "12[].borg: job_state=H\n"
             "12[1].borg: job_state=X\n"
             "12[2].borg: job_state=R\n"
             "12[3].borg: job_state=Q\n"
             "12[4].borg: job_state=Q\n");
}

BOOST_AUTO_TEST_CASE(each_subjob_is_chosen_by_its_own_state) {
  begin_some();
  BOOST_TEST(shown({.wanted = {"job_state"}, .states = "RX", .subjobs = true}) ==
             "12[1].borg: job_state=X\n12[2].borg: job_state=R\n");
  BOOST_TEST(shown({.wanted = {"job_state"}, .users = {"bob"}, .subjobs = true}) == "");
  BOOST_TEST(shown({.wanted = {"job_state"}, .queue = "other", .subjobs = true}) == "");
  BOOST_TEST(shown({.wanted = {"job_state"}, .states = "Q", .users = {"ann"}, .subjobs = true}) ==
             "12[3].borg: job_state=Q\n12[4].borg: job_state=Q\n");
}

BOOST_AUTO_TEST_CASE(subjobs_are_named_alone_and_in_ranges) {
  begin_some();
  BOOST_TEST(states({"12[2].borg", "12[3].borg"}) == "12[2].borg: job_state=R\n12[3].borg: job_state=Q\n");
  BOOST_TEST(states({"12[1-4:2].borg"}) == "12[1].borg: job_state=X\n12[3].borg: job_state=Q\n");
  BOOST_TEST(states({"12[3-9].borg"}) == "12[3].borg: job_state=Q\n12[4].borg: job_state=Q\n");
  for (const std::string id : {"12.borg", "12[9].borg", "12[6-9].borg", "12[3-1].borg", "13[1].borg"})
    BOOST_TEST(states({id}) == id + "! Unknown Job Id\n");
}

BOOST_AUTO_TEST_CASE(subjobs_are_in_the_history_when_their_array_is) {
  begin_some();
  end_all();
  BOOST_TEST(states({"12[].borg", "12[1].borg", "12[1-2].borg"}) ==
             "12[].borg! Job has finished\n12[1].borg! Job has finished\n12[1-2].borg! Job has finished\n");
  BOOST_TEST(states({"12[1].borg"}, schema::History::ALSO) == "12[1].borg: job_state=F\n");
  const question all{.wanted = {"job_state"}, .subjobs = true};
  BOOST_TEST(shown(all) == "");
  auto ended = all;
  ended.history = schema::History::ONLY;
  BOOST_TEST(shown(ended) ==
             "12[].borg: job_state=F\n"
             "12[1].borg: job_state=F\n"
             "12[2].borg: job_state=F\n"
             "12[3].borg: job_state=F\n"
             "12[4].borg: job_state=F\n");
}

BOOST_AUTO_TEST_CASE(one_that_has_not_begun_shows_what_its_array_does) {
  begin_some();
  const std::vector<std::string> of_arrays{"Job_Name", "array", "array_state_count", "array_indices_submitted", "array_indices_remaining",
                                           "max_run_subjobs"};
  BOOST_TEST(shown({.names = {"12[3].borg"}, .wanted = of_arrays}) == "12[3].borg: Job_Name=arr\n");
  const auto comment_of = [&](const char* id, schema::History history = schema::History::LIVE) {
    return shown({.names = {id}, .history = history, .wanted = {"job_state", "comment"}});
  };
  BOOST_TEST(comment_of("12[3].borg").starts_with("12[3].borg: job_state=Q comment=Job Array Began at "));
  BOOST_TEST(shown({.names = {"12[3].borg"}, .wanted = {"substate"}}) == "12[3].borg: substate=70\n");
  story.remove("3");
  BOOST_TEST(comment_of("12[3].borg") == "12[3].borg: job_state=X comment=Subjob finished\n");
  story.end(2);
  story.leave(2);
  remove_all();
  BOOST_TEST(comment_of("12[3].borg", schema::History::ALSO) == "12[3].borg: job_state=F comment=Subjob finished and terminated\n");
}

BOOST_AUTO_TEST_CASE(one_that_has_ended_is_expired_as_long_as_its_array_lives) {
  begin_some();
  const std::vector<std::string> wanted{"job_state", "substate", "comment", "array_id", "array_index"};
  BOOST_TEST(shown({.names = {"12[1].borg"}, .wanted = wanted}) ==
             "12[1].borg: job_state=X substate=92 comment=Job run and finished array_id=12[].borg array_index=1\n");
  end_all();
  BOOST_TEST(shown({.names = {"12[1].borg"}, .history = schema::History::ALSO, .wanted = wanted}) ==
             "12[1].borg: job_state=F substate=92 comment=Job run and finished array_id=12[].borg array_index=1\n");
}

BOOST_AUTO_TEST_CASE(what_nobody_keeps_any_more_has_expired) {
  begin_some();
  story.forget(story.streams[1]);
  BOOST_TEST(states({"12[1].borg"}) == "12[1].borg: job_state=X\n");
  story.requeue(2);
  BOOST_TEST(states({"12[2].borg"}) == "12[2].borg: job_state=Q\n");  // its array will hear of it
}

BOOST_AUTO_TEST_CASE(subjobs_of_others_are_hidden_when_query_other_jobs_is_false) {
  begin_some();
  happen(server, [](auto e) {
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("query_other_jobs");
    c.setValue("False");
  });
  BOOST_TEST(shown({.names = {"12[3].borg"}, .wanted = {"job_state"}}, someone("bob")) == "");
  BOOST_TEST(shown({.wanted = {"job_state"}, .subjobs = true}, someone("bob")) == "");
  BOOST_TEST(shown({.names = {"12[3].borg"}, .wanted = {"job_state"}}, someone("ann")) == "12[3].borg: job_state=Q\n");
}

BOOST_AUTO_TEST_CASE(many_subjobs_go_out_in_pieces) {
  story.submit("1-1000");
  const auto request = request_of({.wanted = {"job_state"}, .subjobs = true});
  std::size_t sent = 0, largest = 0;
  projections::answer_stat(now, 5, request.get().getStat(), a_manager(), [&](const auto& r) {
    const std::size_t piece = r.get().getObjects().getObjects().size();
    sent += piece;
    largest = std::max(largest, piece);
  });
  BOOST_TEST(sent == 1001u);
  BOOST_TEST(largest <= projections::objects_per_reply);
}

// -- what is chosen ------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(subjobs_are_chosen_in_place_of_their_array) {
  submit_plain_job();
  begin_some();
  const std::string subjobs = "12[1].borg\n12[2].borg\n12[3].borg\n12[4].borg\n";
  BOOST_TEST(select({}, false) == "1.borg\n12[].borg\n");
  BOOST_TEST(select({}, true) == "1.borg\n" + subjobs);
  BOOST_TEST(select({{"array", "True"}}, false) == "12[].borg\n");
  BOOST_TEST(select({{"array", "True"}}, true) == subjobs);
  BOOST_TEST(select({{"Job_Name", "arr"}}, true) == subjobs);
  BOOST_TEST(select({{"job_state", "B"}}, false) == "12[].borg\n");
  BOOST_TEST(select({{"job_state", "B"}}, true) == "");
  BOOST_TEST(select({{"job_state", "R"}}, true) == "12[2].borg\n");
  BOOST_TEST(select({{"job_state", "X"}}, true) == "12[1].borg\n");
  end_all();
  BOOST_TEST(select({}, true) == "1.borg\n");
  BOOST_TEST(select({}, true, schema::History::ALSO) == "1.borg\n" + subjobs);
  BOOST_TEST(select({{"job_state", "X"}}, true, schema::History::ALSO) == "");
}

BOOST_AUTO_TEST_SUITE_END()
