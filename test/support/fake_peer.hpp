// A peer's connection that keeps what it is sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/link/wire/connection_ids.hpp"
#include "actors/link/wire/wire.hpp"

namespace annals::test {

struct fake_peer : wire::connection {
  fake_peer(wire::identity::kind what, const std::string& name) {
    who.what = what;
    who.name = name;
    who.group = "users";
    who.uid = 1000;
  }
  std::uint64_t id() const override { return number; }
  const wire::identity& peer() const override { return who; }
  void send(const schema::sealed_message& m) override { sent.push_back(m); }
  void close(const std::string& why) override { closed = why; }
  bool is_open() const override { return closed.empty(); }
  std::size_t unsent_bytes() const override { return unsent; }
  void pause_reading() override { paused = true; }
  void resume_reading() override { paused = false; }
  void counts_for(const std::string& user) override { counted_for = user; }

  const std::uint64_t number = wire::next_connection_id();
  wire::identity who;
  std::vector<schema::sealed_message> sent;
  std::string closed;  // why; empty: it is open
  bool paused = false;
  std::string counted_for;  // whose requests come over it
  std::size_t unsent = 0;   // bytes that wait for it
};

}  // namespace annals::test
