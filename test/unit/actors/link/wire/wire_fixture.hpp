// What the tests of links share: a directory, messages with a number and a size, and handlers that keep what happened so that
// a test's own thread can wait for it and look at it.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "actors/link/wire/wire.hpp"
#include "events/schema/client.capnp.h"
#include "test/support/temporary_directory.hpp"

namespace annals::wire::testing {

using directory = test::temporary_directory;

inline schema::sealed_message message(std::uint64_t number, std::size_t text_size = 8) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setId(number);
    r.initHello().setVersion(std::string(text_size, 'x').c_str());
  });
}

inline std::uint64_t number_of(const schema::sealed_message& m) { return m.root<schema::Request>().getId(); }

// Options under which no peer is silent and no handshake late only because this process stood still for some seconds.
inline io_options patient() {
  io_options o;
  o.handshake_ms = o.peer_silence_ms = 120'000;
  return o;
}

// Everything that happened to the connections of one handler.
class record {
 public:
  struct seen {
    std::vector<connection_ptr> opened;
    std::vector<std::uint64_t> received;
    std::vector<std::string> closed, failed;
    std::size_t drained = 0;
  };

  handler keeping(std::function<void(const connection_ptr&, const schema::sealed_message&)> also = {}) {
    handler h;
    h.opened = [this](const connection_ptr& c) { change([&] { seen_.opened.push_back(c); }); };
    h.received = [this, also](const connection_ptr& c, schema::sealed_message m) {
      if (also) also(c, m);
      change([&] { seen_.received.push_back(number_of(m)); });
    };
    h.closed = [this](const connection_ptr&, const std::string& why) { change([&] { seen_.closed.push_back(why); }); };
    h.drained = [this](const connection_ptr&) { change([&] { ++seen_.drained; }); };
    h.failed = [this](const std::string& why) { change([&] { seen_.failed.push_back(why); }); };
    return h;
  }
  handler echoing() {
    return keeping([](const connection_ptr& c, const schema::sealed_message& m) { c->send(m); });
  }

  // Waits until it is so; false: it took far too long.
  bool until(const std::function<bool(const seen&)>& so) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return so(seen_); });
  }
  bool until_opened(std::size_t n = 1) {
    return until([n](const seen& s) { return s.opened.size() >= n; });
  }
  bool until_received(std::size_t n) {
    return until([n](const seen& s) { return s.received.size() >= n; });
  }
  bool until_closed(std::size_t n = 1) {
    return until([n](const seen& s) { return s.closed.size() >= n; });
  }
  bool until_failed(std::size_t n = 1) {
    return until([n](const seen& s) { return s.failed.size() >= n; });
  }
  seen now() {
    std::lock_guard lock(mutex_);
    return seen_;
  }
  connection_ptr first() { return now().opened.at(0); }

 private:
  void change(const std::function<void()>& what) {
    std::lock_guard lock(mutex_);
    what();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  seen seen_;
};

inline std::vector<std::uint64_t> counting(std::uint64_t n) {
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace annals::wire::testing
