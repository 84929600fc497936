#include "actors/mom/runs/ticket_check.hpp"

#include "events/model/run/ticket.hpp"

namespace annals::actors {

namespace {
std::string octets(capnp::Data::Reader d) { return {reinterpret_cast<const char*>(d.begin()), d.size()}; }
}  // namespace

std::string ticket_gate::why_not(schema::JoinJob::Reader join, const std::string& peer, std::int64_t now_ns) const {
  try {
    const auto given = join.getTicket();
    const auto bytes = schema::bytes_of(given.getTicket());
    const auto by = signer_of(bytes, octets(given.getSignature()), schema::str(given.getCertificate()));
    if (by.what != wire::identity::kind::server) return std::string("the ticket is signed by a ") + wire::word_of(by.what);
    const auto ticket = model::read_ticket(bytes);
    if (!ticket) return "the ticket can't be read";
    return model::why_not_join(ticket->get(), join, own_host, peer, now_ns);
  } catch (const wire::wire_error& e) {
    return std::string("the ticket is forged: ") + e.what();
  } catch (const kj::Exception& e) {
    return std::string("the ticket can't be read: ") + e.getDescription().cStr();
  }
}

}  // namespace annals::actors
