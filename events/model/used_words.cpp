#include "events/model/used_words.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "events/values/json_text.hpp"

namespace annals::model {

namespace {

using attributes::value_type;
using nlohmann::json;

// A hook's value comes from another machine; reading and printing go as deep as it does.
constexpr int nesting_max = 32;

std::optional<json> read_object(std::string_view text) {
  if (values::nests_deeper(text, nesting_max)) return std::nullopt;
  auto read = json::parse(text, nullptr, false);
  return read.is_object() ? std::optional(std::move(read)) : std::nullopt;
}

std::string json_string(std::string_view text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

// With blanks behind ':' and ',', as Python prints it; keys in their order.
void print(const json& value, std::string& to) {
  if (!value.is_structured()) return void(to += value.dump(-1, ' ', false, json::error_handler_t::replace));
  to += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& item : value.items()) {
    if (!std::exchange(first, false)) to += ", ";
    if (value.is_object()) to += json_string(item.key()) + ": ";
    print(item.value(), to);
  }
  to += value.is_object() ? '}' : ']';
}

// Of a key that several hosts have the first one's value counts. Nothing: a value is no object.
std::optional<std::string> merged(std::span<const host_word> said) {
  json all = json::object();
  for (const auto& word : said) {
    auto object = read_object(*word.value);
    if (!object) return std::nullopt;
    for (auto& item : object->items()) all.emplace(item.key(), std::move(item.value()));
  }
  std::string text = "'";
  print(all, text);
  return text + "'";
}

// Host names without their domain, unless two would be the same (RU-13).
std::vector<std::string_view> node_names(std::span<const host_word> hosts) {
  std::vector<std::string_view> names;
  for (const auto& word : hosts) names.push_back(word.host.substr(0, word.host.find('.')));
  if (std::set<std::string_view>(names.begin(), names.end()).size() < names.size())
    std::transform(hosts.begin(), hosts.end(), names.begin(), [](const host_word& word) { return word.host; });
  return names;
}

std::string node_map(std::span<const host_word> hosts) {
  const auto names = node_names(hosts);
  std::string text = "{";
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (i > 0) text += ", ";
    text += json_string(names[i]) + ": " + (hosts[i].value ? json_string(*hosts[i].value) : "None");
  }
  return text + "}";
}

std::vector<host_word> those_said(std::span<const host_word> hosts) {
  std::vector<host_word> said;
  std::copy_if(hosts.begin(), hosts.end(), std::back_inserter(said), [](const host_word& word) { return word.value.has_value(); });
  return said;
}

bool only_primary_said(std::span<const host_word> hosts, const std::vector<host_word>& said) {
  return said.size() == 1 && hosts.front().value;
}

}  // namespace

std::optional<std::string> joined_words(std::span<const host_word> hosts, value_type type, words_form form) {
  const auto said = those_said(hosts);
  if (said.empty()) return std::nullopt;
  const bool merges = form == words_form::merge;
  const auto of_primary = [&] { return hosts.front().value ? std::optional(std::string(*hosts.front().value)) : std::nullopt; };
  if (hosts.size() == 1 || (merges && type == value_type::string_array)) return of_primary();
  if (type == value_type::string_array) return node_map(hosts);
  if (only_primary_said(hosts, said) && (merges || read_object(*said.front().value))) return of_primary();
  if (auto object = merged(said)) return object;
  return merges ? std::nullopt : std::optional(node_map(hosts));
}

std::vector<host_word> unmergeable(std::span<const host_word> hosts, value_type type) {
  std::vector<host_word> out;
  if (type != value_type::string || only_primary_said(hosts, those_said(hosts))) return out;
  std::ranges::copy_if(hosts, std::back_inserter(out), [](const host_word& word) { return word.value && !read_object(*word.value); });
  return out;
}

std::string why_no_object(std::string_view text) {
  if (values::nests_deeper(text, nesting_max)) return "nested more than " + std::to_string(nesting_max) + " deep";
  if (json::parse(text, nullptr, false).is_discarded()) return "<class 'json.decoder.JSONDecodeError'>";  // PBS's word for it
  return "not an object";
}

}  // namespace annals::model
