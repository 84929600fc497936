#include "tools/client/query/manage.hpp"

namespace annals::client {

std::optional<refusal> manage(session& server, const manage_request& what) {
  const reply answer = server.call([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(what.verb);
    m.setKind(what.kind);
    m.setName(what.name);
    m.setAllOfKind(what.all_of_kind);
    auto changes = m.initChanges(static_cast<unsigned>(what.changes.size()));
    for (unsigned i = 0; i < changes.size(); ++i) {
      const attribute_change& c = what.changes[i];
      changes[i].setName(c.name);
      changes[i].setResource(c.resource);
      changes[i].setValue(c.value);
      changes[i].setOp(c.op);
    }
  });
  if (!(*answer).isRejected()) return std::nullopt;
  const auto why = (*answer).getRejected();
  return refusal{why.getCode(), schema::str(why.getText())};
}

}  // namespace annals::client
