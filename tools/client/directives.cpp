#include "tools/client/directives.hpp"

namespace annals::client {

namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

directive_scan scan_directives(std::string_view script, std::string_view prefix) {
  directive_scan out;
  while (!script.empty()) {
    const auto end = script.find('\n');
    std::string_view line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    if (!line.empty() && line.back() == '\r') out.has_cr_lf = true;
    line = trimmed(line);
    if (line.empty()) continue;
    if (!prefix.empty() && line.starts_with(prefix)) {
      out.lines.emplace_back(trimmed(line.substr(prefix.size())));
    } else if (line.front() != '#' && line.front() != ':') {
      break;
    }
  }
  return out;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == '\\' && i + 1 < text.size() &&
               std::string_view(" \t'\"\\").find(text[i + 1]) != std::string_view::npos) {
      word += text[++i];
      in_word = true;
    } else if (blanks.find(c) != std::string_view::npos) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace annals::client
