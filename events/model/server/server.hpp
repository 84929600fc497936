// The server object with the custom resources: attributes that qmgr sets, and the server's starts and stops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "events/attributes/attribute_set.hpp"
#include "events/attributes/resources.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/schema/message_names.hpp"

namespace annals::model {

struct server_state {
  std::uint64_t serial = 0;
  std::uint64_t version = 0;
  bool exists = false;
  std::string server_name, host_name;
  attributes::attribute_set attributes;
  attributes::resource_catalogue resources;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.serial, self.version, self.exists, self.server_name, self.host_name, self.attributes, self.resources);
  }
};
struct server_up {
  std::string version, host_name, server_name, time_zone, log_uuid;
};
struct wind_up {
  bool waits_for_jobs = false;
};  // qterm -t immediate, or -t delay: the server ends when the last run has left
struct server_down {
  std::string how;
};
using server_command = std::variant<server_up, wind_up, server_down, schema::sealed<schema::Request>>;  // manage: server, resource
outcome decide(const server_state& server, const server_command& command, const stamp& now, const settings& settings);
// Why who asks may not stop the server; nothing: they may (pbs guide: qterm).
std::optional<rejection> stop_refusal(const requester& by);
// From wind_up until the server's next start. The attribute server_state says so: Terminating, Terminating_Delayed.
bool winding_up(const settings& settings);
bool waits_for_jobs(const settings& settings);  // it was wind_up with waits_for_jobs
void apply(server_state& server, const event_place& at, schema::ServerEvent::Reader event);
inline void apply(server_state& server, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isServer(), "an event of another kind in a server's stream");
  apply(server, at, event.getServer());
}

}  // namespace annals::model
