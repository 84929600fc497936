// Standard output of the status commands: one large buffer, written in large pieces. What a printer forgot to change for a terminal
// (events/values/shown_text.hpp) is changed here; a piece ends where a character does.
#pragma once

#include <string>
#include <string_view>

namespace annals::client {

class output {
 public:
  output() { text_.reserve(2 * piece_bytes); }
  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output() { flush(); }

  std::string& text() { return text_; }
  void flush_if_large() {
    if (text_.size() >= piece_bytes) flush();
  }
  // Writes all that is there. When nobody reads any more, or the disk behind stdout is full, the rest is thrown away
  // and failed() says so.
  void flush();
  // Of the content of a file, which a shell may write to one: only a terminal gets it changed. What was put before comes first.
  void put_content(std::string_view content);
  bool failed() const { return failed_; }

 private:
  void write_all(std::string_view rest);
  static constexpr std::size_t piece_bytes = 64u << 10;  // a pipe's size: larger writes gain nothing
  std::string text_;
  bool failed_ = false;
};

}  // namespace annals::client
