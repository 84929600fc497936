#include "events/values/limit_spec.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::values {
namespace {

constexpr std::string_view everybody = "PBS_ALL";
constexpr std::string_view anybody = "PBS_GENERIC";

// "u:bob=2", the inside of one pair of brackets.
std::optional<limit_entry> parse_entry(std::string_view text, bool need_value) {
  text = trimmed(text);
  if (text.size() < 3 || text[1] != ':' || std::string_view("ugpo").find(text[0]) == std::string_view::npos)
    return std::nullopt;
  limit_entry out;
  out.kind = text[0];
  text = text.substr(2);
  const auto equals = text.find('=');
  if (equals == std::string_view::npos ? need_value : trimmed(text.substr(equals + 1)).empty()) return std::nullopt;
  out.entity = unquoted(trimmed(text.substr(0, equals)));
  if (equals != std::string_view::npos) out.value = trimmed(text.substr(equals + 1));
  if (out.entity.empty() || out.entity.find_first_of("[],:\"'") != std::string::npos ||
      out.value.find_first_of("[,: \t") != std::string::npos)
    return std::nullopt;
  if ((out.kind == 'o') != (out.entity == everybody)) return std::nullopt;
  return out;
}

void sort_as_text(limit_spec& limits) {
  std::sort(limits.begin(), limits.end(),
            [](const limit_entry& a, const limit_entry& b) { return print(a) < print(b); });
}

limit_spec::iterator find_same(limit_spec& limits, const limit_entry& entry) {
  return std::find_if(limits.begin(), limits.end(), [&](const limit_entry& e) { return e.same_entity(entry); });
}

}  // namespace

result<limit_spec, limit_error> parse_limits(std::string_view text, bool need_values) {
  limit_spec out;
  for (text = trimmed(text);;) {
    const auto close = text.find(']');
    if (text.empty() || text.front() != '[' || close == std::string_view::npos) return limit_error::malformed;
    auto entry = parse_entry(text.substr(1, close - 1), need_values);
    if (!entry) return limit_error::malformed;
    if (find_same(out, *entry) != out.end()) return limit_error::duplicate_entity;
    out.push_back(std::move(*entry));
    text = trimmed(text.substr(close + 1));
    if (text.empty()) break;
    if (text.front() != ',') return limit_error::malformed;
    text = trimmed(text.substr(1));
  }
  sort_as_text(out);
  return out;
}

std::string print(const limit_entry& entry) {
  std::string out = {'[', entry.kind, ':'};
  // A name with a blank needs the quotes it came with.
  const bool plain = entry.entity.find_first_of(" \t=") == std::string::npos;
  out += plain ? entry.entity : '"' + entry.entity + '"';
  if (!entry.value.empty()) out += '=' + entry.value;
  return out + ']';
}

std::string print(const limit_spec& limits) {
  std::string out;
  for (const limit_entry& entry : limits) {
    if (!out.empty()) out += ',';
    out += print(entry);
  }
  return out;
}

void add_limits(limit_spec& limits, const limit_spec& more) {
  for (const limit_entry& entry : more) {
    const auto at = find_same(limits, entry);
    if (at == limits.end())
      limits.push_back(entry);
    else
      *at = entry;
  }
  sort_as_text(limits);
}

void remove_limits(limit_spec& limits, const limit_spec& gone) {
  for (const limit_entry& entry : gone) {
    const auto at = find_same(limits, entry);
    if (at != limits.end() && (entry.value.empty() || entry.value == at->value)) limits.erase(at);
  }
}

const std::string* find_limit(const limit_spec& limits, char kind, std::string_view entity) {
  const std::string* generic = nullptr;
  for (const limit_entry& entry : limits) {
    if (entry.kind != kind) continue;
    if (entry.entity == entity) return &entry.value;
    if (entry.entity == anybody) generic = &entry.value;
  }
  return generic;
}

}  // namespace annals::values
