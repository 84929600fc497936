#include "events/values/staging_list.hpp"

#include <algorithm>

#include "events/values/string_list.hpp"

namespace annals::values {
namespace {

bool is_host(std::string_view text) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), good);
}

// The host stands between the last '@' before a colon and that colon: either path may have an '@' of its own.
std::optional<staged_path> parse_entry(const std::string& text) {
  const auto first = text.find('@');
  if (first == std::string::npos) return std::nullopt;
  const auto colon = text.find(':', first);
  if (colon == std::string::npos) return std::nullopt;
  const auto at = text.rfind('@', colon);
  staged_path p{text.substr(0, at), text.substr(at + 1, colon - at - 1), text.substr(colon + 1)};
  if (p.here.empty() || p.there.empty() || !is_host(p.host)) return std::nullopt;
  return p;
}

}  // namespace

std::optional<std::vector<staged_path>> parse_staging_list(std::string_view text) {
  std::vector<staged_path> list;
  for (const auto& entry : split_trimmed(text)) {
    auto p = parse_entry(entry);
    if (!p) return std::nullopt;
    list.push_back(std::move(*p));
  }
  if (list.empty()) return std::nullopt;
  return list;
}

std::string print(const std::vector<staged_path>& list) {
  std::vector<std::string> entries;
  for (const auto& p : list) entries.push_back(p.here + '@' + p.host + ':' + p.there);
  return join_list(entries);
}

}  // namespace annals::values
