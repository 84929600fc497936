#include "events/values/signal_name.hpp"

#include <charconv>
#include <csignal>
#include <cstring>

namespace annals::values {

std::optional<int> parse_signal(std::string_view text) {
  int number = 0;
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
  }
  if (text.starts_with("SIG")) text.remove_prefix(3);
  if (text == "NULL") return 0;
  for (number = 1; number < NSIG; ++number)
    if (const char* known = sigabbrev_np(number); known != nullptr && text == known) return number;
  return std::nullopt;
}

}  // namespace annals::values
