#include "actors/scheduler/cycle/fairshare_settings.hpp"

#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::cycle {

namespace {

line_kind read_flag(bool& flag, std::string_view value) {
  const auto read = values::parse_boolean(value);
  if (!read) return line_kind::wrong;
  flag = *read;
  return line_kind::taken;
}

line_kind read_usage(fairshare_settings& to, std::string_view value) {
  auto formula = values::usage_formula::parse(value);
  if (!formula) return line_kind::wrong;
  to.usage = std::move(*formula);
  to.usage_text = value;
  return line_kind::taken;
}

// A value between two bounds.
template <class Number>
line_kind read_number(Number& to, std::optional<Number> value, bool good) {
  if (!value || !good) return line_kind::wrong;
  to = *value;
  return line_kind::taken;
}

}  // namespace

bool fairshare_settings::operator==(const fairshare_settings& o) const {
  return ever == o.ever && entity == o.entity && usage_text == o.usage_text && decay_seconds == o.decay_seconds &&
         decay_factor == o.decay_factor && unknown_shares == o.unknown_shares && enforce_no_shares == o.enforce_no_shares &&
         *tree == *o.tree;
}

bool count_the_same(const fairshare_settings& a, const fairshare_settings& b) {
  return a.ever == b.ever && (!a.ever || (a.entity == b.entity && a.usage == b.usage));
}

line_kind read_fairshare_line(fairshare_settings& to, std::string_view name, std::string_view value) {
  if (name == "fairshare_enforce_no_shares") return read_flag(to.enforce_no_shares, value);
  if (name == "fairshare_usage_res") return read_usage(to, value);
  if (name == "fairshare_entity") {
    const auto form = values::parse_fairshare_entity(value);
    return read_number(to.entity, form, true);
  }
  if (name == "fairshare_decay_time") {
    const auto seconds = values::parse_duration(value);
    const auto whole = seconds ? std::optional(static_cast<std::uint64_t>(*seconds)) : std::nullopt;
    return read_number(to.decay_seconds, whole, seconds && *seconds >= 0);
  }
  if (name == "fairshare_decay_factor") {
    const auto factor = values::parse_real(value);
    return read_number(to.decay_factor, factor, factor && *factor > 0 && *factor < 1);
  }
  if (name == "unknown_shares") {
    const auto shares = values::parse_integer(value);
    return read_number(to.unknown_shares, shares, shares && *shares >= 0 && *shares <= share_tree::number_max);
  }
  return line_kind::not_ours;
}

}  // namespace annals::cycle
