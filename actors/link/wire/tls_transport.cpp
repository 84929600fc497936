#include "actors/link/wire/tls_transport.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cerrno>
#include <optional>

#include "actors/link/wire/cut_handshake.hpp"
#include "actors/link/wire/link.hpp"

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

// OpenSSL reads and writes the socket itself, whenever the event loop says that it can: no buffers of ours lie between them.
// The worker's thread has SIGPIPE blocked, so a peer that is gone is an error like others.
class tls_socket final : public transport {
 public:
  tls_socket(worker& w, unique_fd connected, std::shared_ptr<tls_context> context, tls_side side)
      : context_(std::move(context)),
        ssl_(SSL_new(context_->ssl.get())),
        socket_(w.io, protocol_of(connected.get()), connected.get()),
        side_(side) {
    connected.release();
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    const auto remote = socket_.remote_endpoint(ignored);
    if (!ignored) address_ = text_of(remote);
    if (!ssl_ || SSL_set_fd(ssl_.get(), socket_.native_handle()) != 1) throw boost::system::system_error(openssl_said());
  }

  void handshake(const link_ptr& l) override {
    const lack missing = tried([&] { return side_ == tls_side::dials ? SSL_connect(ssl_.get()) : SSL_accept(ssl_.get()); });
    if (missing.done()) return l->on_handshake({});
    if (missing.ec) return l->on_handshake(reason(missing.ec));
    socket_.async_wait(*missing.event, [this, l](error_code ec) { ec ? l->on_handshake(reason(ec)) : handshake(l); });
  }

  void read_some(const link_ptr& l) override {
    if (read_failed_ || SSL_has_pending(ssl_.get())) return boost::asio::post(socket_.get_executor(), [this, l] { read(l); });
    l->waits();
    wait_to_read(tcp::socket::wait_read, l);
  }

  void write_some(std::span<const boost::asio::const_buffer> parts, const link_ptr& l) override {
    std::size_t bytes = 0;
    const lack missing = write(parts, bytes);
    if (bytes > 0 || missing.ec)  // later, as with a socket that has to wait: the link goes on writing from there
      return boost::asio::post(socket_.get_executor(),
                               [l, bytes, ec = bytes > 0 ? error_code() : missing.ec] { l->on_written(ec, bytes); });
    socket_.async_wait(*missing.event, [this, l, parts](error_code ec) { ec ? l->on_written(ec, 0) : write_some(parts, l); });
  }

  // No close_notify: a frame's length tells whether it is whole, and a lost peer is "down" however its connection ended.
  void end_writing() override {
    error_code ignored;
    socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
  }
  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }
  identity peer() override {
    const x509_ptr certificate(SSL_get1_peer_certificate(ssl_.get()));
    if (!certificate) throw wire_error("no certificate");
    identity who = identity_in(certificate.get());
    who.address = address_;
    return who;
  }
  bool needs_heartbeats() const override { return true; }

 private:
  // What an operation still needs: nothing, to be repeated after an event of the socket, or it failed.
  struct lack {
    std::optional<tcp::socket::wait_type> event;
    error_code ec;
    bool done() const { return !event && !ec; }
  };

  // operate() returns 1 when it succeeded, as OpenSSL does.
  template <class Operation>
  lack tried(Operation operate) {
    if (!socket_.is_open()) return {{}, boost::asio::error::operation_aborted};  // its number may be another's by now
    ERR_clear_error();
    errno = 0;
    const int result = operate();
    const int why_not = errno;
    if (result == 1) return {};
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return {tcp::socket::wait_read, {}};
      case SSL_ERROR_WANT_WRITE: return {tcp::socket::wait_write, {}};
      case SSL_ERROR_SSL: return {{}, openssl_said()};
      case SSL_ERROR_SYSCALL:
        if (why_not != 0) return {{}, error_code(why_not, boost::system::system_category())};
        return {{}, boost::asio::error::eof};
      default: return {{}, boost::asio::error::eof};
    }
  }

  static error_code openssl_said() {
    const auto code = ERR_get_error();
    if (code == 0 || ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return boost::asio::error::eof;
    return error_code(static_cast<int>(code), boost::asio::error::get_ssl_category());
  }

  void wait_to_read(tcp::socket::wait_type event, const link_ptr& l) {
    socket_.async_wait(event, [this, l](error_code ec) { ec ? l->on_read(ec, 0) : read(l); });
  }

  // As much as there is and fits.
  void read(const link_ptr& l) {
    if (read_failed_) return l->on_read(read_failed_, 0);
    const auto into = l->space();
    std::size_t bytes = 0, got = 0;
    lack missing;
    do {
      missing = tried([&] { return SSL_read_ex(ssl_.get(), into.data() + bytes, into.size() - bytes, &got); });
      if (missing.done()) bytes += got;
    } while (missing.done() && bytes < into.size() && SSL_has_pending(ssl_.get()));
    read_failed_ = missing.ec;  // after what came before
    if (bytes > 0) return l->on_read({}, bytes);
    if (missing.ec) return l->on_read(missing.ec, 0);
    wait_to_read(*missing.event, l);
  }

  // As much as the socket takes.
  lack write(std::span<const boost::asio::const_buffer> parts, std::size_t& bytes) {
    for (const auto& part : parts)
      for (std::size_t at = 0, took = 0; at < part.size(); at += took, bytes += took) {
        const auto rest = part + at;
        const lack missing = tried([&] { return SSL_write_ex(ssl_.get(), rest.data(), rest.size(), &took); });
        if (!missing.done()) return missing;
      }
    return {};
  }

  std::string reason(error_code ec) {
    const std::string from = side_ == tls_side::accepts && !address_.empty() ? address_ + ": " : std::string();
    namespace error = boost::asio::error;
    if (ec == error::eof || ec == error::connection_reset || ec == error::broken_pipe) return from + std::string(cut_handshake);
    const long checked = SSL_get_verify_result(ssl_.get());
    const std::string why = checked == X509_V_OK ? "" : std::string(" (") + X509_verify_cert_error_string(checked) + ")";
    return from + "TLS handshake failed: " + ec.message() + why;
  }

  const std::shared_ptr<tls_context> context_;
  const std::unique_ptr<SSL, freed_by<SSL_free>> ssl_;
  tcp::socket socket_;
  const tls_side side_;
  error_code read_failed_;
  std::string address_;
};

}  // namespace

std::unique_ptr<transport> tls_transport(worker& w, unique_fd connected, std::shared_ptr<tls_context> context,
                                         tls_side side) {
  return std::make_unique<tls_socket>(w, std::move(connected), std::move(context), side);
}

}  // namespace annals::wire
