#include "events/values/json_text.hpp"

#include <algorithm>

namespace annals::values {

namespace {

// Calls outside(index) for each character that stands in no string.
template <class Outside>
void walk(std::string_view text, Outside&& outside) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') ++i;
    else if (text[i] == '"') in_string = !in_string;
    else if (!in_string) outside(i);
  }
}

}  // namespace

bool nests_deeper(std::string_view text, int levels) {
  int depth = 0, deepest = 0;
  walk(text, [&](std::size_t i) {
    if (text[i] == '{' || text[i] == '[') deepest = std::max(deepest, ++depth);
    else if (text[i] == '}' || text[i] == ']') --depth;
  });
  return deepest > levels;
}

std::string with_null_for_none(std::string_view text) {
  constexpr std::string_view none = "None";
  std::string out(text);
  walk(text, [&](std::size_t i) {
    if (text.substr(i, none.size()) == none) out.replace(i, none.size(), "null");
  });
  return out;
}

}  // namespace annals::values
