#include "tools/client/print/json.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/values/shown_text.hpp"
#include "tools/client/print/used_object.hpp"

namespace annals::client {
namespace {

bool digits(std::string_view& text) {
  const auto end = text.find_first_not_of("0123456789");
  const std::size_t count = end == std::string_view::npos ? text.size() : end;
  text.remove_prefix(count);
  return count > 0;
}

void put_escaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"':
      out.append("\\\"");
      break;
    case '\\':
      out.append("\\\\");
      break;
    case '\n':
      out.append("\\n");
      break;
    case '\t':
      out.append("\\t");
      break;
    case '\r':
      out.append("\\r");
      break;
    case '\b':
      out.append("\\b");
      break;
    case '\f':
      out.append("\\f");
      break;
    default:
      out.append("\\u00").push_back(hex[static_cast<unsigned char>(c) >> 4]);
      out.push_back(hex[c & 15]);
  }
}

}  // namespace

void put_json_value(std::string& out, std::string_view value) {
  if (is_json_number(value))
    out.append(value);
  else
    put_json_string(out, value);
}

bool is_json_number(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  const bool leading_zero = text.size() > 1 && text[0] == '0' && text[1] != '.';
  if (leading_zero || !digits(text)) return false;
  if (text.empty()) return true;
  if (text[0] != '.') return false;
  text.remove_prefix(1);
  return digits(text) && text.empty();
}

void put_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t plain = 0;  // start of what needs no escape and is not yet put
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    const std::size_t length = ascii ? 1 : values::utf8_length(text.substr(i));
    const bool stays = ascii ? static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '"' && c != '\\'
                             : length > 0 && values::unshown_length(text.substr(i)) == 0;
    if (stays) {
      i += length;
      continue;
    }
    out.append(text.substr(plain, i - plain));
    if (ascii) put_escaped(out, c);
    else if (length > 0) values::put_json_escape(out, text.substr(i, length));
    else out.append("\xef\xbf\xbd");  // U+FFFD: no reader takes the byte itself
    plain = i += std::max<std::size_t>(length, 1);
  }
  out.append(text.substr(plain)).push_back('"');
}

void put_json_list(std::string& out, const std::vector<std::string_view>& texts) {
  out.push_back('[');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out.append(", ");
    put_json_string(out, texts[i]);
  }
  out.push_back(']');
}

void json_document::key(std::string& out, int depth, std::string_view name) {
  out.append(first_ ? "\n" : ",\n").append(static_cast<std::size_t>(depth), '\t');
  put_json_string(out, name);
  out.append(":\t");
  first_ = false;
}

void json_document::open(std::string& out, int depth, std::string_view name) {
  key(out, depth, name);
  out.push_back('{');
  first_ = true;
}

void json_document::close(std::string& out, int depth) {
  out.append("\n").append(static_cast<std::size_t>(depth), '\t').push_back('}');
  first_ = false;
}

void json_document::begin(std::string& out, std::int64_t now, std::string_view version, std::string_view server) {
  out.push_back('{');
  first_ = true;
  key(out, 1, "timestamp");
  out.append(std::to_string(now));
  key(out, 1, "pbs_version");
  put_json_string(out, version);
  key(out, 1, "pbs_server");
  put_json_string(out, server);
}

void json_document::open_object(std::string& out, std::string_view name) {
  if (!any_) open(out, 1, group_);
  any_ = true;
  open(out, 2, name);
}

void json_document::end(std::string& out) {
  if (any_) close(out, 1);
  out.append("\n}\n");
}

void json_printer::put(std::string& out, const object_view& object) {
  document_.open_object(out, object.name);
  attributes::attribute_id inside = 0;  // the resource list whose braces are open
  for_each_attribute(object.packed, [&](const attributes::entry& e) {
    const label* l = labels_.find(e.id);
    if (!l) return;
    if (inside != 0 && e.id != inside) document_.close(out, 3), inside = 0;
    if (!e.resource.empty() && inside == 0) document_.open(out, 3, l->name), inside = e.id;
    put_attribute(out, *l, e);
  });
  if (inside != 0) document_.close(out, 3);
  document_.close_object(out);
}

void json_printer::put_attribute(std::string& out, const label& l, const attributes::entry& e) {
  if (kind_ == schema::ObjectKind::JOB && e.id == attributes::job::Variable_List) {
    document_.open(out, 3, l.name);
    put_variables(out, e.value);
    document_.close(out, 3);
    return;
  }
  if (kind_ == schema::ObjectKind::JOB && e.id == attributes::job::resources_used &&
      put_object_in(document_, out, 4, e.resource, e.value))
    return;
  if (e.resource.empty())
    document_.key(out, 3, l.name);
  else
    document_.key(out, 4, e.resource);
  if (is_date(l, e.resource))
    put_json_string(out, dates_.of(e.value));
  else if (kind_ == schema::ObjectKind::JOB && l.type == attributes::value_type::string && e.resource.empty())
    put_json_string(out, e.value);  // a job that is called 123 has a name, not a number
  else
    put_json_value(out, e.value);
}

// "A=1,B=x y,C=1\,2": a comma inside a value has a backslash before it.
void json_printer::put_variables(std::string& out, std::string_view list) {
  std::string value;
  while (!list.empty()) {
    value.clear();
    std::size_t at = 0;
    while (at < list.size() && list[at] != ',') {
      if (list[at] == '\\' && at + 1 < list.size()) ++at;
      value.push_back(list[at++]);
    }
    list.remove_prefix(at < list.size() ? at + 1 : at);
    const auto equals = value.find('=');
    if (equals == std::string::npos && value.empty()) continue;
    document_.key(out, 4, std::string_view(value).substr(0, equals));
    put_json_value(out, equals == std::string::npos ? std::string_view() : std::string_view(value).substr(equals + 1));
  }
}

}  // namespace annals::client
