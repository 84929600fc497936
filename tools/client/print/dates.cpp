#include "tools/client/print/dates.hpp"

#include <charconv>
#include <ctime>

namespace annals::client {
namespace {

constexpr std::size_t minute_at = 14, second_at = 17;  // in "Fri Nov 20 23:11:37 2026"

void put_two_digits(char* at, std::int64_t number) {
  at[0] = static_cast<char>('0' + number / 10);
  at[1] = static_cast<char>('0' + number % 10);
}

bool number_of(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view date_text::of(std::int64_t seconds_since_1970) {
  const std::int64_t into = (seconds_since_1970 % window_s + window_s) % window_s;
  if (seconds_since_1970 - into != window_) {
    window_ = seconds_since_1970 - into;
    const std::time_t start = static_cast<std::time_t>(window_);
    std::tm local{};
    localtime_r(&start, &local);
    minute_ = local.tm_min;
    size_ = std::strftime(text_.data(), text_.size(), "%a %b %e %H:%M:%S %Y", &local);
  }
  put_two_digits(text_.data() + minute_at, minute_ + into / 60);
  put_two_digits(text_.data() + second_at, into % 60);
  return {text_.data(), size_};
}

std::string_view date_text::of(std::string_view seconds_since_1970) {
  std::int64_t number;
  return number_of(seconds_since_1970, number) ? of(number) : seconds_since_1970;
}

std::string_view estimate_text(std::string_view start, std::int64_t now, std::array<char, 8>& buffer) {
  constexpr std::int64_t week_s = 7 * 24 * 60 * 60;
  std::int64_t number;
  if (!number_of(start, number)) return {};
  const std::time_t then_t = static_cast<std::time_t>(number), now_t = static_cast<std::time_t>(now);
  std::tm then{}, today{};
  localtime_r(&then_t, &then);
  localtime_r(&now_t, &today);
  const bool same_year = then.tm_year == today.tm_year;
  const char* form = "%Y";
  if (same_year && then.tm_yday == today.tm_yday)
    form = "%H:%M";
  else if (number - now < week_s)
    form = "%a %H";
  else if (same_year)
    form = "%b";
  std::size_t size = std::strftime(buffer.data(), buffer.size(), form, &then);
  if (form[1] == 'a' && size == 6) {  // "Tue 14": the day of the week has two letters here
    buffer[2] = buffer[3], buffer[3] = buffer[4], buffer[4] = buffer[5];
    size = 5;
  }
  return {buffer.data(), size};
}

}  // namespace annals::client
