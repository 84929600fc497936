#include "hooks-runtime/protocol/message_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace annals::hooks {

std::string file_contents(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream in(path, std::ios::binary);
  if (!in) throw file_trouble{path + " - " + std::strerror(errno)};
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace annals::hooks
