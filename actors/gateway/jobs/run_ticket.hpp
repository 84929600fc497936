// What the primary of a run on several hosts needs to reach the others: where their MoMs are, and the server's ticket, signed.
// docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/gateway/directory.hpp"
#include "actors/link/wire/signing.hpp"
#include "events/schema/daemon/to_mom.capnp.h"
#include "events/schema/message.hpp"

namespace annals::actors {

using ticket_signer = std::function<wire::signature(schema::byte_span ticket)>;

// Where the MoMs of an order's sisters are, in their order.
std::vector<mom_place> places_of_sisters(const schema::sealed<schema::ToMom>& order, const directory& where);
// The order's vnodes have resources that are not used up, and a select may ask for them when the run is reduced before its program. Empty:
// it can't be reduced then.
model::vnode_words words_for(const schema::sealed<schema::ToMom>& order, const directory& where);
// The order with its sisters' addresses, these words and a ticket that is valid from now on. Any thread; signing takes its time.
schema::sealed<schema::ToMom> with_ticket(const schema::sealed<schema::ToMom>& order, const std::string& primary,
                                          const std::vector<mom_place>& sisters, const ticket_signer& sign, std::int64_t now_ns,
                                          const model::vnode_words& words = {});

}  // namespace annals::actors
