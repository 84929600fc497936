#include "events/values/limit_table.hpp"

namespace annals::values {

limit_kind limit_kind_of(char letter) {
  switch (letter) {
    case 'u': return limit_kind::user;
    case 'g': return limit_kind::group;
    case 'p': return limit_kind::project;
    default: return limit_kind::all;
  }
}

const char* limit_word(limit_kind kind) {
  switch (kind) {
    case limit_kind::user: return "user";
    case limit_kind::group: return "group";
    case limit_kind::project: return "project";
    case limit_kind::all: break;
  }
  return "";
}

void limit_table::put(const limit_entry& entry, std::int64_t value) {
  const auto kind = static_cast<std::size_t>(limit_kind_of(entry.kind));
  if (entry.kind == 'o' || entry.entity == "PBS_GENERIC") generic_[kind] = value;
  else named_[kind].insert_or_assign(entry.entity, value);
  ++size_;
}

std::optional<limit_table::bound> limit_table::of(limit_kind kind, std::string_view name) const {
  const auto& named = named_[static_cast<std::size_t>(kind)];
  if (!named.empty())
    if (const auto at = named.find(name); at != named.end()) return bound{at->second, true};
  if (const auto& generic = generic_[static_cast<std::size_t>(kind)]) return bound{*generic, false};
  return std::nullopt;
}

std::string limit_table::entry_text(limit_kind kind, std::string_view name, bool named, std::string_view value) {
  constexpr std::array letters = {'o', 'u', 'g', 'p'};
  const auto whose = kind == limit_kind::all ? "PBS_ALL" : named ? name
                                                                 : "PBS_GENERIC";
  return print(limit_entry{letters[static_cast<std::size_t>(kind)], std::string(whose), std::string(value)});
}

}  // namespace annals::values
