// The main of a program that makes a page of the documentation: with --write FILE it writes the page; with FILE it says
// whether the page is still what the program makes (exit 1: it is stale).
#pragma once

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace annals::test {

inline int write_or_compare(const std::string& page, int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--write") {
    std::ofstream out(argv[2], std::ios::binary);
    return out << page ? 0 : 1;
  }
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " [--write] FILE\n";
    return 2;
  }
  std::ifstream in(argv[1], std::ios::binary);
  const std::string kept((std::istreambuf_iterator<char>(in)), {});
  if (kept == page) return 0;
  std::cerr << argv[1] << " is stale; write it again: " << argv[0] << " --write " << argv[1] << "\n";
  return 1;
}

}  // namespace annals::test
