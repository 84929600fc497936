#include "tools/client/assignments.hpp"

#include <algorithm>

#include "events/attributes/canonical.hpp"
#include "events/values/string_list.hpp"

namespace annals::client {

namespace {

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// Does `text` begin with a name and '=' ? Blanks may stand around the name.
bool starts_assignment(std::string_view text) {
  const std::string_view name = values::trimmed(text.substr(0, text.find('=')));
  return name.size() < text.size() && !name.empty() && std::all_of(name.begin(), name.end(), name_char);
}

// As PBS has it, nothing may stand behind the last value: no blank, no comma.
bool ends_loosely(std::string_view value) {
  return !value.empty() && std::string_view(" \t,").find(value.back()) != std::string_view::npos;
}

// preempt_targets=queue=a,queue=b,Resource_List.x=y needs no quotes: no resource has the names of targets.
bool has_targets(std::string_view resource) { return values::equal_any_case(resource, "preempt_targets"); }
bool is_target(std::string_view name) {
  constexpr std::string_view list = "Resource_List.";
  return values::equal_any_case(name, "queue") || values::equal_any_case(name.substr(0, list.size()), list);
}

bool has_unquoted_equals(std::string_view text) { return values::split_quoted(text, '=').size() > 1; }

// One entry of -v with its quotes and backslashes resolved; stops at the comma that ends it. Nothing: a quote has no end.
std::optional<std::string> take_variable(std::string_view& text) {
  std::string out;
  char quote = 0;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (quote != 0 && c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && next != '\0' && std::string_view(",\"'\\").find(next) != std::string_view::npos)
      out += text[++i];
    else if (c == ',' && quote == 0)
      break;
    else
      out += c;
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  if (quote != 0) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::vector<assignment>> parse_resource_list(std::string_view text) {
  std::vector<assignment> out;
  std::string_view open;  // more targets of it may follow
  if (values::trimmed(text).empty()) return out;
  for (std::string_view entry : values::split_quoted(text)) {
    entry = values::trimmed(entry);
    if (entry.empty()) return std::nullopt;
    const auto equals = entry.find('=');
    const std::string_view name = values::trimmed(entry.substr(0, equals));
    if (name.empty()) return std::nullopt;
    std::string_view value =
        equals == std::string_view::npos ? std::string_view() : values::trimmed(entry.substr(equals + 1));
    if (!attributes::is_select(name)) value = values::unquoted(value);
    if (!open.empty() && is_target(name)) {
      const auto targets = std::find_if(out.begin(), out.end(), [&](const assignment& a) { return a.name == open; });
      targets->value += ',' + std::string(name) + '=' + std::string(value);
      continue;
    }
    open = has_targets(name) && !value.empty() ? name : std::string_view();
    merge_assignments(out, {{std::string(name), std::string(value)}});
  }
  return out;
}

std::optional<std::vector<assignment>> parse_attribute_list(std::string_view text) {
  std::vector<assignment> out;
  const auto pieces = values::split_quoted(text);
  for (std::size_t i = 0; i < pieces.size();) {
    const std::string_view first = pieces[i++];
    if (!starts_assignment(first)) return std::nullopt;
    const auto equals = first.find('=');
    std::string_view value = first.substr(std::min(first.find_first_not_of(" \t", equals + 1), first.size()));
    for (; i < pieces.size() && !starts_assignment(pieces[i]); ++i) {
      value =
          std::string_view(value.data(), static_cast<std::size_t>(pieces[i].data() + pieces[i].size() - value.data()));
    }
    if (has_unquoted_equals(value) || ends_loosely(value)) return std::nullopt;
    merge_assignments(out,
                      {{std::string(values::trimmed(first.substr(0, equals))), std::string(values::unquoted(value))}});
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::optional<std::vector<assignment>> parse_variable_list(std::string_view text,
                                                           environment_lookup environment_value) {
  std::vector<assignment> out;
  while (!text.empty()) {
    const auto entry = take_variable(text);
    if (!entry) return std::nullopt;
    if (entry->empty()) continue;
    const auto equals = entry->find('=');
    assignment a{entry->substr(0, equals), equals == std::string::npos ? "" : entry->substr(equals + 1)};
    if (a.name.empty()) return std::nullopt;
    if (equals == std::string::npos) {
      auto value = environment_value(a.name);
      if (!value) return std::nullopt;
      a.value = std::move(*value);
    }
    merge_assignments(out, {a});
  }
  return out;
}

void merge_assignments(std::vector<assignment>& into, const std::vector<assignment>& from) {
  for (const assignment& a : from) {
    bool found = false;
    for (assignment& b : into) {
      if (b.name != a.name) continue;
      b.value = a.value;
      found = true;
    }
    if (!found) into.push_back(a);
  }
}

}  // namespace annals::client
