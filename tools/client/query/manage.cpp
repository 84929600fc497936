#include "tools/client/query/manage.hpp"

namespace annals::client {

std::optional<refusal> manage(session& server, const manage_request& what, std::string* note) {
  const reply answer = server.call([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(what.verb);
    m.setKind(what.kind);
    m.setName(what.name);
    m.setAllOfKind(what.all_of_kind);
    m.setContentType(what.content_type);
    m.setContentFile(what.content_file);
    m.setContent({reinterpret_cast<const kj::byte*>(what.content.data()), what.content.size()});
    m.setPbsHook(what.pbs_hook);
    auto changes = m.initChanges(static_cast<unsigned>(what.changes.size()));
    for (unsigned i = 0; i < changes.size(); ++i) {
      const attribute_change& c = what.changes[i];
      changes[i].setName(c.name);
      changes[i].setResource(c.resource);
      changes[i].setValue(c.value);
      changes[i].setOp(c.op);
    }
  });
  if (!(*answer).isRejected()) {
    if (note && (*answer).isDone()) *note = schema::str((*answer).getDone());
    return std::nullopt;
  }
  const auto why = (*answer).getRejected();
  return refusal{why.getCode(), schema::str(why.getText())};
}

hook_content fetch_hook(session& server, const std::string& name, const std::string& content_type, bool pbs_hook) {
  const reply answer = server.call([&](schema::Request::Builder r) {
    auto e = r.initExportHook();
    e.setName(name);
    e.setContentType(content_type);
    e.setPbsHook(pbs_hook);
  });
  if ((*answer).isDone()) return {schema::str((*answer).getDone()), std::nullopt};
  const auto why = (*answer).getRejected();
  return {{}, refusal{why.getCode(), schema::str(why.getText())}};
}

}  // namespace annals::client
