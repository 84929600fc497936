#include "tools/report/moments.hpp"

#include <chrono>
#include <ctime>

namespace annals::reporting {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

std::string local(std::int64_t ns, const char* form) {
  const auto seconds = static_cast<std::time_t>(ns >= 0 ? ns / ns_per_s : (ns - ns_per_s + 1) / ns_per_s);
  std::tm broken{};
  ::localtime_r(&seconds, &broken);
  char text[64];
  return {text, std::strftime(text, sizeof text, form, &broken)};
}

}  // namespace

std::optional<std::int64_t> parse_moment_text(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.ddddddZ";
  if (text.size() != form.size()) return std::nullopt;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t digits) {
    int n = 0;
    for (const char c : text.substr(from, digits)) n = 10 * n + (c - '0');
    return n;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)), std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!day.ok() || number(0, 4) < 1678 || number(0, 4) > 2261) return std::nullopt;  // 63 bits of nanoseconds
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  const std::int64_t seconds = days * 86'400 + number(11, 2) * 3600 + number(14, 2) * 60 + number(17, 2);
  return seconds * ns_per_s + std::int64_t{number(20, 6)} * 1000;
}

std::string local_day(std::int64_t ns) { return local(ns, "%Y-%m-%d"); }
std::string local_month(std::int64_t ns) { return local(ns, "%Y-%m"); }
std::string local_second(std::int64_t ns) { return local(ns, "%Y-%m-%d %H:%M:%S"); }

}  // namespace annals::reporting
