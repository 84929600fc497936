// A link over a transport that the test holds: what several threads do at one moment.
#include "actors/link/wire/link.hpp"

#include <boost/asio/post.hpp>
#include <cstring>
#include <future>
#include <thread>

#include "test/unit/actors/link/wire/wire_fixture.hpp"

using namespace annals;
using namespace annals::wire;
using namespace annals::wire::testing;

namespace {

// Takes all that is written, at once, but not before the test lets it.
struct held_transport final : transport {
  std::promise<void> writes, may_write;

  void handshake(const link_ptr& l) override { l->on_handshake(""); }
  void read_some(const link_ptr&) override {}
  void write_some(std::span<const boost::asio::const_buffer> parts, const link_ptr& l) override {
    l->on_written({}, boost::asio::buffer_size(parts));
  }
  bool can_write_at_once() const override { return true; }
  std::size_t write_at_once(std::span<const std::byte> header, std::span<const std::byte> body) override {
    writes.set_value();
    may_write.get_future().wait();
    return header.size() + body.size();
  }
  void end_writing() override {}
  void close() override {}
  identity peer() override { return {}; }
  bool needs_heartbeats() const override { return false; }
};

io_options easily_throttled() {
  io_options o;
  o.unsent_pause_bytes = 100;
  o.close_ms = 20;
  return o;
}

struct held_link {
  record seen;
  std::shared_ptr<worker> io = std::make_shared<worker>(easily_throttled());
  held_transport* transport = new held_transport;
  link_ptr link;

  held_link() {
    io->start();
    link_setup setup;
    setup.owner = seen.keeping();
    setup.frame_bytes_max = 1 << 20;
    link = std::make_shared<wire::link>(io, std::unique_ptr<wire::transport>(transport), std::move(setup));
    on_worker([this] { link->start(); });
  }
  ~held_link() {
    io->begin_stop();
    io->join();
  }
  void on_worker(const std::function<void()>& what) { io->run_and_wait(what); }
  void comes(const schema::sealed_message& m) {
    on_worker([&] {
      const auto header = frame_header(m.bytes().size());
      const auto space = link->space();
      BOOST_REQUIRE(space.size() >= header.size() + m.bytes().size());
      std::memcpy(space.data(), header.data(), header.size());
      std::memcpy(space.data() + header.size(), m.bytes().data(), m.bytes().size());
      link->on_read({}, header.size() + m.bytes().size());
    });
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(links)

BOOST_AUTO_TEST_CASE(what_comes_while_another_thread_writes_a_long_answer_is_read_after_it) {
  held_link t;
  std::thread answers([&] { t.link->send(message(1, 1000)); });
  t.transport->writes.get_future().wait();
  t.comes(message(7));
  BOOST_TEST(t.seen.now().received.empty());
  t.transport->may_write.set_value();
  answers.join();
  t.on_worker([] {});  // what the answer's end has posted is done
  BOOST_TEST(t.seen.now().received == std::vector<std::uint64_t>{7}, boost::test_tools::per_element());
  BOOST_TEST(t.link->unsent_bytes() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
