#include "events/model/vnodes/counted_resources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::model {

using attributes::value_type;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Sizes in kb, decimals in ten thousandths, which is as exact as they are printed. None is negative.
std::optional<std::int64_t> read(value_type type, std::string_view text) {
  if (type == value_type::size) {
    const auto size = values::parse_size(text);
    if (!size) return std::nullopt;
    return static_cast<std::int64_t>(std::min(size->to_kb(), static_cast<std::uint64_t>(most)));
  }
  if (type == value_type::real) {
    const auto number = values::parse_real(text);
    if (!number) return std::nullopt;
    const auto scaled = std::max(0.0, std::round(*number * 1e4));
    return scaled < 9e18 ? static_cast<std::int64_t>(scaled) : most;
  }
  const auto number = values::parse_integer(text);
  return number ? std::optional(std::max<std::int64_t>(*number, 0)) : std::nullopt;
}

// The type of a resource of which only values are known; nullptr: it is no number.
const char* type_of(std::string_view value) {
  if (values::parse_integer(value)) return "long";
  if (values::parse_size(value)) return "size";
  return values::parse_real(value) ? "float" : nullptr;
}

bool is_counted(const attributes::resource* r) { return r && r->is_numeric() && r->has(attributes::consumable); }

}  // namespace

counted_resources::counted_resources(const std::vector<std::string_view>& vnodes, const values::select_spec& asked,
                                     attributes::resource_catalogue known)
    : catalogue_(std::move(known)) {
  std::map<std::string_view, const char*> unknown;
  std::string_view name, value;
  for (auto resources : vnodes)
    while (values::next_resource(resources, name, value)) {
      if (catalogue_.find(name)) {
        add(name);
        continue;
      }
      const auto* type = type_of(value);
      auto& all = unknown.emplace(name, type).first->second;
      if (!all || !type || std::string_view(all) == "long") all = all ? type : nullptr;  // "2" and "1gb": a size
    }
  for (const auto& [made, type] : unknown)
    if (type && !catalogue_.create(made, type, "nh")) add(made);
  for (const auto& chunk : asked.chunks)
    for (const auto& r : chunk.resources) add(r.name);
  std::sort(names_.begin(), names_.end(), [](const std::string& a, const std::string& b) {
    const auto rank = [](const std::string& n) { return n == "ncpus" ? 0 : n == "mem" ? 1
                                                                                      : 2; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
  });
}

void counted_resources::add(std::string_view name) {
  if (is_counted(catalogue_.find(name)) && place_of(name) == names_.size()) names_.emplace_back(name);
}

std::size_t counted_resources::place_of(std::string_view name) const {
  return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

counted_resources::demand counted_resources::asked_by(const values::select_chunk& chunk) const {
  demand out{std::vector<std::int64_t>(names_.size(), 0), std::vector<bool>(names_.size(), false)};
  for (const auto& r : chunk.resources) {
    const auto place = place_of(r.name);
    const auto amount = place < names_.size() ? read(catalogue_.find(r.name)->type, r.value) : std::nullopt;
    if (!amount) continue;
    out.amounts[place] = *amount;
    out.named[place] = true;
  }
  return out;
}

std::vector<std::int64_t> counted_resources::of_vnode(std::string_view resources) const {
  std::vector<std::int64_t> out(names_.size(), 0);
  std::string_view name, value;
  while (values::next_resource(resources, name, value))
    if (const auto place = place_of(name); place < names_.size()) out[place] = read(catalogue_.find(name)->type, value).value_or(0);
  return out;
}

}  // namespace annals::model
