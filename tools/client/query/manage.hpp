// One management request: create, delete, set or unset of one object (client.capnp: Manage).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/client/session.hpp"

namespace annals::client {

struct attribute_change {
  std::string name, resource, value;
  schema::AttributeOp op = schema::AttributeOp::SET;
  bool operator==(const attribute_change&) const = default;
};

struct manage_request {
  schema::ManageVerb verb = schema::ManageVerb::SET;
  schema::ObjectKind kind = schema::ObjectKind::SERVER;
  std::string name;
  std::vector<attribute_change> changes;
  bool all_of_kind = false;
  std::string content_type{}, content{};  // of import
  bool pbs_hook = false;                  // the hook was named as a pbshook
  std::string content_file{};             // of import: where the content was
};

struct refusal {
  std::uint32_t code;
  std::string text;
};
// Nothing: it is done and on disk. `note` gets what the server has to say all the same.
std::optional<refusal> manage(session& server, const manage_request& what, std::string* note = nullptr);

struct hook_content {
  std::string base64;  // lines; empty: nothing was imported
  std::optional<refusal> refused;
};
hook_content fetch_hook(session& server, const std::string& name, const std::string& content_type, bool pbs_hook);

}  // namespace annals::client
