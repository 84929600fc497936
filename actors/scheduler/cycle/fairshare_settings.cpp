#include "actors/scheduler/cycle/fairshare_settings.hpp"

#include <optional>

#include "actors/scheduler/cycle/parameter_names.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::cycle {

namespace {

// A value between two bounds.
template <class Number>
bool take(Number& to, std::optional<Number> value, bool good = true) {
  if (!value || !good) return false;
  to = *value;
  return true;
}

bool read_usage(fairshare_settings& to, std::string_view value) {
  auto formula = values::usage_formula::parse(value);
  if (!formula) return false;
  to.usage = std::move(*formula);
  to.usage_text = value;
  return true;
}

bool read_decay_time(fairshare_settings& to, std::string_view value) {
  const auto seconds = values::parse_duration(value);
  const auto whole = seconds ? std::optional(static_cast<std::uint64_t>(*seconds)) : std::nullopt;
  return take(to.decay_seconds, whole, seconds && *seconds >= 0);
}

bool read_decay_factor(fairshare_settings& to, std::string_view value) {
  const auto factor = values::parse_real(value);
  return take(to.decay_factor, factor, factor && *factor > 0 && *factor < 1);
}

bool read_unknown_shares(fairshare_settings& to, std::string_view value) {
  const auto shares = values::parse_integer(value);
  return take(to.unknown_shares, shares, shares && *shares >= 0 && *shares <= share_tree::number_max);
}

// False: that is no value of its kind and changes nothing.
struct parameter {
  std::string_view name;
  bool (*read)(fairshare_settings& to, std::string_view value);
};
constexpr parameter parameters[] = {
    {"fairshare_enforce_no_shares",
     [](fairshare_settings& to, std::string_view value) { return take(to.enforce_no_shares, values::parse_boolean(value)); }},
    {"fairshare_usage_res", read_usage},
    {"fairshare_entity",
     [](fairshare_settings& to, std::string_view value) { return take(to.entity, values::parse_fairshare_entity(value)); }},
    {"fairshare_decay_time", read_decay_time},
    {"fairshare_decay_factor", read_decay_factor},
    {"unknown_shares", read_unknown_shares},
};

}  // namespace

std::vector<std::string_view> fairshare_parameter_names() {
  std::vector<std::string_view> names;
  for (const auto& p : parameters) names.push_back(p.name);
  return names;
}

line_kind read_fairshare_line(fairshare_settings& to, std::string_view name, std::string_view value) {
  for (const auto& p : parameters)
    if (name == p.name) return p.read(to, value) ? line_kind::taken : line_kind::wrong;
  return line_kind::not_ours;
}

bool fairshare_settings::operator==(const fairshare_settings& o) const {
  return ever == o.ever && entity == o.entity && usage_text == o.usage_text && decay_seconds == o.decay_seconds &&
         decay_factor == o.decay_factor && unknown_shares == o.unknown_shares && enforce_no_shares == o.enforce_no_shares &&
         *tree == *o.tree;
}

bool count_the_same(const fairshare_settings& a, const fairshare_settings& b) {
  return a.entity == b.entity && a.usage == b.usage;
}

}  // namespace annals::cycle
