#include "tools/client/editing/command_history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace annals::client {

namespace {

// What is read of a file, from its end: 500 commands of 2,000 characters.
constexpr off_t bytes_max = 1 << 20;

std::string bytes_of(int file, off_t from) {
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t n = pread(file, piece, sizeof piece, from + static_cast<off_t>(text.size()));
    if (n <= 0) return text;
    text.append(piece, static_cast<std::size_t>(n));
  }
}

std::string lines_of(const std::deque<std::string>& commands) {
  std::string text;
  for (const auto& command : commands) text += command + "\n";
  return text;
}

}  // namespace

command_history::command_history(const std::string& at_home, const std::string& otherwise) {
  // Others may write in the other file's directory: what they put there is not followed.
  if (open(at_home, 0) || open(otherwise, O_NOFOLLOW)) load();
}

command_history::~command_history() {
  if (file_ >= 0) close(file_);
}

bool command_history::open(const std::string& file, int flags) {
  file_ = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file_ < 0) problem_ += file + ": " + std::strerror(errno) + "\n";
  else problem_.clear();
  return file_ >= 0;
}

void command_history::load() {
  struct stat is {};
  const off_t size = fstat(file_, &is) == 0 ? is.st_size : 0;
  std::string text = bytes_of(file_, std::max<off_t>(0, size - bytes_max));
  if (size > bytes_max) text.erase(0, text.find('\n') + 1);  // cut off
  bool whole = size <= bytes_max && (text.empty() || text.back() == '\n');
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0) commands_.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  while (commands_.size() > commands_max) {
    commands_.pop_front();
    whole = false;
  }
  if (whole || ftruncate(file_, 0) != 0) return;
  write(lines_of(commands_));
}

// What can't be written (a full disk) is lost for the next sitting only.
void command_history::write(const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

void command_history::add(const std::string& command) {
  if (!commands_.empty() && commands_.back() == command) return;
  commands_.push_back(command);
  if (file_ >= 0) write(command + "\n");
  if (commands_.size() <= commands_max) return;
  commands_.pop_front();
  ++first_;
}

const std::string* command_history::find(std::size_t number) const {
  return number >= first_ && number - first_ < commands_.size() ? &commands_[number - first_] : nullptr;
}

std::string command_history::listed(std::size_t last) const {
  std::string text;
  for (std::size_t i = commands_.size() - std::min(last, commands_.size()); i < commands_.size(); ++i) {
    const auto number = std::to_string(first_ + i);
    text += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + "  " + commands_[i] + "\n";
  }
  return text;
}

}  // namespace annals::client
