#include "tools/audit/csv.hpp"

#include <cstdio>
#include <ctime>

#include "tools/audit/event_text.hpp"

namespace annals::audit {
namespace {

std::string field_text(const std::string& field) {
  const auto text = harmless(field);
  const bool blank_at_an_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (text.find_first_of(",\"") == std::string::npos && !blank_at_an_end) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) {
    if (&field != fields.data()) line += ',';
    line += field_text(field);
  }
  return line + "\n";
}

std::string csv_time(std::int64_t wall_ns) {
  constexpr std::int64_t ns_per_s = 1'000'000'000, ns_per_ms = 1'000'000;
  const auto seconds = static_cast<std::time_t>(wall_ns / ns_per_s);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char day[32], text[48];
  std::strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text, sizeof text, "%s.%03dZ", day, static_cast<int>(wall_ns % ns_per_s / ns_per_ms));
  return text;
}

}  // namespace annals::audit
