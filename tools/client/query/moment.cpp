#include "tools/client/query/moment.hpp"

#include <chrono>

namespace annals::client {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

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
  const auto named = values::parse_moment(text, std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  if (!named) return std::nullopt;
  return named->sequence != 0 ? moment{moment::kind::sequence, 0, named->sequence} : moment{moment::kind::wall_time, named->wall_ns, 0};
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

std::string moment_error(const char* command, const char* option, const std::string& value) {
  return std::string(command) + ": illegal " + option + " value: " + value + " (a moment is " + values::moment_forms + ")\n";
}

std::string time_error(const char* command, const char* option, const std::string& value) {
  return std::string(command) + ": illegal " + option + " value: " + value + " (a moment is " + values::time_forms + ")\n";
}

std::optional<moment> take_moment(std::vector<std::string>& arguments, std::string* bad) {
  const auto value = take_long_option(arguments, "--at");
  if (!value) return moment();
  const auto at = parse_moment(*value);
  if (!at) *bad = *value;
  return at;
}

}  // namespace annals::client
