#include "tools/client/print/used_object.hpp"

#include <nlohmann/json.hpp>

#include "events/values/json_text.hpp"
#include "events/values/shown_text.hpp"

namespace annals::client {

namespace {

using json = nlohmann::ordered_json;
constexpr int nesting_max = 32;

void put_member(json_document& document, std::string& out, int depth, std::string_view name, const json& value) {
  if (!value.is_object()) {
    document.key(out, depth, name);
    out += values::json_escaped(value.dump(-1, ' ', false, json::error_handler_t::replace));
    return;
  }
  document.open(out, depth, name);
  for (const auto& member : value.items()) put_member(document, out, depth + 1, member.key(), member.value());
  document.close(out, depth);
}

}  // namespace

bool put_object_in(json_document& document, std::string& out, int depth, std::string_view name, std::string_view text) {
  if (text.size() > 1 && text.front() == '\'' && text.back() == '\'') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.front() != '{' || values::nests_deeper(text, nesting_max)) return false;
  const auto object = json::parse(values::with_null_for_none(text), nullptr, false);
  if (!object.is_object()) return false;
  put_member(document, out, depth, name, object);
  return true;
}

}  // namespace annals::client
