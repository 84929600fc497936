// A server's feed and its follower in one process, joined by a connection of the tests' making.
#pragma once

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/feed/feed_actor.hpp"
#include "actors/follow/follow_actor.hpp"
#include "actors/follow/follower_door.hpp"
#include "actors/follow/follower_folds.hpp"
#include "actors/link/peer_messages.hpp"
#include "actors/link/wire/connection_ids.hpp"
#include "actors/queries/past_actor.hpp"
#include "actors/queries/query_actor.hpp"
#include "events/attributes/attribute_set.hpp"
#include "events/attributes/ids.hpp"
#include "events/log/fault_store.hpp"
#include "events/log/log_reader.hpp"
#include "events/schema/client.capnp.h"
#include "test/support/fake_peer.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/support/written_log.hpp"

namespace annals::test {

inline const std::string own_log(16, 'u');

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

struct followed_server {
  written_log log;
  log::fault_store there{1};
  log::log_reader reader{there};
  stepped_system system;
  std::vector<std::string> notes;
  std::string stopped;
  temporary_directory checkpoints;
  std::string began;  // where the last start did
  std::shared_ptr<actors::follow_standing> standing;
  caf::actor feed, past, queries, door, follow;
  std::shared_ptr<pipe_end> at_server, at_follower;
  int dialers = 0;

  followed_server() {
    actors::feed_parts parts;
    parts.log = &log.store;
    parts.identity = own_log;
    feed = system->spawn(actors::feed_actor, parts);
    log.write_start(own_log);
    start_follower();
  }
  ~followed_server() { end_follower(), system.end({feed}); }

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
  void is_equal() const { BOOST_TEST((bytes_of_all(there) == bytes_of_all(log.store))); }
  std::string text() const { return standing->text(std::chrono::steady_clock::now()); }

  // What a user of the follower's host is answered.
  template <class Fill>
  std::vector<schema::sealed<schema::Reply>> ask(const Fill& fill, const char* user = "alice") {
    const auto peer = std::make_shared<fake_peer>(wire::identity::kind::local, user);
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

}  // namespace annals::test
