// What users say, as it is printed: it must not steer the terminal of who reads it, nor look like a line of ours. Control
// characters but tabs are shown as ^A.
#pragma once

#include <string>
#include <string_view>

namespace annals::client {

enum class line_ends : unsigned char {
  as_control,    // ^J: in a table and in a sentence
  kept,          // the caller escapes them
  continue_line  // a tab follows, as where a long value of `qstat -f` goes on
};

// A value that needs no change is not copied; it must outlive this.
class shown {
 public:
  explicit shown(std::string_view value, line_ends ends = line_ends::as_control);
  shown(const shown&) = delete;
  operator std::string_view() const { return value_; }

 private:
  std::string_view value_;
  std::string text_;
};

}  // namespace annals::client
