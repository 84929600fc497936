#include "projections/status/privacy.hpp"

#include <algorithm>

#include "events/attributes/check.hpp"

namespace annals::projections {

namespace {

// Where the variable at the front ends: at the next comma that no backslash makes a part of a value.
std::size_t end_of_variable(std::string_view rest, bool has_backslashes) {
  if (!has_backslashes) return std::min(rest.find(','), rest.size());
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != ',') end += rest[end] == '\\' ? 2 : 1;
  return std::min(end, rest.size());
}

void put_public_variables(std::string_view list, std::string& out) {
  const bool has_backslashes = list.find('\\') != std::string_view::npos;
  out.clear();
  while (!list.empty()) {
    const auto end = end_of_variable(list, has_backslashes);
    const auto variable = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (!variable.starts_with("PBS_O_")) continue;
    if (!out.empty()) out += ',';
    out += variable;
  }
}

// "-v", "-vA=1", "-hv": behind options of qsub that have no value.
bool gives_variables(std::string_view word) {
  if (!word.starts_with('-') || word.starts_with("--")) return false;
  const auto at = word.find_first_not_of("fhIVXz", 1);
  return at != std::string_view::npos && word[at] == 'v';
}

std::string_view public_arguments(std::string_view arguments) {
  for (std::size_t at = 0; at < arguments.size();) {
    const auto begin = arguments.find_first_not_of(" \t\n", at);
    if (begin == std::string_view::npos) break;
    at = std::min(arguments.find_first_of(" \t\n", begin), arguments.size());
    if (gives_variables(arguments.substr(begin, at - begin))) return arguments.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return arguments;
}

}  // namespace

viewer::viewer(const status& from, const model::requester& by) : user_(by.user), role_(by.role) {
  namespace ids = attributes::server;
  const auto& server = from.server().attributes;
  shows_hidden_ = server.get(ids::show_hidden_attribs) == "True";
  sees_others_ = by.is_operator() || server.get(ids::query_other_jobs) != "False";
  sees_variables_ = by.is_operator() || server.get(ids::show_other_variables) == "True";
  if (by.is_operator()) return;
  for (const auto& [name, resource] : from.server().resources.custom())
    if (resource.has(attributes::invisible)) unseen_.insert(name);
}

bool viewer::sees(const attributes::attribute& row) const { return attributes::may_see(row, role_, shows_hidden_); }

std::optional<std::string_view> seen_by_others(attributes::attribute_id id, std::string_view own, std::string& kept) {
  if (id == attributes::job::forward_x11_cookie) return std::nullopt;
  if (id == attributes::job::Submit_arguments) return public_arguments(own);
  if (id != attributes::job::Variable_List) return own;
  put_public_variables(own, kept);
  return kept;
}

}  // namespace annals::projections
