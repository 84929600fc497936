// A queue: attributes that qmgr sets.
#pragma once

#include <cstdint>
#include <string>

#include "events/attributes/attribute_set.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/schema/message_names.hpp"

namespace annals::model {

struct queue_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  std::uint64_t order = 0;  // sequence of its creation
  bool exists = false;
  std::string name;
  std::uint64_t reservation = 0;  // serial of the one whose jobs it is for; 0: an ordinary queue
  attributes::attribute_set attributes;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.serial, self.version, self.order, self.exists, self.name, self.reservation, self.attributes);
  }
};
outcome decide(const queue_state& queue, const schema::sealed<schema::Request>& command, const stamp& now, const settings& settings);
void apply(queue_state& queue, const event_place& at, schema::QueueEvent::Reader event);
inline void apply(queue_state& queue, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isQueue(), "an event of another kind in a queue's stream");
  apply(queue, at, event.getQueue());
}

}  // namespace annals::model
