// Both ends of the feed in one process, and the questions that a follower answers.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/feed/feed_actor.hpp"
#include "actors/feed/feed_limits.hpp"
#include "actors/follow/follow_actor.hpp"
#include "actors/follow/follower_door.hpp"
#include "actors/follow/follower_folds.hpp"
#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/connection_ids.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/queries/past_actor.hpp"
#include "actors/queries/query_actor.hpp"
#include "actors/replica/checkpoint_round.hpp"
#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/log/fault_store.hpp"
#include "events/log/log_reader.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/feed.capnp.h"
#include "test/support/fake_peer.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/support/written_log.hpp"

using namespace annals;

namespace {

const std::string own_log(16, 'u');

// One end of a connection between two actors: what is said here is heard there.
struct pipe_end : wire::connection, std::enable_shared_from_this<pipe_end> {
  pipe_end(wire::identity::kind peer, const char* name, caf::actor own, caf::actor other) : own_(std::move(own)), other_(std::move(other)) {
    who_.what = peer;
    who_.name = name;
  }
  static void join(const std::shared_ptr<pipe_end>& a, const std::shared_ptr<pipe_end>& b) {
    a->far_ = b;
    b->far_ = a;
  }
  std::uint64_t id() const override { return number_; }
  const wire::identity& peer() const override { return who_; }
  void send(const schema::sealed_message& m) override {
    if (open_) caf::anon_send(other_, actors::peer_frame{far_.lock(), change ? change(m) : m});
  }
  void close(const std::string& why) override {
    if (!std::exchange(open_, false)) return;
    caf::anon_send(own_, actors::peer_closed{shared_from_this(), why});
    if (const auto far = far_.lock()) far->close("the peer has closed");
  }
  bool is_open() const override { return open_; }
  std::size_t unsent_bytes() const override { return 0; }
  void pause_reading() override {}
  void resume_reading() override {}

  std::function<schema::sealed_message(const schema::sealed_message&)> change;  // of what is said

 private:
  const std::uint64_t number_ = wire::next_connection_id();
  wire::identity who_;
  caf::actor own_, other_;
  std::weak_ptr<pipe_end> far_;
  bool open_ = true;
};

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

struct cluster {
  test::written_log log;
  log::fault_store there{1};
  log::log_reader reader{there};
  test::stepped_system system;
  std::vector<std::string> notes;
  std::string stopped;
  test::temporary_directory checkpoints;
  std::string began;  // where the last start did
  std::shared_ptr<actors::follow_standing> standing;
  caf::actor feed, past, queries, door, follow;
  std::shared_ptr<pipe_end> at_server, at_follower;
  int dialers = 0;

  cluster() {
    actors::feed_parts parts;
    parts.log = &log.store;
    parts.identity = own_log;
    feed = system->spawn(actors::feed_actor, parts);
    log.write_start(own_log);
    start_follower();
  }
  ~cluster() { end_follower(), system.end({feed}); }

  struct counted_dialer final : wire::io_pool::dialer {
    explicit counted_dialer(int& n) : open(n) { ++open; }
    ~counted_dialer() override { --open; }
    void now() override {}
    int& open;
  };

  // As pbs_follow does.
  void start_follower() {
    const auto start =
        actors::fold_copy({&reader, there, checkpoints.path, checkpoints.path, [this](const std::string& text) { began = text; }});
    standing = std::make_shared<actors::follow_standing>("portal", "borg", std::chrono::steady_clock::now());
    past = system->spawn(actors::past_actor, &reader, ports::storage(there), &log.clock);
    actors::query_parts q{};
    q.now = start.folds.status;
    q.index = start.past;
    q.past = past;
    q.clock = &log.clock;
    q.inbox = std::make_shared<actors::commit_inbox>();
    queries = system->spawn(actors::query_actor, q);
    door = system->spawn(actors::follower_door, actors::follower_door_parts{"portal", "borg", *start.folds.settings, queries, standing});
    actors::follow_parts f;
    f.copy = std::make_shared<log::log_copy>(there);
    f.standing = standing;
    f.inbox = q.inbox;
    f.queries = queries;
    f.door = door;
    f.server = "borg";
    f.dial = [this](const caf::actor&) { return std::make_unique<counted_dialer>(dialers); };
    f.note = [this](bool, const std::string& text) { notes.push_back(text); };
    f.stop_process = [this](const std::string& text) { stopped = text; };
    follow = system->spawn(actors::follow_actor, f);
  }
  void end_follower() { system.end({follow, door, queries, past}); }

  void connect(std::function<schema::sealed_message(const schema::sealed_message&)> change = {}) {
    at_server = std::make_shared<pipe_end>(wire::identity::kind::follower, "portal", feed, follow);
    at_follower = std::make_shared<pipe_end>(wire::identity::kind::server, "borg", follow, feed);
    pipe_end::join(at_server, at_follower);
    at_server->change = std::move(change);
    caf::anon_send(follow, actors::peer_opened{at_follower});
    system.run();
  }
  void cut() {
    at_server->close("peer silent for 10 s");
    system.run();
  }
  template <class Fill>
  void commit(const Fill& fill, std::uint64_t stream = 0) {
    caf::anon_send(feed, actors::committed{log.write(fill, stream)});
    system.run();
  }
  void commit_queue(const char* name) {
    commit([&](schema::Event::Builder e) { e.initQueue().initCreated().setName(name); });
  }
  void set_server(const char* name, const char* value) {
    commit(
        [&](schema::Event::Builder e) {
          auto c = e.initServer().initChanged().initChanges(1)[0];
          c.setName(name);
          c.setValue(value);
        },
        1);
  }
  void is_equal() const { BOOST_TEST((test::bytes_of_all(there) == test::bytes_of_all(log.store))); }
  std::string text() const { return standing->text(std::chrono::steady_clock::now()); }

  // What a user of the follower's host is answered.
  template <class Fill>
  std::vector<schema::sealed<schema::Reply>> ask(const Fill& fill, const char* user = "alice") {
    const auto peer = std::make_shared<test::fake_peer>(wire::identity::kind::local, user);
    caf::anon_send(door, actors::peer_frame{peer, schema::make<schema::Request>(fill)});
    system.run();
    std::vector<schema::sealed<schema::Reply>> replies;
    for (const auto& m : peer->sent) replies.emplace_back(m);
    BOOST_REQUIRE(!replies.empty());
    return replies;
  }
  std::string names(schema::ObjectKind kind, const char* user = "alice") {
    std::string all;
    const auto fill = [&](schema::Request::Builder r) { r.initStat().setKind(kind); };
    for (const auto& reply : ask(fill, user)) {
      if (reply.get().isRejected()) return schema::str(reply.get().getRejected().getText());
      for (const auto o : reply.get().getObjects().getObjects()) all += schema::str(o.getName()) + " ";
    }
    return all;
  }
  std::string follower_attribute(std::vector<std::uint16_t> wanted = {}) {
    const auto replies = ask([&](schema::Request::Builder r) {
      auto stat = r.initStat();
      stat.setKind(schema::ObjectKind::SERVER);
      auto list = stat.initWanted(static_cast<unsigned>(wanted.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, wanted[i]);
    });
    BOOST_REQUIRE(replies.front().get().isObjects());
    const auto packed = schema::bytes_of(replies.front().get().getObjects().getObjects()[0].getAttributes());
    const auto row = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.data()), packed.size()});
    return std::string(row->get(attributes::server::follower).value_or("none"));
  }
  template <class Fill>
  std::string refusal(const Fill& fill) {
    const auto replies = ask(fill);
    return replies.front().get().isRejected() ? schema::str(replies.front().get().getRejected().getText()) : "it was done";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(follower, cluster)

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
