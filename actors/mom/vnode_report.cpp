#include "actors/mom/vnode_report.hpp"

#include "events/model/host/busy.hpp"
#include "events/model/host/sockets.hpp"
#include "events/schema/message.hpp"

namespace annals::actors {
namespace {

using attribute_map = std::map<std::pair<std::string, std::string>, std::string>;

void fill(schema::ReportedVnode::Builder to, const std::string& name, const attribute_map& attributes) {
  to.setName(name);
  auto list = to.initAttributes(static_cast<unsigned>(attributes.size()));
  unsigned i = 0;
  for (const auto& [what, value] : attributes) {
    list[i].setName(what.first);
    list[i].setResource(what.second);
    list[i++].setValue(value);
  }
}

}  // namespace

void report_vnodes(const std::function<void(schema::MomHello::Builder)>& measure, const annals::mom::defined_vnodes& defined,
                   schema::MomHello::Builder to) {
  if (defined.all().empty()) return measure(to);
  const auto own = schema::make<schema::MomHello>(measure);
  const auto measured = own.get().getVnodes()[0];
  attribute_map of_host, of_others;
  for (auto a : measured.getAttributes()) {
    const std::pair what(schema::str(a.getName()), schema::str(a.getResource()));
    of_host[what] = schema::str(a.getValue());
    if (what.second == "arch") of_others[what] = of_host[what];
  }
  const auto natural = schema::str(measured.getName());
  const auto* said = defined.find(natural);
  if (said)
    for (const auto& [what, value] : said->attributes)
      if (what.first != "pcpus" && what.first != model::sockets_report) of_host[what] = value;
  auto vnodes = to.initVnodes(static_cast<unsigned>(defined.all().size() + (said ? 0 : 1)));
  fill(vnodes[0], natural, of_host);
  unsigned at = 1;
  for (const auto& v : defined.all()) {
    if (v.name == natural) continue;
    auto attributes = of_others;
    for (const auto& [what, value] : v.attributes) attributes[what] = value;
    fill(vnodes[at++], v.name, attributes);
  }
}

void report_busy(schema::MomHello::Builder hello, bool suspends) {
  const auto before = schema::make<schema::MomHello>([&](schema::MomHello::Builder copy) { copy.setVnodes(hello.getVnodes()); });
  const auto from = before.get().getVnodes();
  auto to = hello.initVnodes(from.size());
  for (unsigned i = 0; i < from.size(); ++i) {
    to[i].setName(from[i].getName());
    const auto attributes = from[i].getAttributes();
    auto list = to[i].initAttributes(attributes.size() + 1);
    for (unsigned n = 0; n < attributes.size(); ++n) list.setWithCaveats(n, attributes[n]);
    list[attributes.size()].setName(model::busy_report);
    list[attributes.size()].setValue(suspends ? model::busy_suspends : model::busy_only);
  }
}

}  // namespace annals::actors
