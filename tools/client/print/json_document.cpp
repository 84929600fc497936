#include "tools/client/print/json_document.hpp"

#include <algorithm>

#include "events/values/shown_text.hpp"

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

}  // namespace annals::client
