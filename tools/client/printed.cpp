#include "tools/client/printed.hpp"

#include <cstdarg>
#include <cstdio>
#include <string>

#include "events/values/shown_text.hpp"

namespace annals::client {

namespace {

bool put(std::FILE* to, std::string_view text) {
  std::string changed;
  if (values::has_unshown_lines(text)) {
    values::put_lines(changed, text);
    text = changed;
  }
  return std::fwrite(text.data(), 1, text.size(), to) == text.size();
}

void put(std::FILE* to, const char* format, std::va_list words) {
  std::va_list again;
  va_copy(again, words);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0) return;
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, words);
  text.pop_back();
  put(to, text);
}

}  // namespace

void print_error(const char* format, ...) {
  std::va_list words;
  va_start(words, format);
  put(stderr, format, words);
  va_end(words);
}

void print_text(const char* format, ...) {
  std::va_list words;
  va_start(words, format);
  put(stdout, format, words);
  va_end(words);
}

bool print_whole(std::string_view text) { return put(stdout, text); }
void print_whole_error(std::string_view text) { put(stderr, text); }

}  // namespace annals::client
