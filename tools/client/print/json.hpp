// The JSON forms of qstat -F json and pbsnodes -F json, laid out with TABs as PBS does. Values that are JSON numbers
// stand without quotes, all else is a string. Pure: from (objects, options) to text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/client/print/dates.hpp"
#include "tools/client/print/json_document.hpp"
#include "tools/client/print/labels.hpp"
#include "tools/client/print/object.hpp"

namespace annals::client {

class json_printer {
 public:
  json_printer(schema::ObjectKind kind, std::string_view group) : document_(group), labels_(kind), kind_(kind) {}
  void begin(std::string& out, std::int64_t now, std::string_view version, std::string_view server) {
    document_.begin(out, now, version, server);
  }
  void put(std::string& out, const object_view& object);
  void end(std::string& out) { document_.end(out); }

 private:
  void put_attribute(std::string& out, const label& l, const attributes::entry& e);
  void put_variables(std::string& out, std::string_view list);

  json_document document_;
  labels labels_;
  schema::ObjectKind kind_;
  date_text dates_;
};

}  // namespace annals::client
