// A line typed at a terminal, which can be edited before it is given, and earlier lines can be fetched (arrow keys, Ctrl-R). Whoever uses
// it has a terminal at standard input and output. ~/.editrc changes its keys (editrc(5)).
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace annals::client {

class line_editor {
 public:
  explicit line_editor(const char* program);  // its name in ~/.editrc
  ~line_editor();
  line_editor(const line_editor&) = delete;
  line_editor& operator=(const line_editor&) = delete;

  // Without its end. Nothing: there are no more.
  std::optional<std::string> line(const char* prompt);
  void remember(const std::string& line);  // it can be fetched from here on

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace annals::client
