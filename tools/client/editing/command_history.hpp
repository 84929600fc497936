// The commands that somebody has typed, kept in a file of his from one sitting to the next: a line each, the last 500 (pbs guide: qmgr).
// Each is in the file as soon as it is given, so that two sittings at once lose nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace annals::client {

class command_history {
 public:
  static constexpr std::size_t commands_max = 500;

  // In the file at home, or if that can't be written in the other one. If neither can, problem() says why, and the commands are forgotten
  // with the sitting.
  command_history(const std::string& at_home, const std::string& otherwise);
  command_history(const command_history&) = delete;
  command_history& operator=(const command_history&) = delete;
  ~command_history();

  void add(const std::string& command);  // not again what was given right before
  // Oldest first. They are numbered from 1 when the sitting begins; the oldest one's number grows when others come.
  const std::deque<std::string>& commands() const { return commands_; }
  const std::string* find(std::size_t number) const;  // nullptr: there is none
  std::string listed(std::size_t last) const;         // the last ones, each with its number
  const std::string& problem() const { return problem_; }

 private:
  bool open(const std::string& file, int flags);
  void load();
  void write(const std::string& text) const;

  int file_ = -1;
  std::deque<std::string> commands_;
  std::size_t first_ = 1;  // number of the oldest
  std::string problem_;
};

}  // namespace annals::client
