#include "tools/client/query/moment.hpp"

#include <charconv>
#include <ctime>

namespace annals::client {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::uint64_t first_epoch_second = 1'000'000'000;  // smaller numbers are sequences: that second was in 2001

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

std::optional<std::int64_t> local_time(const std::string& text) {
  for (const char* form : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"}) {
    std::tm tm{};
    const char* end = strptime(text.c_str(), form, &tm);
    if (!end || *end != '\0') continue;
    tm.tm_isdst = -1;
    const std::time_t seconds = std::mktime(&tm);
    if (seconds != -1) return seconds;
  }
  return std::nullopt;
}

}  // namespace

void moment::fill(schema::At::Builder at) const {
  switch (what) {
    case kind::now:
      at.setNow();
      break;
    case kind::wall_time:
      at.setWallNs(wall_ns);
      break;
    case kind::sequence:
      at.setSequence(sequence);
      break;
  }
}

std::int64_t moment::seconds_or(std::int64_t now) const { return what == kind::wall_time ? wall_ns / ns_per_s : now; }

std::optional<moment> parse_moment(std::string_view text) {
  const bool marked = !text.empty() && text.front() == '#';
  if (const auto n = number_of(marked ? text.substr(1) : text)) {
    if (marked || *n < first_epoch_second) return moment{moment::kind::sequence, 0, *n};
    if (*n > static_cast<std::uint64_t>(INT64_MAX / ns_per_s)) return std::nullopt;
    return moment{moment::kind::wall_time, static_cast<std::int64_t>(*n) * ns_per_s, 0};
  }
  constexpr std::int64_t seconds_max = INT64_MAX / ns_per_s;  // the year 2262, and 1677 before
  if (const auto seconds = local_time(std::string(text)); seconds && *seconds <= seconds_max && *seconds >= -seconds_max)
    return moment{moment::kind::wall_time, *seconds * ns_per_s, 0};
  return std::nullopt;
}

std::optional<std::string> take_long_option(std::vector<std::string>& arguments, std::string_view name) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--";) {
    const std::string argument = arguments[i];
    const bool apart = argument == name;
    if (!apart && !(argument.starts_with(name) && argument[name.size()] == '=')) {
      ++i;
      continue;
    }
    const bool has_value = !apart || i + 1 < arguments.size();
    found = !apart ? argument.substr(name.size() + 1) : has_value ? arguments[i + 1]
                                                                  : std::string();
    const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(first, first + (apart && has_value ? 2 : 1));
  }
  return found;
}

std::optional<moment> take_moment(std::vector<std::string>& arguments, std::string* bad) {
  const auto value = take_long_option(arguments, "--at");
  if (!value) return moment();
  const auto at = parse_moment(*value);
  if (!at) *bad = *value;
  return at;
}

}  // namespace annals::client
