// The server's door for MoMs and schedulers: TLS on a TCP port, certificates of the cluster's CA on both sides.
#include "actors/link/wire/tls_listener.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "actors/link/wire/acceptor.hpp"
#include "actors/link/wire/complaints.hpp"
#include "actors/link/wire/link.hpp"
#include "actors/link/wire/tls_transport.hpp"

namespace annals::wire {

namespace {

using boost::asio::ip::tcp;

class tls_door final : public door {
 public:
  tls_door(const rooms& r, std::shared_ptr<tls_context> context, const handler& h, int complaint_ms)
      : rooms_(r), context_(std::move(context)), owner_(h), complaints_(std::make_shared<complaints>(h.failed, complaint_ms)) {
    // A handshake that fails is told by the link.
    owner_.failed = {};
  }

  std::shared_ptr<void> admit(int connected) override {
    const auto peer = peer_of(connected);
    const auto& places = peer.port < root_ports_end ? rooms_.unproven_root : rooms_.unproven;
    std::size_t has = 0;
    auto place = places->enter(peer.address, has);
    if (!place)
      turn_away(connected, has > 0 ? "too many TLS handshakes at once (limit " + std::to_string(has) + ")"
                                   : "too many TLS handshakes of others (limit " + std::to_string(places->places()) + ")");
    return place;
  }
  // Before TLS there is nothing that could be said.
  void turn_away(int connected, const std::string& why) override {
    const auto from = peer_of(connected).address;
    complaints_->add(from, from + " turned away: " + why, steady::now());
  }

  void welcome(const std::shared_ptr<worker>& w, unique_fd connected, std::shared_ptr<void> place) override {
    link_setup setup;
    setup.owner = owner_;
    setup.frame_bytes_max = w->options.daemon_frame_bytes_max;
    setup.place = std::move(place);
    setup.in_hand = rooms_.in_hand;
    setup.place_until_open = true;
    setup.complaint_of = complaints_;
    setup.complains_as = peer_of(connected.get()).address;
    std::make_shared<link>(w, tls_transport(*w, std::move(connected), context_, tls_side::accepts), std::move(setup))->start();
  }

  void tick(steady::time_point now) override { complaints_->tick(now); }

 private:
  struct peer {
    std::string address;
    int port;
  };
  static peer peer_of(int connected) {
    tcp::endpoint from;
    auto size = static_cast<socklen_t>(from.capacity());
    if (::getpeername(connected, from.data(), &size) != 0) return {"a peer that is gone", root_ports_end};
    from.resize(size);
    return {from.address().to_string(), from.port()};
  }

  const rooms rooms_;
  const std::shared_ptr<tls_context> context_;
  handler owner_;
  const std::shared_ptr<complaints> complaints_;
};

class tls_listener final : public listener {
 public:
  tls_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& address, std::uint16_t port,
               std::shared_ptr<tls_context> context, handler h) {
    auto d = std::make_shared<tls_door>(r, std::move(context), h, w->options.complaint_ms);
    acceptor_ = std::make_shared<acceptor>(std::move(w), std::move(next), bound(address, port), std::move(d));
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
    const int yes = 1;  // a restarted server takes its port again, whatever old connections still linger
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

std::unique_ptr<listener> make_tls_listener(std::shared_ptr<worker> w, next_worker next, const rooms& r, const std::string& address,
                                            std::uint16_t port, std::shared_ptr<tls_context> context, handler h) {
  return std::make_unique<tls_listener>(std::move(w), std::move(next), r, address, port, std::move(context), std::move(h));
}

}  // namespace annals::wire
