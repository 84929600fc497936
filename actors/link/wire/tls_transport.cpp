#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "actors/link/wire/link.hpp"
#include "actors/link/wire/transport.hpp"

namespace annals::wire {

namespace {

using boost::asio::ip::tcp;

tcp protocol_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

std::string text_of(const tcp::endpoint& e) {
  const std::string host = e.address().to_string();
  return (e.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(e.port());
}

class tls_socket final : public transport {
 public:
  tls_socket(worker& w, unique_fd connected, std::shared_ptr<tls_context> context, tls_side side)
      : context_(std::move(context)), stream_(tcp::socket(w.io, protocol_of(connected.get()), connected.get()), context_->ssl),
        side_(side) {
    connected.release();
    error_code ignored;
    stream_.next_layer().set_option(tcp::no_delay(true), ignored);
    const auto remote = stream_.next_layer().remote_endpoint(ignored);
    if (!ignored) address_ = text_of(remote);
  }

  void handshake(const link_ptr& l) override {
    using base = boost::asio::ssl::stream_base;
    stream_.async_handshake(side_ == tls_side::dials ? base::client : base::server,
                            [this, l](error_code ec) { l->on_handshake(ec ? reason(ec) : std::string()); });
  }
  void read_some(std::span<std::byte> into, const link_ptr& l) override {
    stream_.async_read_some(boost::asio::buffer(into.data(), into.size()),
                            [l](error_code ec, std::size_t n) { l->on_read(ec, n); });
  }
  void write_some(std::span<const boost::asio::const_buffer> parts, const link_ptr& l) override {
    stream_.async_write_some(parts, [l](error_code ec, std::size_t n) { l->on_written(ec, n); });
  }
  // No close_notify: a frame's length tells whether it is whole, and a lost peer is "down" however its connection ended.
  void end_writing() override {
    error_code ignored;
    stream_.next_layer().shutdown(boost::asio::socket_base::shutdown_send, ignored);
  }
  void close() override {
    error_code ignored;
    stream_.next_layer().close(ignored);
  }
  identity peer() override {
    const x509_ptr certificate(SSL_get1_peer_certificate(stream_.native_handle()));
    if (!certificate) throw wire_error("no certificate");
    identity who = identity_in(certificate.get());
    who.address = address_;
    return who;
  }
  bool needs_heartbeats() const override { return true; }

 private:
  std::string reason(error_code ec) {
    const std::string from = side_ == tls_side::accepts && !address_.empty() ? address_ + ": " : std::string();
    const long checked = SSL_get_verify_result(stream_.native_handle());
    const std::string why = checked == X509_V_OK ? "" : std::string(" (") + X509_verify_cert_error_string(checked) + ")";
    return from + "TLS handshake failed: " + ec.message() + why;
  }

  std::shared_ptr<tls_context> context_;
  boost::asio::ssl::stream<tcp::socket> stream_;
  tls_side side_;
  std::string address_;
};

}  // namespace

std::unique_ptr<transport> tls_transport(worker& w, unique_fd connected, std::shared_ptr<tls_context> context,
                                         tls_side side) {
  return std::make_unique<tls_socket>(w, std::move(connected), std::move(context), side);
}

}  // namespace annals::wire
