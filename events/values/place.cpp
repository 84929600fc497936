#include "events/values/place.hpp"

#include <iterator>

#include "events/values/resource_list.hpp"

namespace annals::values {
namespace {

// In the order of the enumerations; the first stands for "unset".
constexpr std::string_view arrangements[] = {"", "free", "pack", "scatter", "vscatter"};
constexpr std::string_view sharings[] = {"", "shared", "excl", "exclhost"};

template <class Enum, std::size_t N>
bool take(std::string_view word, const std::string_view (&names)[N], Enum& into) {
  for (std::size_t i = 1; i < N; ++i) {
    if (names[i] != word) continue;
    if (into != Enum::unset) return false;  // two of a kind
    into = static_cast<Enum>(i);
    return true;
  }
  return false;
}

constexpr std::string_view group_word = "group=";

}  // namespace

std::optional<place_spec> parse_place(std::string_view text) {
  place_spec place;
  for (;;) {
    const auto colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    if (word.substr(0, group_word.size()) == group_word) {
      const std::string_view name = word.substr(group_word.size());
      if (!place.group.empty() || !is_resource_name(name)) return std::nullopt;
      place.group = name;
    } else if (!take(word, arrangements, place.arrange) && !take(word, sharings, place.share)) {
      return std::nullopt;
    }
    if (colon == std::string_view::npos) return place;
    text = text.substr(colon + 1);
  }
}

std::string print(const place_spec& place) {
  std::string out;
  const auto put = [&](std::string_view word) {
    if (word.empty()) return;
    if (!out.empty()) out += ':';
    out += word;
  };
  put(arrangements[static_cast<std::size_t>(place.arrange)]);
  put(sharings[static_cast<std::size_t>(place.share)]);
  if (!place.group.empty()) put(std::string(group_word) + place.group);
  return out;
}

}  // namespace annals::values
