// What stands before a value when an object is printed, by attribute id, prepared once per kind of object.
#pragma once

#include <string>
#include <vector>

#include "events/attributes/table.hpp"

namespace annals::client {

struct label {
  std::string name;  // empty: no such attribute
  attributes::value_type type = attributes::value_type::string;
  attributes::setter set_by = attributes::setter::nobody;
};

class labels {
 public:
  explicit labels(schema::ObjectKind kind);
  // nullptr for an id that this program does not know (a newer server's): it is left out.
  const label* find(attributes::attribute_id id) const {
    return id < by_id_.size() && !by_id_[id].name.empty() ? &by_id_[id] : nullptr;
  }

 private:
  std::vector<label> by_id_;
};

// Ids of a resource object, which has no table of its own (projections/status: resource rows).
namespace resource_object {
inline constexpr attributes::attribute_id type = 1, flag = 2;
}

// "start_time" of `estimated` is the only resource that is a date (pbs guide: job attributes).
inline bool is_date(const label& l, std::string_view resource) {
  return l.type == attributes::value_type::date ||
         (l.type == attributes::value_type::resource_list && resource == "start_time" && l.name == "estimated");
}

}  // namespace annals::client
