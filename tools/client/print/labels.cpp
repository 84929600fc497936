#include "tools/client/print/labels.hpp"

namespace annals::client {

labels::labels(schema::ObjectKind kind) {
  if (kind == schema::ObjectKind::RESOURCE) {
    by_id_.resize(resource_object::flag + 1);
    by_id_[resource_object::type] = {"type", attributes::value_type::string, attributes::setter::manager};
    by_id_[resource_object::flag] = {"flag", attributes::value_type::string, attributes::setter::manager};
    return;
  }
  for (const attributes::attribute& a : attributes::table_of(kind)) {
    if (by_id_.size() <= a.id) by_id_.resize(a.id + 1u);
    by_id_[a.id] = {a.name, a.type, a.set_by};
  }
}

}  // namespace annals::client
