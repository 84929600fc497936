// The server's actors on a log in memory, and peers that keep what they are sent.
#pragma once

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/server/messages.hpp"
#include "actors/server/server_system.hpp"
#include "events/log/memory_event_store.hpp"
#include "test/support/stepped_system.hpp"

namespace annals::test {

struct fake_peer : wire::connection {
  fake_peer(wire::identity::kind what, const std::string& name) {
    who.what = what;
    who.name = name;
    who.uid = 1000;
  }
  std::uint64_t id() const override { return 1; }
  const wire::identity& peer() const override { return who; }
  void send(const schema::sealed_message& m) override { sent.push_back(m); }
  void close(const std::string& why) override { closed = why; }
  std::size_t unsent_bytes() const override { return 0; }
  void pause_reading() override {}
  void resume_reading() override {}

  wire::identity who;
  std::vector<schema::sealed_message> sent;
  std::string closed;  // why; empty: it is open
};

struct whole_server {
  whole_server() {
    actors::server_system_parts parts;
    parts.store = &store;
    parts.clock = &clock;
    parts.self = {"test", "borg", "borg", "UTC", std::string(16, 'u')};
    parts.server_uid = 1000;
    parts.detached = false;
    parts.disk_writable = [] { return true; };
    parts.stop_process = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
    parts.shut_down = [](const std::string&) {};
    whole = std::make_unique<actors::server_system>(system.actors(), std::move(parts));
    system.run();
  }
  ~whole_server() {
    system.end({whole->gateway(), whole->writer()});
    whole.reset();
  }
  void says(const wire::connection_ptr& peer, schema::sealed_message m) {
    caf::anon_send(whole->gateway(), actors::peer_frame{peer, std::move(m)});
    system.run();
  }
  // A request of a user of this host, who is root or uid 1000; the peer has the answer.
  template <class Fill>
  std::shared_ptr<fake_peer> ask(Fill fill, const std::string& user = "root") {
    auto peer = std::make_shared<fake_peer>(wire::identity::kind::local, user);
    says(peer, schema::make<schema::Request>(fill));
    return peer;
  }

  stepped_system system;
  still_clock clock;
  log::memory_event_store store;
  std::unique_ptr<actors::server_system> whole;
};

}  // namespace annals::test
