// Where the answers to a query go: one reply, or several for a long list. On a client's connection today; whoever else asks
// (HTTP) brings a sink of its own, and who answers notices nothing. Governed by docs/design/0034-the-gateway.md.
#pragma once

#include <kj/exception.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "actors/link/wire/wire.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

// Any thread may call; no call blocks. After the one that asked is gone, nothing happens.
class reply_sink {
 public:
  virtual ~reply_sink() = default;
  virtual void send(const schema::sealed<schema::Reply>& reply) = 0;
  // How much waits to be taken by the one that asked. Nothing: he is gone.
  virtual std::optional<std::size_t> unread_bytes() const = 0;
  // The request was no request: nothing follows, and whoever sent it is not believed any more.
  virtual void give_up(const std::string& why) = 0;
  // The answer may be long in coming: the request is not in hand any more (wire/requests_in_hand.hpp), so that others of its connection
  // are read. Whoever calls this has a limit of his own.
  virtual void set_aside() {}
};
using sink_ptr = std::shared_ptr<reply_sink>;

// The client at the other end of a connection. His request is in hand as long as the sink is there.
sink_ptr sink_to(wire::connection_ptr peer, std::shared_ptr<void> in_hand = {});

// Does the work of a request; one that turns out not to be readable is given up, and harms nobody else.
template <class Work>
void for_asker(const sink_ptr& to, Work&& work) {
  try {
    work();
  } catch (const kj::Exception& e) {
    to->give_up(std::string("a message that can't be read: ") + e.getDescription().cStr());
  }
}

}  // namespace annals::actors
