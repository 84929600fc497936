// A host (one MoM) and its vnodes: what was created, what the MoM reported, what administrators set.
#pragma once

#include <string>
#include <variant>

#include "events/model/context.hpp"
#include "events/model/host/host_state.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"
#include "events/schema/message_names.hpp"

namespace annals::model {

// Its hello. `seen_at`: the address its link comes from; other MoMs are told it unless the hello says another. `refused`: why nothing of it
// is to be taken, when that is known already.
struct mom_hello {
  schema::sealed<schema::FromMom> message;
  std::string seen_at = {};
  std::string refused = {};
};
struct host_silent {
  std::string why;
};  // the link is gone
using host_command = std::variant<schema::sealed<schema::Request>, mom_hello, host_silent, provision_vnode>;

outcome decide(const host_state& host, const host_command& command, const stamp& now, const settings& settings);
void apply(host_state& host, const event_place& at, schema::HostEvent::Reader event);
inline void apply(host_state& host, const event_place& at, schema::Event::Reader event) {
  ANNALS_INVARIANT(event.isHost(), "an event of another kind in a host's stream");
  apply(host, at, event.getHost());
}

// The words of a vnode's state without those that jobs cause, in PBS's printing order; "" when it is free.
std::string base_state(const host_state& host, const vnode_state& vnode);

}  // namespace annals::model
