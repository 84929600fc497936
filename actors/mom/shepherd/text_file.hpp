// Reading a whole descriptor or file.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "actors/mom/host/open_path.hpp"

namespace annals::shepherd {

inline std::string read_text(int fd) {
  std::string text;
  char buffer[16384];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

inline std::string read_text(const char* path) {
  const int fd = mom::open_path(path, O_RDONLY);
  if (fd < 0) return {};
  std::string text = read_text(fd);
  close(fd);
  return text;
}

}  // namespace annals::shepherd
