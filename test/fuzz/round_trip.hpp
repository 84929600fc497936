// What most parsers promise: what was printed is read again, as the same value. Stops the process when it is not so.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace annals::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds, const char* what, std::string_view input) {
  if (holds) return;
  std::fprintf(stderr, "%s: \"%.*s\"\n", what, static_cast<int>(input.size()), input.data());
  std::abort();
}

// parse(text) gives something like an optional, print(value) its text.
template <class Parse, class Print>
void round_trip(std::string_view text, const Parse& parse, const Print& print) {
  const auto value = parse(text);
  if (!value) return;
  const std::string printed = print(*value);
  const auto again = parse(printed);
  require(static_cast<bool>(again), "what was printed is refused", printed);
  require(print(*again) == printed, "printed twice it differs", printed);
  require(*again == *value, "what was printed means something else", text);
}

}  // namespace annals::fuzz
