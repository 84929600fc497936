#include "actors/link/wire/unix_transport.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>

#include "actors/link/wire/link.hpp"

namespace annals::wire {

namespace {

class unix_socket final : public transport {
 public:
  unix_socket(worker& w, unique_fd connected, identity peer)
      : socket_(w.io, boost::asio::local::stream_protocol(), connected.get()), peer_(std::move(peer)) {
    connected.release();
  }

  void handshake(const link_ptr& l) override {
    boost::asio::post(socket_.get_executor(), [l] { l->on_handshake({}); });
  }
  void read_some(const link_ptr& l) override {
    const auto into = l->space();
    socket_.async_read_some(boost::asio::buffer(into.data(), into.size()),
                            [l](error_code ec, std::size_t n) { l->on_read(ec, n); });
  }
  void write_some(std::span<const boost::asio::const_buffer> parts, const link_ptr& l) override {
    socket_.async_write_some(parts, [l](error_code ec, std::size_t n) { l->on_written(ec, n); });
  }
  bool can_write_at_once() const override { return true; }
  std::size_t write_at_once(std::span<const std::byte> header, std::span<const std::byte> body) override {
    iovec parts[2] = {{const_cast<std::byte*>(header.data()), header.size()}, {const_cast<std::byte*>(body.data()), body.size()}};
    msghdr what{};
    what.msg_iov = parts;
    what.msg_iovlen = 2;
    const auto n = ::sendmsg(socket_.native_handle(), &what, MSG_NOSIGNAL | MSG_DONTWAIT);
    return n > 0 ? static_cast<std::size_t>(n) : 0;  // an error is met again by the worker's own write
  }
  void end_writing() override {
    error_code ignored;
    socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
  }
  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }
  identity peer() override { return peer_; }
  bool needs_heartbeats() const override { return false; }

 private:
  boost::asio::local::stream_protocol::socket socket_;
  identity peer_;
};

}  // namespace

std::unique_ptr<transport> unix_transport(worker& w, unique_fd connected, identity peer) {
  return std::make_unique<unix_socket>(w, std::move(connected), std::move(peer));
}

}  // namespace annals::wire
