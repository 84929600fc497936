// Queries are answered to whoever asks, on a connection or not.
#include <boost/test/unit_test.hpp>

#include <capnp/any.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/queries/hook_views.hpp"
#include "actors/queries/past_actor.hpp"
#include "actors/queries/query_actor.hpp"
#include "actors/sessions/sessions.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/model_builders.hpp"
#include "test/support/stepped_system.hpp"
#include "test/support/told_records.hpp"

using namespace annals;

namespace {

// As HTTP would: keeps what it is sent.
struct kept_answers final : actors::reply_sink {
  std::vector<schema::sealed<schema::Reply>> replies;
  std::string given_up;
  std::optional<std::size_t> unread = 0;
  std::optional<std::size_t> unread_bytes() const override { return unread; }
  std::function<void()> told = [] {};
  void send(const schema::sealed<schema::Reply>& reply) override {
    replies.push_back(reply);
    told();
  }
  void give_up(const std::string& why) override { given_up = why; }
};

// A status of a cluster with so many finished jobs, of one held one besides.
std::shared_ptr<projections::status> with_finished_jobs(unsigned jobs) {
  auto now = std::make_shared<projections::status>();
  test::told_records records;
  const auto happen = [&](std::uint64_t stream, auto fill) { now->fold(records.next(stream, fill)); };
  happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
  happen(1, [](auto e) {
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("job_history_enable");
    c.setValue("True");
  });
  for (unsigned n = 1; n <= jobs + 1; ++n) {
    happen(n + 1, [&](auto e) {
      auto j = e.initJob().initQueued();
      j.setId(std::to_string(n) + ".borg");
      j.setNumber(n);
      j.setQueueRank(n);
      j.setOwner("alice@borg");
    });
    if (n <= jobs) happen(n + 1, [](auto e) { e.initJob().initEnded(); });
  }
  return now;
}

struct answering {
  std::shared_ptr<projections::status> now;
  test::stepped_system system;
  test::still_clock clock;
  log::memory_event_store store;
  log::log_reader reader{store};
  caf::actor past = system->spawn(actors::past_actor, &reader, static_cast<ports::event_store*>(&store), &clock);
  std::shared_ptr<actors::commit_inbox> inbox = std::make_shared<actors::commit_inbox>();
  caf::actor status =
      system->spawn(actors::query_actor,
                    actors::query_parts{now, std::make_shared<projections::past_writer>(store), past, &clock, inbox,
                                        [](const std::string& why) { BOOST_ERROR(why); }, [](bool) {}, actors::sessions(&clock, nullptr)});
  explicit answering(std::shared_ptr<projections::status> begin = std::make_shared<projections::status>()) : now(std::move(begin)) {}
  ~answering() { system.end({status, past}); }

  // Commits a queue as the log writer does. True: the query actor would be told.
  bool commit_queue(const char* name) {
    log::append a;
    a.events.push_back(model::make_event([&](auto e) { e.initQueue().initCreated().setName(name); }));
    auto records = std::make_shared<std::vector<log::record_ptr>>();
    log::event_log log(store, clock);
    BOOST_REQUIRE(std::holds_alternative<log::staged>(log.stage(std::move(a))));
    BOOST_REQUIRE(static_cast<bool>(log.commit(*records)));
    return inbox->put(records, true);
  }
  static unsigned rows(const kept_answers& to) {
    unsigned n = 0;
    for (const auto& r : to.replies) n += r.get().getObjects().getObjects().size();
    return n;
  }
  static void all_jobs(schema::Request::Builder r) { r.initStat().setHistory(schema::History::ALSO); }
  static void all_queues(schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::QUEUE); }

  template <class Fill>
  std::shared_ptr<kept_answers> ask(Fill fill, std::uint64_t min_sequence = 0) {
    auto to = std::make_shared<kept_answers>();
    put(to, fill, min_sequence);
    system.run();
    return to;
  }
  template <class Fill>
  void put(const std::shared_ptr<kept_answers>& to, Fill fill, std::uint64_t min_sequence = 0, const char* user = "alice") {
    caf::anon_send(status, actors::query{to, schema::make<schema::Request>(fill), {user, "borg", schema::Role::USER}, min_sequence});
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(queries)

BOOST_AUTO_TEST_CASE(whoever_asks_is_answered_with_his_requests_number) {
  answering a;
  const auto listed = a.ask([](schema::Request::Builder r) {
    r.setId(7);
    r.initStat().setKind(schema::ObjectKind::QUEUE);
  });
  BOOST_REQUIRE(!listed->replies.empty());
  BOOST_TEST(listed->replies.back().get().getId() == 7u);
  const auto waits = a.ask([](schema::Request::Builder r) { r.initWaitJob().setJob("1.borg"); });
  BOOST_REQUIRE(waits->replies.size() == 1u);
  BOOST_TEST(waits->replies[0].get().getRejected().getCode() == 15001u);
  BOOST_TEST(listed->given_up == "");
}

BOOST_AUTO_TEST_CASE(a_question_about_what_is_not_written_yet_waits) {
  answering a;
  BOOST_TEST(a.ask([](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); }, 5)->replies.empty());
}

BOOST_AUTO_TEST_CASE(it_is_answered_when_that_is_written) {
  answering a;
  const auto asked = a.ask(answering::all_queues, 1);
  BOOST_TEST(a.commit_queue("q1"));  // it waits, so it is to be told
  caf::anon_send(a.status, actors::commits_wait{});
  a.system.run();
  BOOST_TEST(a.rows(*asked) == 1u);
}

BOOST_AUTO_TEST_CASE(a_question_finds_what_nobody_was_told_of) {
  answering a;
  (void)a.ask(answering::all_queues);  // from now on it waits for nothing
  for (const char* name : {"q1", "q2"}) BOOST_TEST(!a.commit_queue(name));
  BOOST_TEST(a.rows(*a.ask(answering::all_queues, 2)) == 2u);
  BOOST_TEST(a.inbox->empty());
}

BOOST_AUTO_TEST_CASE(a_question_that_can_not_be_read_is_given_up) {
  answering a;
  const auto spoilt =
      a.ask([](schema::Request::Builder r) { capnp::toAny(r.initWaitJob()).getPointerSection()[0].initAs<capnp::List<std::uint64_t>>(3); });
  BOOST_TEST(spoilt->given_up.starts_with("a message that can't be read"));
}

BOOST_AUTO_TEST_CASE(the_past_answers_the_same_sinks) {
  answering a;
  auto to = std::make_shared<kept_answers>();
  caf::anon_send(a.past, actors::query{to, schema::make<schema::Request>([](schema::Request::Builder r) {
                                         r.setId(9);
                                         r.initStat().setKind(schema::ObjectKind::SERVER);
                                         r.getStat().initAt().setSequence(1'000'000);
                                       }),
                                       {"alice", "borg", schema::Role::USER},
                                       0});
  a.system.run();
  BOOST_REQUIRE(!to->replies.empty());
  BOOST_TEST(to->replies.back().get().getId() == 9u);
}

BOOST_AUTO_TEST_CASE(a_list_of_finished_jobs_holds_nobody_up) {
  constexpr unsigned finished = 5000;
  answering a(with_finished_jobs(finished));
  auto listed = std::make_shared<kept_answers>(), other = std::make_shared<kept_answers>();
  unsigned listed_before = 0;
  other->told = [&] { listed_before = a.rows(*listed); };
  a.put(listed, answering::all_jobs);
  a.put(other, [](schema::Request::Builder r) { r.initStat(); });
  a.system.run();
  BOOST_TEST(listed_before > 0u);
  BOOST_TEST(listed_before < finished / 2);
  BOOST_TEST(a.rows(*other) == 1u);
  BOOST_TEST(a.rows(*listed) == finished + 1);
  BOOST_TEST(listed->replies.back().get().getObjects().getLast());
}

BOOST_AUTO_TEST_CASE(subjobs_of_an_array_that_is_named_often_hold_nobody_up) {
  constexpr unsigned subjobs = 5000, times = 20;
  auto now = with_finished_jobs(1);
  test::told_records records;
  records.sequence = now->sequence();
  now->fold(records.next(99, [](auto e) {
    auto j = e.initJob().initQueued();
    j.setId("99[].borg");
    j.setNumber(99);
    j.setOwner("alice@borg");
    j.setIndices("1-" + std::to_string(subjobs));
  }));
  answering a(now);
  auto listed = std::make_shared<kept_answers>(), other = std::make_shared<kept_answers>();
  unsigned listed_before = 0;
  other->told = [&] { listed_before = a.rows(*listed); };
  a.put(listed, [](schema::Request::Builder r) {
    auto s = r.initStat();
    s.setSubjobs(true);
    auto names = s.initNames(times);
    for (unsigned i = 0; i < times; ++i) names.set(i, "99[].borg");
  });
  a.put(other, [](schema::Request::Builder r) { r.initStat().setKind(schema::ObjectKind::SERVER); });
  a.system.run();
  BOOST_TEST(listed_before > 0u);
  BOOST_TEST(listed_before < subjobs);
  BOOST_TEST(a.rows(*listed) == times * (subjobs + 1));
}

BOOST_AUTO_TEST_CASE(who_asks_for_many_lists_holds_up_his_own) {
  constexpr unsigned finished = 5000;
  answering a(with_finished_jobs(finished));
  std::vector<std::shared_ptr<kept_answers>> many(10, nullptr);
  for (auto& one : many) a.put(one = std::make_shared<kept_answers>(), answering::all_jobs);
  auto single = std::make_shared<kept_answers>();
  unsigned told_before = 0;
  single->told = [&] {
    told_before = 0;
    for (const auto& one : many) told_before += a.rows(*one);
  };
  a.put(single, answering::all_jobs, 0, "bob");
  a.system.run();
  BOOST_TEST(a.rows(*single) == finished + 1);
  BOOST_TEST(told_before < 4 * finished);
  for (const auto& one : many) BOOST_TEST(a.rows(*one) == finished + 1);
}

BOOST_AUTO_TEST_CASE(a_long_answer_waits_for_who_reads_it) {
  answering a(with_finished_jobs(5000));
  auto listed = std::make_shared<kept_answers>();
  listed->told = [&] { listed->unread = 100u << 20; };
  a.put(listed, answering::all_jobs);
  a.system.run();
  const auto first = a.rows(*listed);
  BOOST_TEST(first > 0u);
  BOOST_TEST(first < 2500u);
  const auto while_passes = [&] {
    a.system.scheduler().clock().advance_time(std::chrono::seconds(1));
    a.system.run();
  };
  while_passes();
  BOOST_TEST(a.rows(*listed) == first);
  listed->unread = 0;
  listed->told = [] {};
  while_passes();
  BOOST_TEST(a.rows(*listed) == 5001u);
}

BOOST_AUTO_TEST_CASE(a_long_answer_ends_when_who_asked_is_gone) {
  answering a(with_finished_jobs(5000));
  auto listed = std::make_shared<kept_answers>();
  listed->told = [&] { listed->unread = std::nullopt; };
  a.put(listed, answering::all_jobs);
  a.system.run();
  BOOST_TEST(a.rows(*listed) < 2500u);
  BOOST_TEST(listed.use_count() == 1);  // and is forgotten
}

BOOST_AUTO_TEST_CASE(a_hook_sees_that_a_subjob_to_begin_has_waited_as_its_array_has) {
  auto now = std::make_shared<projections::status>();
  test::told_records records;
  const auto happen = [&](std::uint64_t stream, auto fill) { now->fold(records.next(stream, fill)); };
  happen(1, [](auto e) { e.initServer().initStarted().setServerName("borg"); });
  happen(1, [](auto e) {
    auto c = e.initServer().initChanged().initChanges(1)[0];
    c.setName("eligible_time_enable");
    c.setValue("True");
  });
  happen(2, [](auto e) { e.initQueue().initCreated().setName("workq"); });
  happen(3, [](auto e) { e.initScheduler().initCreated().setName("default"); });
  happen(4, [](auto e) {
    auto j = e.initJob().initQueued();
    j.setId("12[].borg");
    j.setNumber(12);
    j.setOwner("alice@borg");
    j.setQueue("workq");
    j.setIndices("1-2");
  });
  happen(3, [](auto e) {
    auto r = e.initScheduler().initCycleReasons();
    r.initTexts(1).set(0, "Not Running: Job has reached a limit");
    r.initWhys(1)[0].setKind(schema::Why::Kind::LIMIT);
    r.initJobs(1)[0].setJob(4);
  });
  answering a(now);
  std::string waited, comment;
  caf::anon_send(a.status, actors::view_wanted{hooks::view_request(schema::ObjectKind::JOB, {"12[2].borg"}, now->sequence()),
                                               [&](actors::hook_objects found, std::uint64_t) {
                                                 BOOST_REQUIRE(found.size() == 1u);
                                                 if (const auto* t = found[0].find("eligible_time")) waited = t->value;
                                                 if (const auto* c = found[0].find("comment")) comment = c->value;
                                               },
                                               true});
  a.system.run();
  BOOST_TEST(waited == "00:00:01");
  BOOST_TEST(comment == "");
}

BOOST_AUTO_TEST_SUITE_END()
