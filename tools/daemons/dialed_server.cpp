#include "tools/daemons/dialed_server.hpp"

#include <caf/send.hpp>

#include <memory>
#include <utility>

#include "actors/runtime/next_first.hpp"

namespace annals::daemons {

namespace {

// It is made once: a command that loses it comes again itself.
class dialed_server final : public actors::server_dialer {
 public:
  dialed_server(wire::io_pool& pool, const std::string& server, std::uint16_t port, const wire::credentials& identity, const caf::actor& to,
                std::uint64_t caller) {
    wire::handler h;
    h.opened = [=](const wire::connection_ptr& c) { caf::anon_send(to, actors::server_opened{caller, c}); };
    h.received = [=](const wire::connection_ptr&, schema::sealed_message m) {
      caf::anon_send(to, actors::server_frame{caller, std::move(m)});
    };
    h.received_alone = [=, tell = h.received](const wire::connection_ptr& c, schema::sealed_message m) {
      actors::next_first::here(to->home_system(), [&] { tell(c, std::move(m)); });
    };
    h.drained = [=](const wire::connection_ptr&) { caf::anon_send(to, actors::server_taken{caller}); };
    h.closed = [=](const wire::connection_ptr&, const std::string& why) { caf::anon_send(to, actors::server_closed{caller, why}); };
    h.failed = [=](const std::string& why) { caf::anon_send(to, actors::server_failed{caller, why}); };
    dialer_ = pool.dial_tls(server, port, identity, wire::identity::kind::server, h);
  }

 private:
  std::unique_ptr<wire::io_pool::dialer> dialer_;
};

}  // namespace

actors::dial_server dial_from(wire::io_pool& pool, std::string server, std::uint16_t port, wire::credentials identity, caf::actor to) {
  return [&pool, server = std::move(server), port, identity = std::move(identity), to = std::move(to)](std::uint64_t caller) {
    return std::unique_ptr<actors::server_dialer>(std::make_unique<dialed_server>(pool, server, port, identity, to, caller));
  };
}

}  // namespace annals::daemons
