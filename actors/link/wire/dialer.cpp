// Keeps one TLS connection to a peer: looks its name up, connects, proves and checks identities, and begins anew whenever
// that fails or the connection is lost. Pauses between attempts double; a connection that lasted makes them short again.
#include "actors/link/wire/dialer.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <random>

#include "actors/link/wire/accepting.hpp"
#include "actors/link/wire/link.hpp"
#include "actors/link/wire/tls_transport.hpp"

namespace annals::wire {

namespace {

using boost::asio::ip::tcp;

// Root's: a listener has places of their own for these, which no user of this host can take. Who may not have one calls from any port.
void call_from_a_root_port(int fd, tcp protocol) {
  const int yes = 1;  // several peers may be called from the same one
  if (::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) return;
  constexpr unsigned number = root_ports_end - root_port_min;
  const auto first = std::random_device{}();
  for (unsigned n = 0; n < number; ++n) {
    const tcp::endpoint from(protocol, static_cast<std::uint16_t>(root_port_min + (first + n) % number));
    if (::bind(fd, from.data(), static_cast<socklen_t>(from.size())) == 0 || errno != EADDRINUSE) return;
  }
}

constexpr int ports_tried_max = 8;

class dialing final : public resident, public std::enable_shared_from_this<dialing> {
 public:
  dialing(std::shared_ptr<worker> w, dial_target target, std::shared_ptr<tls_context> context, handler h)
      : worker_(std::move(w)),
        target_(std::move(target)),
        context_(std::move(context)),
        owner_(std::move(h)),
        resolver_(worker_->io),
        socket_(worker_->io),
        pause_(worker_->io),
        pause_ms_(worker_->options.redial_ms_min) {}

  void start() {
    boost::asio::post(worker_->io, [self = shared_from_this()] {
      self->worker_->add(self);
      if (!self->ended_) self->attempt();
    });
  }

  void hurry() {
    boost::asio::post(worker_->io, [self = shared_from_this()] {
      if (self->ended_ || !std::exchange(self->pausing_, false)) return;
      self->pause_.cancel();
      self->attempt();
    });
  }

  void stop() {
    worker_->run_and_wait([this] {
      end_now();
      if (link_) link_->close("no longer wanted");
    });
  }

  void tick(steady::time_point now) override {
    if (!connecting_ || now < connect_by_) return;
    error_code ignored;
    socket_.close(ignored);  // the attempt ends with an error
  }
  void begin_end() override { end_now(); }
  void end_now() override {
    if (ended_) return;
    ended_ = true;
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
    worker_->remove(shared_from_this());
  }

 private:
  // The resolver's own thread may be busy for long: its answer must not keep us alive.
  void attempt() {
    resolver_.async_resolve(target_.host, std::to_string(target_.port), tcp::resolver::numeric_service,
                            [weak = weak_from_this()](error_code ec, tcp::resolver::results_type found) {
                              const auto self = weak.lock();
                              if (!self || self->ended_) return;
                              if (ec) return self->failed(ec.message());
                              self->found_ = std::move(found);
                              self->connect(self->found_.begin());
                            });
  }

  void connect(tcp::resolver::results_type::iterator at) {
    const tcp::endpoint to = at->endpoint();
    error_code ec;
    socket_.close(ec);
    // Not asio's own open(): the descriptor must be close-on-exec from its first moment.
    unique_fd fd(::socket(to.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return failed(with_errno("socket"));
    if (ports_tried_ < ports_tried_max) call_from_a_root_port(fd.get(), to.protocol());
    socket_.assign(to.protocol(), fd.release(), ec);
    connecting_ = true;
    connect_by_ = steady::now() + std::chrono::milliseconds(worker_->options.handshake_ms);
    socket_.async_connect(to, [self = shared_from_this(), at](error_code ec) { self->connected(ec, at); });
  }

  void connected(error_code ec, tcp::resolver::results_type::iterator at) {
    connecting_ = false;
    if (ended_) return;
    // The peer still remembers an earlier call from this port. Where hundreds of daemons share an address all may be taken: then any port
    // will do.
    if (ec == boost::system::errc::address_not_available && ports_tried_++ < ports_tried_max) return connect(at);
    ports_tried_ = 0;
    if (ec && ++at != found_.end()) return connect(at);
    if (ec) return failed(ec == boost::asio::error::operation_aborted ? "no answer" : ec.message());
    link_setup setup;
    setup.owner = linked_handler();
    setup.frame_bytes_max = worker_->options.daemon_frame_bytes_max;
    setup.waits_for_greeting = true;
    setup.throttles = false;
    setup.check = [target = target_](const identity& who) { return unwanted(target, who); };
    unique_fd fd(socket_.release(ec));
    std::make_shared<link>(worker_, tls_transport(*worker_, std::move(fd), context_, tls_side::dials), std::move(setup))->start();
  }

  static std::string unwanted(const dial_target& target, const identity& who) {
    if (who.what == target.kind && (target.name.empty() || who.name == target.name)) return {};
    return std::string("the peer is ") + word_of(who.what) + " " + who.name + ", not " + word_of(target.kind) +
           (target.name.empty() ? "" : " " + target.name);
  }

  handler linked_handler() {
    handler h;
    h.opened = [self = shared_from_this()](const connection_ptr& c) {
      if (self->ended_) return c->close("no longer wanted");
      self->opened_at_ = steady::now();
      self->last_failure_.clear();
      self->link_ = c;
      if (self->owner_.opened) self->owner_.opened(c);
    };
    h.received = owner_.received;
    h.received_alone = owner_.received_alone;
    h.drained = owner_.drained;
    h.closed = [self = shared_from_this()](const connection_ptr& c, const std::string& why) {
      if (!std::exchange(self->link_, nullptr)) return;  // its owner never saw it
      if (self->owner_.closed) self->owner_.closed(c, why);
      const auto lasted = steady::now() - self->opened_at_;
      if (lasted > std::chrono::milliseconds(self->worker_->options.redial_ms_max))
        self->pause_ms_ = self->worker_->options.redial_ms_min;
      self->try_again();
    };
    h.failed = [self = shared_from_this()](const std::string& why) { self->failed(why); };
    return h;
  }

  void failed(const std::string& why) {
    if (ended_) return;
    const std::string text = "connect to " + target_.host + ":" + std::to_string(target_.port) + ": " + why;
    if (text != last_failure_ && owner_.failed) owner_.failed(text);
    last_failure_ = text;
    try_again();
  }

  void try_again() {
    if (ended_) return;
    pause_.expires_after(std::chrono::milliseconds(pause_ms_));
    pause_ms_ = std::min(2 * pause_ms_, worker_->options.redial_ms_max);
    pausing_ = true;
    pause_.async_wait([self = shared_from_this()](error_code ec) {
      if (!ec && !self->ended_ && std::exchange(self->pausing_, false)) self->attempt();
    });
  }

  const std::shared_ptr<worker> worker_;
  const dial_target target_;
  const std::shared_ptr<tls_context> context_;
  const handler owner_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  tcp::resolver::results_type found_;
  boost::asio::steady_timer pause_;
  int pause_ms_, ports_tried_ = 0;
  bool ended_ = false, connecting_ = false, pausing_ = false;
  steady::time_point connect_by_, opened_at_;
  std::string last_failure_;
  connection_ptr link_;
};

class tls_dialer final : public io_pool::dialer {
 public:
  explicit tls_dialer(std::shared_ptr<dialing> d) : dialing_(std::move(d)) { dialing_->start(); }
  ~tls_dialer() override { dialing_->stop(); }
  void now() override { dialing_->hurry(); }

 private:
  std::shared_ptr<dialing> dialing_;
};

}  // namespace

std::unique_ptr<io_pool::dialer> make_tls_dialer(std::shared_ptr<worker> w, dial_target target, std::shared_ptr<tls_context> context,
                                                 handler h) {
  return std::make_unique<tls_dialer>(
      std::make_shared<dialing>(std::move(w), std::move(target), std::move(context), std::move(h)));
}

}  // namespace annals::wire
