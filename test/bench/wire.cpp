// How many small frames a second one I/O thread of a pool moves: from the commands' client over a Unix socket, back to it,
// and there and back over TLS between two pools. Usage: bench_wire [frames]. Figures: docs/performance.md.
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "actors/link/wire/wire.hpp"
#include "events/schema/client.capnp.h"

using namespace annals;

namespace {

using clock = std::chrono::steady_clock;

schema::sealed_message small_frame() {
  return schema::make<schema::Request>([](schema::Request::Builder r) { r.initHello().setVersion("a small request"); });
}

void report(const char* what, unsigned long frames, clock::time_point start) {
  const double s = std::chrono::duration<double>(clock::now() - start).count();
  std::printf("%-48s %8lu frames  %6.3f s  %9.0f frames/s\n", what, frames, s, static_cast<double>(frames) / s);
}

// Counts to n and then says so.
struct counter {
  explicit counter(unsigned long expected) : n(expected) {}
  const unsigned long n;
  std::atomic<unsigned long> have{0};
  std::promise<void> all;
  void one() {
    if (++have == n) all.set_value();
  }
};

void client_to_pool(const std::string& path, unsigned long n) {
  counter got{n};
  wire::io_pool pool(1);
  wire::handler h;
  h.received = [&](const wire::connection_ptr&, schema::sealed_message) { got.one(); };
  const auto door = pool.listen_unix(path, 0600, h);
  auto client = wire::blocking_client::connect_unix(path);
  const auto frame = small_frame();
  const auto start = clock::now();
  for (unsigned long i = 0; i < n; ++i) client.send(frame);
  got.all.get_future().wait();
  report("unix, a system call per frame -> pool", n, start);
}

void pool_to_client(const std::string& path, unsigned long n) {
  const auto frame = small_frame();
  wire::io_pool pool(1);
  wire::handler h;
  h.received = [&](const wire::connection_ptr& c, schema::sealed_message) {
    for (unsigned long i = 0; i < n; ++i) c->send(frame);
  };
  const auto door = pool.listen_unix(path, 0600, h);
  auto client = wire::blocking_client::connect_unix(path);
  const auto start = clock::now();
  client.send(frame);
  for (unsigned long i = 0; i < n; ++i) client.receive();
  report("unix, pool -> client", n, start);
}

void echo_over_tls(const std::string& dir, unsigned long n) {
  const auto ca = wire::authority::open_or_create(dir + "/ca");
  wire::create_private_file(dir + "/server.pem", ca.issue(wire::identity::kind::server, "q1").bundle());
  wire::create_private_file(dir + "/mom.pem", ca.issue(wire::identity::kind::mom, "n1").bundle());
  const auto frame = small_frame();
  counter back{n};
  std::promise<wire::connection_ptr> opened;
  wire::io_pool server(1), mom(1);
  wire::handler echo, sender;
  echo.received = [](const wire::connection_ptr& c, schema::sealed_message m) { c->send(m); };
  sender.opened = [&](const wire::connection_ptr& c) { opened.set_value(c); };
  sender.received = [&](const wire::connection_ptr&, schema::sealed_message) { back.one(); };
  const auto door = server.listen_tls("127.0.0.1", 0, wire::credentials::bundle(dir + "/server.pem"), echo);
  const auto dialer = mom.dial_tls("127.0.0.1", door->port(), wire::credentials::bundle(dir + "/mom.pem"),
                                   wire::identity::kind::server, sender);
  const auto c = opened.get_future().get();
  const auto start = clock::now();
  for (unsigned long i = 0; i < n; ++i) c->send(frame);
  back.all.get_future().wait();
  report("tls, there and back (each frame counted once)", n, start);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  std::string dir = "/tmp/annals_bench_XXXXXX";
  if (mkdtemp(dir.data()) == nullptr) return 1;
  client_to_pool(dir + "/a", n);
  pool_to_client(dir + "/b", n);
  echo_over_tls(dir, n);
  std::filesystem::remove_all(dir);
}
