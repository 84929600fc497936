#include "projections/exports/row.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "events/log/record.hpp"
#include "events/model/outcome.hpp"
#include "events/values/shown_text.hpp"

namespace annals::exports {

std::size_t row_builder::find(const char* column) {
  while (next_ < columns_.size() && std::string_view(columns_[next_].name) != column) ++next_;
  ANNALS_INVARIANT(next_ < columns_.size(), "a row names columns in the order of its table");
  return next_++;
}

row_builder& row_builder::put(const char* column, column_type type, value v) {
  const auto at = find(column);
  ANNALS_INVARIANT(columns_[at].type == type, "a value has the type of its column");
  row_.values[at] = std::move(v);
  return *this;
}

// The index of a database holds no text of any length.
row_builder& row_builder::text(const char* column, std::string_view t) {
  const auto at = find(column);
  ANNALS_INVARIANT(columns_[at].type == column_type::text, "a value has the type of its column");
  auto clean = clean_text(t);
  if (at < key_ && clean.size() > key_bytes_max) {
    const auto hash = log::content_hash(std::as_bytes(std::span(clean)));
    std::string shortened(values::front_of(clean, key_bytes_max - 70));
    shortened += "...";
    for (const auto b : hash) {
      static constexpr char digits[] = "0123456789abcdef";
      shortened += {digits[static_cast<unsigned char>(b) >> 4], digits[static_cast<unsigned char>(b) & 15]};
    }
    clean = std::move(shortened);
  }
  row_.values[at] = std::move(clean);
  return *this;
}

row_builder& row_builder::count(const char* column, std::uint64_t n) {
  constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return integer(column, static_cast<std::int64_t>(std::min(n, highest)));
}

row_builder& row_builder::any(const char* column, value v) {
  row_.values[find(column)] = std::move(v);
  return *this;
}

}  // namespace annals::exports
