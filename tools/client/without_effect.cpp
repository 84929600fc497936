#include "tools/client/without_effect.hpp"

#include "tools/client/printed.hpp"

namespace annals::client {

std::vector<std::string> options_without_effect(const command& c, const command_line& line) {
  constexpr std::string_view mark = "no effect: ";
  std::vector<std::string> lines;
  for (const option& o : c.options) {
    const std::string_view meaning = o.meaning;
    if (meaning.starts_with(mark) && line.has(o.letter))
      lines.push_back(std::string(c.name) + ": option -" + o.letter + " has no effect: " + std::string(meaning.substr(mark.size())));
  }
  return lines;
}

void warn_of_options_without_effect(const command& c, const command_line& line) {
  for (const auto& text : options_without_effect(c, line)) print_error("%s\n", text.c_str());
}

}  // namespace annals::client
