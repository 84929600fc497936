// Dates as PBS prints them: "Fri Nov 20 23:11:37 2026", local time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace annals::client {

// Knows the local time of the last quarter of an hour it was asked about: the dates of a list are close together, and
// no zone changes its offset within a quarter (all offsets since 1972 are whole quarters). One object per thread.
class date_text {
 public:
  // Valid until the next call.
  std::string_view of(std::int64_t seconds_since_1970);
  // As above for a decimal text; what is no number is returned as it is.
  std::string_view of(std::string_view seconds_since_1970);

 private:
  static constexpr std::int64_t window_s = 15 * 60;
  std::int64_t window_ = INT64_MIN;  // start of the quarter that text_ belongs to
  int minute_ = 0;                   // minute of the hour at its start
  std::array<char, 32> text_{};      // the last answer
  std::size_t size_ = 0;
};

// The Est Start column of qstat -T (pbs guide: qstat): "14:05" today, "Tu 14" within a week, "Nov" this year, else
// "2027". Empty for a time that is no number.
std::string_view estimate_text(std::string_view start, std::int64_t now, std::array<char, 8>& buffer);

}  // namespace annals::client
