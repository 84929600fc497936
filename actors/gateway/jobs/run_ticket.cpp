#include "actors/gateway/jobs/run_ticket.hpp"

#include "events/model/run/rules.hpp"
#include "events/model/run/ticket.hpp"
#include "events/model/vnodes/chunk_words.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::actors {

std::vector<mom_place> places_of_sisters(const schema::sealed<schema::ToMom>& order, const directory& where) {
  std::vector<mom_place> places;
  for (auto s : order.get().getStartRun().getSisters()) places.push_back(where.mom_of(schema::text(s.getHost())));
  return places;
}

model::vnode_words words_for(const schema::sealed<schema::ToMom>& order, const directory& where) {
  const auto start = order.get().getStartRun();
  if (model::tolerance_of(start) == values::tolerance::none) return {};
  const auto has = values::parse_exec_vnode(schema::text(start.getExecVnode()));
  return has ? where.words_of(has->vnodes()) : model::vnode_words{};
}

schema::sealed<schema::ToMom> with_ticket(const schema::sealed<schema::ToMom>& order, const std::string& primary,
                                          const std::vector<mom_place>& sisters, const ticket_signer& sign, std::int64_t now_ns,
                                          const model::vnode_words& words) {
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
    if (!words.empty()) model::write(words, start);
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
