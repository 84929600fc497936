#include "tools/client/query/content_file.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>

namespace annals::client {

int read_content(const std::string& file, bool base64, std::string& text) {
  if (file == "-") {
    std::string line;
    while (std::getline(std::cin, line) && !(base64 && line.empty())) text += line + "\n";
    return 0;
  }
  std::FILE* in = std::fopen(file.c_str(), "rb");
  if (!in) return errno;
  char piece[65536];
  for (std::size_t n; (n = std::fread(piece, 1, sizeof piece, in)) > 0;) text.append(piece, n);
  const int failed = std::ferror(in) ? errno : 0;
  std::fclose(in);
  return failed;
}

int write_content(const std::string& file, const std::string& text) {
  std::FILE* to = std::fopen(file.c_str(), "wb");
  if (!to) return errno;
  const bool written = std::fwrite(text.data(), 1, text.size(), to) == text.size();
  const int failed = written ? 0 : errno;
  return std::fclose(to) != 0 && failed == 0 ? errno : failed;
}

}  // namespace annals::client
