#include "projections/status/privacy.hpp"

#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"

namespace annals::projections {

namespace {

// Up to the next comma that no backslash makes a part of a value.
std::string_view next_variable(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && rest[end] != ',') end += rest[end] == '\\' ? 2 : 1;
  end = std::min(end, rest.size());
  const auto variable = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return variable;
}

std::string public_variables(std::string_view list) {
  std::string out;
  while (!list.empty()) {
    const auto variable = next_variable(list);
    if (!variable.starts_with("PBS_O_")) continue;
    if (!out.empty()) out += ',';
    out += variable;
  }
  return out;
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
  kept = public_variables(own);
  return kept;
}

}  // namespace annals::projections
