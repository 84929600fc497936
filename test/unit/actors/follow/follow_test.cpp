// Both ends of the feed in one process, and the questions that a follower answers.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "actors/feed/feed_limits.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/replica/checkpoint_round.hpp"
#include "events/schema/daemon/feed.capnp.h"
#include "test/unit/actors/follow/followed_server.hpp"

using namespace annals;
using test::own_log;

namespace {

// The same message with a bit changed in the last record, or without its first one.
schema::sealed_message with(const schema::sealed_message& m, bool flips, bool drops) {
  const auto word = m.root<schema::ToFollower>();
  if (!word.isRecords() || word.getRecords().getRecords().size() == 0) return m;
  std::vector<std::vector<std::byte>> records;
  for (const auto r : word.getRecords().getRecords()) {
    const auto bytes = schema::bytes_of(r);
    records.emplace_back(bytes.begin(), bytes.end());
  }
  if (flips) records.back()[records.back().size() / 2] ^= std::byte{4};
  if (drops) records.erase(records.begin());
  return schema::make<schema::ToFollower>([&](schema::ToFollower::Builder b) {
    auto to = b.initRecords();
    to.setLast(word.getRecords().getLast());
    auto list = to.initRecords(static_cast<unsigned>(records.size()));
    for (unsigned i = 0; i < list.size(); ++i) list.set(i, {reinterpret_cast<const kj::byte*>(records[i].data()), records[i].size()});
  });
}

// The last record of a log, as the feed says it.
schema::sealed_message last_record_of(const ports::record_log& log) {
  const auto last = log.last_sequence();
  return schema::make<schema::ToFollower>([&](schema::ToFollower::Builder b) {
    auto to = b.initRecords();
    to.setLast(last);
    (void)log.read(last, [&](std::uint64_t, ports::byte_span bytes) {
      to.initRecords(1).set(0, {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
      return false;
    });
  });
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(follower, test::followed_server)

BOOST_AUTO_TEST_CASE(has_the_servers_log_and_answers_from_it) {
  commit_queue("workq");
  connect();
  is_equal();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq ");
  commit_queue("night");
  is_equal();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq night ");
  BOOST_TEST(text() == "portal, 0 events and 0 s behind server borg");
  BOOST_TEST(notes.at(0) == "follows the log of server borg behind record 0");
}

BOOST_AUTO_TEST_CASE(says_now_and_then_what_is_on_its_disk) {
  connect();
  std::vector<std::uint64_t> said;
  at_follower->change = [&](const schema::sealed_message& m) {
    const auto word = m.root<schema::FromFollower>();
    if (word.isTaken()) said.push_back(word.getTaken());
    return m;
  };
  const auto pass = [&](unsigned ms) {
    system.scheduler().advance_time(std::chrono::milliseconds(ms));
    system.run();
  };
  pass(limits::feed_acknowledged_ms);
  commit_queue("a");  // 2
  BOOST_TEST(said == std::vector<std::uint64_t>{2}, boost::test_tools::per_element());
  commit_queue("b");
  pass(limits::feed_acknowledged_ms - 1);
  commit_queue("c");
  BOOST_TEST(said.size() == 1u);
  pass(1);
  commit_queue("d");  // 5
  BOOST_TEST(said.back() == 5u);
  const std::string quarter(limits::feed_acknowledged_bytes / 4, 'x');
  for (int n = 0; n < 4; ++n) set_server("comment", quarter.c_str());
  BOOST_TEST(said.back() == 9u);
  BOOST_TEST(said.size() == 3u);
  is_equal();
}

BOOST_AUTO_TEST_CASE(one_that_has_nothing_yet_says_so) {
  BOOST_TEST(names(schema::ObjectKind::QUEUE)
                 .starts_with("The follower has nothing of the log yet: portal, up to record 0; server borg is not there since "));
}

BOOST_AUTO_TEST_CASE(goes_on_when_its_link_was_cut) {
  connect();
  cut();
  BOOST_TEST(text().find("server borg is not there since 0 s: the peer has closed") != std::string::npos, text());
  commit_queue("workq");
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "");
  connect();
  is_equal();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq ");
}

BOOST_AUTO_TEST_CASE(goes_on_when_it_was_killed) {
  commit_queue("workq");
  connect();
  at_server.reset();
  end_follower();
  there.crash();
  commit_queue("night");
  start_follower();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq ");
  connect();
  is_equal();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq night ");
}

BOOST_AUTO_TEST_CASE(goes_on_from_its_checkpoint_when_it_was_killed) {
  commit_queue("workq");
  set_server("query_other_jobs", "False");
  connect();
  const auto make_folds = [] { return std::make_unique<actors::follower_maker_folds>(); };
  const auto made = actors::make_checkpoint(reader, {checkpoints.path, make_folds, UINT64_MAX, 7});
  BOOST_REQUIRE(made.has_value());
  BOOST_TEST(made->sequence == 3u);
  commit_queue("night");
  at_server.reset();
  end_follower();
  start_follower();
  BOOST_TEST(began == "the start went on from the checkpoint of record 3");
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq night ");
  connect();
  commit_queue("later");
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq night later ");
  commit([](schema::Event::Builder e) {
    auto j = e.initJob().initQueued();
    j.setId("1.borg");
    j.setNumber(1);
    j.setOwner("bob@borg");
  });
  BOOST_TEST(names(schema::ObjectKind::JOB, "bob") == "1.borg ");
  BOOST_TEST(names(schema::ObjectKind::JOB, "carol") == "");  // the settings, too, are those of the log
}

BOOST_AUTO_TEST_CASE(a_bit_that_was_changed_on_the_way_ends_it) {
  commit_queue("workq");
  connect();
  BOOST_TEST(dialers == 1);
  at_server->change = [](const schema::sealed_message& m) { return with(m, true, false); };
  commit_queue("night");
  BOOST_TEST(dialers == 0);
  BOOST_TEST(!at_follower->is_open());
  BOOST_TEST(there.last_sequence() == 2u);
  const std::string why =
      "portal, up to record 2 and no further: what server borg sent can't be believed: what came behind record 2: wrong checksum";
  BOOST_TEST(text() == why);
  BOOST_TEST(follower_attribute() == why);
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq ");
  BOOST_TEST(notes.back().starts_with("follows no more: what server borg sent can't be believed: "));
  commit_queue("later");
  BOOST_TEST(there.last_sequence() == 2u);
}

BOOST_AUTO_TEST_CASE(records_before_the_changed_one_are_kept) {
  for (const char* name : {"a", "b", "c"}) log.write_queue(name);
  connect([](const schema::sealed_message& m) { return with(m, true, false); });
  BOOST_TEST(there.last_sequence() == 3u);
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "a b ");
  BOOST_TEST(text().starts_with("portal, up to record 3 and no further"));
}

BOOST_AUTO_TEST_CASE(a_record_that_is_missing_ends_it) {
  connect();
  at_server->change = [](const schema::sealed_message& m) { return with(m, false, true); };
  commit_queue("lost");
  BOOST_TEST(text().find("no further") == std::string::npos);  // nothing came
  at_server->change = {};
  commit_queue("next");
  BOOST_TEST(text().ends_with("record 3 came, and not record 2"));
  BOOST_TEST(there.last_sequence() == 1u);
}

BOOST_AUTO_TEST_CASE(a_log_with_another_history_is_not_followed) {
  commit_queue("workq");
  connect();
  cut();
  log.store.assign(log::memory_event_store());
  log.writer.emplace(log.store, log.clock);
  log.write_start(own_log);
  for (const char* name : {"x", "y", "z"}) log.write_queue(name);
  connect();
  BOOST_TEST(text().find("no further: server borg refuses: the copy ends with another record 2 than the log has") != std::string::npos);
  BOOST_TEST(dialers == 0);
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq ");
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_waited_for) {
  connect();
  there.set_disk_full(true);
  commit_queue("workq");
  BOOST_TEST(!at_follower->is_open());
  BOOST_TEST(text().find("no space left") != std::string::npos);
  BOOST_TEST(dialers == 1);
  BOOST_TEST(stopped == "");
  there.set_disk_full(false);
  connect();
  is_equal();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq ");
}

BOOST_AUTO_TEST_CASE(what_comes_behind_a_record_that_the_full_disk_did_not_take_is_not_held_against_the_server) {
  const auto server = std::make_shared<test::fake_peer>(wire::identity::kind::server, "borg");
  const auto write_and_say = [&](const char* queue) {
    log.write_queue(queue);
    caf::anon_send(follow, actors::peer_frame{server, last_record_of(log.store)});
    system.run();
  };
  connect();
  cut();
  caf::anon_send(follow, actors::peer_opened{server});
  there.set_disk_full(true);
  write_and_say("workq");
  BOOST_TEST(server->closed == "the disk of the follower is full");
  write_and_say("night");  // it was on its way
  caf::anon_send(follow, actors::peer_closed{server, server->closed});
  system.run();
  BOOST_TEST(dialers == 1);
  BOOST_TEST(text().find("server borg is not there since 0 s: ") != std::string::npos, text());
  BOOST_TEST(text().find("no space left") != std::string::npos, text());
  there.set_disk_full(false);
  connect();
  is_equal();
  BOOST_TEST(names(schema::ObjectKind::QUEUE) == "workq night ");
}

BOOST_AUTO_TEST_CASE(its_log_has_a_server_that_comes_and_goes_once_a_minute_with_a_count) {
  notes.clear();
  for (int n = 0; n < 50; ++n) {
    connect();
    cut();
  }
  BOOST_REQUIRE(notes.size() == 2u);
  BOOST_TEST(notes[0] == "follows the log of server borg behind record 0");
  BOOST_TEST(notes[1] == "server borg is not there: the peer has closed");
  system.scheduler().advance_time(std::chrono::milliseconds(limits::complaint_ms));
  system.run();
  BOOST_REQUIRE(notes.size() == 4u);
  BOOST_TEST(notes[2] == "follows the log of server borg behind record 1 (49 times more)");
  BOOST_TEST(notes[3] == "server borg is not there: the peer has closed (49 times more)");
}

BOOST_AUTO_TEST_CASE(a_failed_sync_ends_the_process) {
  connect();
  there.fail_next_sync();
  commit_queue("workq");
  BOOST_TEST(stopped == "the sync of the event log failed");
}

BOOST_AUTO_TEST_CASE(what_changes_something_is_refused_and_the_server_named) {
  connect();
  const std::string why = "This is a follower, which changes nothing and waits for nothing: ask server borg (PBS_READ_FROM=server)";
  BOOST_TEST(refusal([](schema::Request::Builder r) { r.initDeleteJob().setJob("1.borg"); }) == why);
  BOOST_TEST(refusal([](schema::Request::Builder r) { r.initManage(); }) == why);
  BOOST_TEST(refusal([](schema::Request::Builder r) { r.initQueueJob(); }) == why);
  BOOST_TEST(refusal([](schema::Request::Builder r) { r.initWaitJob().setJob("1.borg"); }) == why);
  BOOST_TEST(refusal([](schema::Request::Builder r) { r.initFairshare().setDecay(); }) == why);
  BOOST_TEST(refusal([](schema::Request::Builder r) { r.initExportHook(); }) ==
             "A follower has no files of hooks: ask server borg (PBS_READ_FROM=server)");
  const auto hello = ask([](schema::Request::Builder r) { r.initHello(); });
  BOOST_TEST(schema::str(hello.front().get().getDone()) == "borg");
}

BOOST_AUTO_TEST_CASE(the_servers_row_says_how_far_it_is_behind) {
  connect();
  const std::string text = "portal, 0 events and 0 s behind server borg";
  BOOST_TEST(follower_attribute() == text);
  BOOST_TEST(follower_attribute({attributes::server::server_state, attributes::server::follower}) == text);
  BOOST_TEST(follower_attribute({attributes::server::server_state}) == "none");
}

BOOST_AUTO_TEST_CASE(users_see_what_they_may_see_from_a_login_host) {
  connect();
  commit([](schema::Event::Builder e) {
    auto j = e.initJob().initQueued();
    j.setId("1.borg");
    j.setNumber(1);
    j.setOwner("bob@borg");
  });
  BOOST_TEST(names(schema::ObjectKind::JOB, "carol") == "1.borg ");
  set_server("query_other_jobs", "False");
  BOOST_TEST(names(schema::ObjectKind::JOB, "carol") == "");
  BOOST_TEST(names(schema::ObjectKind::JOB, "bob") == "1.borg ");
  BOOST_TEST(names(schema::ObjectKind::JOB, "root") == "");
  set_server("operators", "carol@portal,dora@borg");
  BOOST_TEST(names(schema::ObjectKind::JOB, "carol") == "1.borg ");
  BOOST_TEST(names(schema::ObjectKind::JOB, "dora") == "");
}

BOOST_AUTO_TEST_CASE(the_past_is_answered_from_the_copy) {
  commit_queue("workq");
  commit_queue("night");
  connect();
  std::string all;
  const auto replies = ask([](schema::Request::Builder r) {
    auto stat = r.initStat();
    stat.setKind(schema::ObjectKind::QUEUE);
    stat.initAt().setSequence(2);
  });
  for (const auto& reply : replies)
    for (const auto o : reply.get().getObjects().getObjects()) all += schema::str(o.getName()) + " ";
  BOOST_TEST(all == "workq ");
}

BOOST_AUTO_TEST_SUITE_END()
