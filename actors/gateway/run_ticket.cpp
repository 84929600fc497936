#include "actors/gateway/run_ticket.hpp"

#include "events/model/run/ticket.hpp"

namespace annals::actors {

std::vector<mom_place> places_of_sisters(const schema::sealed<schema::ToMom>& order, const directory& where) {
  std::vector<mom_place> places;
  for (auto s : order.get().getStartRun().getSisters()) places.push_back(where.mom_of(schema::text(s.getHost())));
  return places;
}

schema::sealed<schema::ToMom> with_ticket(const schema::sealed<schema::ToMom>& order, const std::string& primary,
                                          const std::vector<mom_place>& sisters, const ticket_signer& sign, std::int64_t now_ns) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    m.setStartRun(order.get().getStartRun());
    auto start = m.getStartRun();
    std::vector<std::string> hosts{primary};
    auto list = start.getSisters();
    for (unsigned i = 0; i < list.size(); ++i) {
      auto s = list[i];
      const auto host = schema::str(s.getHost().asReader());
      const auto& place = sisters[i];
      s.setAddress(place.address.empty() ? host : place.address);
      s.setPort(place.port);
      hosts.push_back(host);
    }
    if (!sign) return;
    const auto ticket = model::make_ticket(start.asReader(), hosts, now_ns);
    const auto signature = sign(ticket.bytes());
    auto t = start.initTicket();
    t.setTicket({reinterpret_cast<const kj::byte*>(ticket.bytes().data()), ticket.bytes().size()});
    t.setSignature({reinterpret_cast<const kj::byte*>(signature.bytes.data()), signature.bytes.size()});
    t.setCertificate(signature.certificate_pem);
  });
}

}  // namespace annals::actors
