#include "actors/scheduler/cycle/resource_table.hpp"

#include <algorithm>
#include <cmath>

#include "events/attributes/resources.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::cycle {

using attributes::value_type;

namespace {

constexpr double real_scale = 10'000;  // PBS prints at most four decimals
// Larger amounts (a zettabyte, 10^15 cpus) count as this, so that sums over any cluster fit 64 bits.
constexpr amount amount_max = amount{1} << 50;

resource_info row_of(std::string_view name, value_type type, std::uint16_t flags) {
  resource_info row;
  row.name = name;
  row.type = type;
  row.numeric = type == value_type::integer || type == value_type::real || type == value_type::size || type == value_type::duration;
  row.consumable = (flags & (attributes::consumable | attributes::first_host_only)) != 0;
  row.summed = (flags & attributes::summed) != 0;
  return row;
}

std::optional<amount> read_size(std::string_view text, rounding round) {
  const auto size = values::parse_size(text);
  if (!size) return std::nullopt;
  const std::uint64_t kb = size->to_kb();
  const bool exact = size->shift > 0 || size->number * (size->words ? 8 : 1) % 1024 == 0;
  if (kb >= static_cast<std::uint64_t>(amount_max)) return amount_max;
  return static_cast<amount>(kb) - (round == rounding::down && !exact ? 1 : 0);
}

}  // namespace

resource_table::resource_table() {
  for (const auto& r : attributes::builtin_resources()) add(row_of(r.name, r.type, r.flags));
}

void resource_table::add(resource_info row) {
  const auto known = ids_.find(row.name);
  if (known != ids_.end()) {
    rows_[known->second] = std::move(row);
    return;
  }
  ids_.emplace(row.name, static_cast<resource_id>(rows_.size()));
  rows_.push_back(std::move(row));
}

resource_id resource_table::find(std::string_view name) const {
  const auto at = ids_.find(name);
  return at == ids_.end() ? no_resource : at->second;
}

void resource_table::define(std::string_view name, std::string_view type, std::string_view flags) {
  const auto t = attributes::resource_type_of(type.empty() ? "string" : type);
  const auto f = attributes::resource_flags_of(flags);
  if (!t || !f || rows_.size() >= no_resource) return;
  auto row = row_of(name, *t, *f);
  row.custom = true;
  add(std::move(row));
}

std::optional<amount> resource_table::read(resource_id id, std::string_view text, rounding round) const {
  switch (rows_[id].type) {
    case value_type::integer:
    case value_type::duration: {
      const auto n = rows_[id].type == value_type::integer ? values::parse_integer(text) : values::parse_duration(text);
      return n ? std::optional<amount>(std::clamp(*n, -amount_max, amount_max)) : std::nullopt;
    }
    case value_type::size: return read_size(text, round);
    case value_type::boolean: {
      const auto b = values::parse_boolean(text);
      return b ? std::optional<amount>(*b ? 1 : 0) : std::nullopt;
    }
    case value_type::real: {
      const auto r = values::parse_real(text);
      if (!r || std::abs(*r) > static_cast<double>(amount_max) / real_scale) return std::nullopt;
      const double scaled = *r * real_scale;
      const double nearest = std::round(scaled);  // 0.3 is not exact in binary; only true fractions are rounded away
      if (std::abs(scaled - nearest) < 1e-3) return static_cast<amount>(nearest);
      return static_cast<amount>(round == rounding::up ? std::ceil(scaled) : std::floor(scaled));
    }
    default: return std::nullopt;
  }
}

double resource_table::number(resource_id id, amount value) const {
  return rows_[id].type == value_type::real ? static_cast<double>(value) / real_scale : static_cast<double>(value);
}

void resource_table::print_assigned(std::string& out, resource_id id, amount value) const {
  switch (rows_[id].type) {
    case value_type::size:
      out += std::to_string(value);
      out += "kb";
      break;
    case value_type::real: out += values::print_real(static_cast<double>(value) / real_scale); break;
    case value_type::duration: out += values::print_duration(value); break;
    default: out += std::to_string(value);
  }
}

std::string resource_table::print(resource_id id, amount value) const {
  std::string out;
  if (rows_[id].type == value_type::size) {
    static constexpr const char* units[] = {"kb", "mb", "gb", "tb", "pb"};
    int unit = 0;
    while (unit < 4 && value != 0 && value % 1024 == 0) {
      value /= 1024;
      ++unit;
    }
    return std::to_string(value) + units[unit];
  }
  if (rows_[id].is_boolean()) return values::print_boolean(value != 0);
  print_assigned(out, id, value);
  return out;
}

}  // namespace annals::cycle
