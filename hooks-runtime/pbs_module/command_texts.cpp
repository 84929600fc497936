#include "hooks-runtime/pbs_module/command_texts.hpp"

#include <algorithm>

namespace annals::hooks::py {
namespace {

struct mark {
  std::string_view open, close;
};
constexpr mark program{"<jsdl-hpcpa:Executable>", "</jsdl-hpcpa:Executable>"};
constexpr mark word{"<jsdl-hpcpa:Argument>", "</jsdl-hpcpa:Argument>"};

std::string marked(std::string_view text, const mark& by) { return std::string(by.open).append(text).append(by.close); }

// The words between the marks, with blanks between them; a text without marks as it is.
std::string unmarked(std::string_view text, const mark& by) {
  if (!text.starts_with(by.open)) return std::string(text);
  std::string out;
  while (text.starts_with(by.open)) {
    text.remove_prefix(by.open.size());
    const auto end = std::min(text.find(by.close), text.size());
    out.append(out.empty() ? "" : " ").append(text.substr(0, end));
    text.remove_prefix(std::min(end + by.close.size(), text.size()));
  }
  return out;
}

std::string each_word_marked(std::string_view text) {
  if (text.starts_with(word.open)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) out += marked(text.substr(0, end), word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string shown_command(std::string_view attribute, std::string_view kept) {
  if (attribute == "executable") return unmarked(kept, program);
  return attribute == "Submit_arguments" ? each_word_marked(kept) : std::string(kept);
}

std::string kept_command(std::string_view attribute, std::string_view shown) {
  if (attribute == "executable" && !shown.empty() && !shown.starts_with(program.open)) return marked(shown, program);
  return attribute == "Submit_arguments" ? unmarked(shown, word) : std::string(shown);
}

}  // namespace annals::hooks::py
