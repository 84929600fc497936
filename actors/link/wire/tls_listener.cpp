// The server's door for MoMs and schedulers: TLS on a TCP port, certificates of the cluster's CA on both sides.
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "actors/link/wire/acceptor.hpp"

namespace annals::wire {

namespace {

using boost::asio::ip::tcp;

class tls_listener final : public listener {
 public:
  tls_listener(std::shared_ptr<worker> w, next_worker next, const std::string& address, std::uint16_t port,
               std::shared_ptr<tls_context> context, handler h) {
    acceptor_ = std::make_shared<acceptor>(
        std::move(w), std::move(next), bound(address, port),
        [h = std::move(h), context](const std::shared_ptr<worker>& to, unique_fd connected) {
          link_setup setup;
          setup.owner = h;
          setup.frame_bytes_max = to->options.daemon_frame_bytes_max;
          return std::make_shared<link>(to, tls_transport(*to, std::move(connected), context, tls_side::accepts),
                                        std::move(setup));
        });
    acceptor_->start();
  }

  ~tls_listener() override { acceptor_->stop(); }
  std::uint16_t port() const override { return port_; }

 private:
  unique_fd bound(const std::string& address, std::uint16_t port) {
    const std::string name = address + ":" + std::to_string(port);
    error_code ec;
    tcp::endpoint at(boost::asio::ip::make_address(address, ec), port);
    if (ec) throw wire_error("listen on " + name + ": not an IP address");
    unique_fd fd(::socket(at.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int yes = 1;   // a restarted server takes its port again, whatever old connections still linger
    if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(fd.get(), at.data(), static_cast<socklen_t>(at.size())) != 0 || ::listen(fd.get(), 4096) != 0)
      throw wire_error(with_errno("listen on " + name));
    socklen_t size = static_cast<socklen_t>(at.capacity());
    if (::getsockname(fd.get(), at.data(), &size) != 0) throw wire_error(with_errno("listen on " + name));
    at.resize(size);
    port_ = at.port();
    return fd;
  }

  std::uint16_t port_ = 0;
  std::shared_ptr<acceptor> acceptor_;
};

}  // namespace

std::unique_ptr<listener> make_tls_listener(std::shared_ptr<worker> w, next_worker next, const std::string& address,
                                            std::uint16_t port, std::shared_ptr<tls_context> context, handler h) {
  return std::make_unique<tls_listener>(std::move(w), std::move(next), address, port, std::move(context), std::move(h));
}

}  // namespace annals::wire
