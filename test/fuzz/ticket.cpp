// A ticket from outside (docs/design/0020-jobs-across-hosts.md): whatever the bytes, the gate answers and refuses what was
// not signed.
#include <cstdlib>

#include "actors/mom/runs/ticket_check.hpp"
#include "events/model/run/ticket.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto join = schema::make<schema::JoinJob>([&](schema::JoinJob::Builder j) {
    auto t = j.initTicket();
    t.setTicket({data, size});
    t.setSignature({data, size});
    j.initOrder().initRef().setJob("12.borg");
  });
  // One gate believes every signature, so that the ticket itself is read; the other none.
  const actors::ticket_gate credulous{"n2", [](schema::byte_span, const std::string&, const std::string&) {
                                        return wire::identity{wire::identity::kind::server, "borg", 0, 0, 0, ""};
                                      }};
  const actors::ticket_gate strict{"n2", [](schema::byte_span, const std::string&, const std::string&) -> wire::identity {
                                     throw wire::wire_error("not signed");
                                   }};
  (void)credulous.why_not(join.get(), "n1", 1);
  if (strict.why_not(join.get(), "n1", 1).empty()) std::abort();
  if (const auto ticket = model::read_ticket(bytes)) {
    try {
      (void)model::why_not_join(ticket->get(), join.get(), "n2", "n1", 1);
    } catch (const kj::Exception&) {
    }
  }
  return 0;
}
