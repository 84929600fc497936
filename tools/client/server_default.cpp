#include "tools/client/server_default.hpp"

#include "events/attributes/attribute_set.hpp"

namespace annals::client {

std::string server_default(session& server, attributes::attribute_id id) {
  std::string text;
  server.query(
      [&](schema::Request::Builder r) {
        auto stat = r.initStat();
        stat.setKind(schema::ObjectKind::SERVER);
        stat.initWanted(1).set(0, id);
      },
      [&](schema::Reply::Reader reply) {
        if (!reply.isObjects()) return;
        for (auto object : reply.getObjects().getObjects()) {
          const auto packed = object.getAttributes();
          const auto set = attributes::attribute_set::from_packed({reinterpret_cast<const char*>(packed.begin()), packed.size()});
          if (!set) continue;
          if (auto value = set->get(id)) text = *value;
        }
      });
  return text;
}

}  // namespace annals::client
