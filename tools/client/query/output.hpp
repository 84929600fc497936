// Standard output of the status commands: one large buffer, written in large pieces.
#pragma once

#include <string>

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
  bool failed() const { return failed_; }

 private:
  static constexpr std::size_t piece_bytes = 64u << 10;  // a pipe's size: larger writes gain nothing
  std::string text_;
  bool failed_ = false;
};

}  // namespace annals::client
