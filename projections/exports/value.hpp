// The value of one column of a row, as every target writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace annals::exports {

// A moment in nanoseconds since 1970, UTC.
struct moment {
  std::int64_t ns = 0;
  bool operator==(const moment&) const = default;
};

// The first is for what is not known, or does not apply.
using value = std::variant<std::monostate, std::int64_t, double, bool, std::string, moment>;

inline bool is_null(const value& v) { return v.index() == 0; }

// Text that each target can keep and each reader can read: UTF-8 without NUL. Bytes that are none stand there as U+FFFD, each.
std::string clean_text(std::string_view text);

// "2026-11-30T06:47:29.123456Z": of one length, so that they sort as texts do.
std::string print_moment(moment at);
// The UTC day of a moment: "2026-11-30".
std::string print_day(moment at);
// "42", "0.25" in as many digits as the number needs, "true", the text as it is, a moment as above; empty for null.
std::string print_plain(const value& v);

}  // namespace annals::exports
