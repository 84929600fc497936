#include "tools/client/directives.hpp"

namespace annals::client {

namespace {

constexpr std::string_view blanks = " \t";

std::string_view without_blanks_behind(std::string_view text) { return text.substr(0, text.find_last_not_of(blanks) + 1); }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return without_blanks_behind(text.substr(first));
}

// The lines of a script, one by one.
class line_reader {
 public:
  explicit line_reader(std::string_view script) : rest_(script) {}
  bool at_end() const { return rest_.empty(); }
  bool has_cr_lf() const { return has_cr_lf_; }
  std::string_view next() {
    const auto end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    has_cr_lf_ = has_cr_lf_ || line.ends_with('\r');
    return line;
  }

 private:
  std::string_view rest_;
  bool has_cr_lf_ = false;
};

// Backslashes at the end of a line are taken away, and what stands in the next line follows as it is: PBS takes a prefix
// there for text.
std::string with_next_lines(std::string_view line, line_reader& lines) {
  std::string text(without_blanks_behind(line));
  while (text.ends_with('\\')) {
    while (text.ends_with('\\')) text.pop_back();
    if (!lines.at_end()) text += without_blanks_behind(lines.next());
  }
  return text;
}

}  // namespace

directive_scan scan_directives(std::string_view script, std::string_view prefix) {
  directive_scan out;
  line_reader lines(script);
  while (!lines.at_end()) {
    const std::string_view line = trimmed(lines.next());
    if (line.empty()) continue;
    if (!prefix.empty() && line.starts_with(prefix)) {
      out.lines.emplace_back(trimmed(with_next_lines(line.substr(prefix.size()), lines)));
    } else if (line.front() != '#' && line.front() != ':') {
      break;
    }
  }
  out.has_cr_lf = lines.has_cr_lf();
  return out;
}

std::vector<std::string> split_words(std::string_view text, bool* unmatched) {
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
  if (unmatched != nullptr) *unmatched = quote != 0;
  return words;
}

}  // namespace annals::client
