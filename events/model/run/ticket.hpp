// Whether the server's ticket allows a host to join a run. Pure: who signed it is checked before, by whoever knows
// certificates. docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/schema/message.hpp"
#include "events/schema/sister.capnp.h"

namespace annals::model {

// What is signed along with a ticket's bytes, so that no other signature of the server passes for one.
inline constexpr std::string_view ticket_purpose = "annals run ticket 1";

// The ticket of an assigned run: its hosts and what it may use of them, its user, and how long it may be used to join.
schema::sealed<schema::Ticket> make_ticket(schema::StartRun::Reader order, const std::vector<std::string>& hosts, std::int64_t now_ns);

// The ticket in these bytes; nothing: they are none.
std::optional<schema::sealed<schema::Ticket>> read_ticket(schema::byte_span bytes);

// Until when the ticket may be used; for ever if there is none in it: whoever is asked to join says what is wrong.
std::int64_t valid_until_ns(schema::SignedTicket::Reader ticket);
// Until when hosts may be asked with it: those that are must have time to join.
std::int64_t ticket_good_until_ns(schema::SignedTicket::Reader ticket);

// Why `own_host` must not join as `peer` asks; empty: it may. `now_ns`: of this host's wall clock.
std::string why_not_join(schema::Ticket::Reader ticket, schema::JoinJob::Reader join, std::string_view own_host,
                         std::string_view peer, std::int64_t now_ns);

}  // namespace annals::model
