#include "events/values/resource_list.hpp"

#include "events/values/string_list.hpp"

namespace annals::values {

bool is_resource_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || !letter(name.front())) return false;
  for (const char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  return true;
}

namespace {

constexpr std::string_view separators = ", \t\n\r";

// Where the element that begins at `at` ends: at a separator outside quotes. npos: a quote is left open.
std::size_t end_of_element(std::string_view text, std::size_t at) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote) {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'')
      quote = c;
    else if (separators.find(c) != std::string_view::npos)
      break;
  }
  return quote ? std::string_view::npos : at;
}

bool has_quote(std::string_view text) { return text.find_first_of("\"'") != std::string_view::npos; }

// What stands between one pair of quotes around the whole value; quotes elsewhere are part of the value.
std::string_view value_of(std::string_view text) {
  const std::string_view inside = unquoted(text);
  return inside.size() == text.size() || inside.find(text.front()) != std::string_view::npos ? text : inside;
}

bool reads_as(const std::string& text, const std::string& value) {
  return end_of_element(text, 0) == text.size() && value_of(text) == value;
}

// The value with the quotes that bring it back when it is read; every value that was read has such a form.
std::string quoted(const std::string& value) {
  for (const char* quote : {"", "\"", "'"})
    if (const std::string text = quote + value + quote; reads_as(text, value)) return text;
  return value;
}

}  // namespace

std::optional<std::vector<named_value>> parse_named_values(std::string_view text) {
  std::vector<named_value> out;
  for (std::size_t at = text.find_first_not_of(separators); at < text.size();
       at = text.find_first_not_of(separators, at)) {
    const std::size_t end = end_of_element(text, at);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view item = text.substr(at, end - at);
    at = end;
    const auto equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    if (name.empty() || has_quote(name)) return std::nullopt;
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
    out.push_back({std::string(name), std::string(value_of(value))});
  }
  return out;
}

std::optional<resource_list> parse_resource_list(std::string_view text) {
  const auto values = parse_named_values(text);
  if (!values) return std::nullopt;
  resource_list out;
  for (const named_value& v : *values) out.insert_or_assign(v.name, v.value);
  return out;
}

std::string print(const resource_list& list) {
  std::string out;
  for (const auto& [name, value] : list) {
    if (!out.empty()) out += ',';
    out += name + '=' + quoted(value);
  }
  return out;
}

}  // namespace annals::values
