#include "hooks-runtime/pbs_module/increment.hpp"

#include <charconv>

#include "events/values/string_list.hpp"

namespace annals::hooks {
namespace {

// A percentage is kept exact: "23.5" of 2 chunks must not become 0.47000001 and be rounded up once too often.
constexpr int percent_decimals_max = 6;
constexpr std::uint64_t percent_unit = 1'000'000;   // 10^percent_decimals_max
constexpr std::uint64_t percent_max = 100'000'000;  // a million-fold; more chunks than a select may have from any start

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> millionths(std::string_view text) {
  const auto dot = std::min(text.find('.'), text.size());
  std::string fraction(text.substr(std::min(dot + 1, text.size())));
  if ((dot == 0 && fraction.empty()) || fraction.size() > percent_decimals_max) return std::nullopt;
  fraction.resize(percent_decimals_max, '0');
  const auto whole = dot == 0 ? 0 : digits(text.substr(0, dot));
  const auto parts = digits(fraction);
  if (!whole || !parts || *whole > percent_max) return std::nullopt;
  return *whole * percent_unit + *parts;
}

// Nothing: more than a select may have.
std::optional<std::uint32_t> grown(std::uint64_t count, const increment& by) {
  std::uint64_t more = by.number;
  if (by.percent) {
    constexpr std::uint64_t whole = 100 * percent_unit;
    const unsigned __int128 product = static_cast<unsigned __int128>(count) * by.number;
    const unsigned __int128 rounded = (product + whole - 1) / whole;
    if (rounded > values::select_chunks_max) return std::nullopt;
    more = static_cast<std::uint64_t>(rounded);
  }
  if (more > values::select_chunks_max || count + more > values::select_chunks_max) return std::nullopt;
  return static_cast<std::uint32_t>(count + more);
}

}  // namespace

std::optional<increment> parse_increment(std::string_view text) {
  text = values::trimmed(text);
  const bool percent = text.ends_with('%');
  if (percent) text = values::trimmed(text.substr(0, text.size() - 1));
  const auto number = percent ? millionths(text) : digits(text);
  if (!number) return std::nullopt;
  return increment{*number, percent};
}

std::optional<values::select_spec> increment_chunks(values::select_spec select, const increments& by,
                                                    bool first_chunk) {
  const auto* some = std::get_if<1>(&by);
  if (some)
    for (const auto& [index, unused] : *some)
      if (index < 0 || index >= static_cast<std::int64_t>(select.chunks.size())) return std::nullopt;
  for (std::size_t i = 0; i < select.chunks.size(); ++i) {
    auto& item = select.chunks[i];
    item.count_written = true;
    increment by_how_much;
    if (const auto* all = std::get_if<0>(&by))
      by_how_much = *all;
    else if (const auto found = some->find(static_cast<std::int64_t>(i)); found != some->end())
      by_how_much = found->second;
    const std::uint32_t kept = i == 0 && !first_chunk ? 1 : 0;  // the primary's chunk (RS-76)
    if (item.count == kept) continue;
    const auto count = grown(item.count - kept, by_how_much);
    if (!count) return std::nullopt;
    item.count = *count + kept;
  }
  if (select.chunk_count() > values::select_chunks_max) return std::nullopt;
  return select;
}

}  // namespace annals::hooks
