// Bytes that tests send, of which no two pieces are alike. To make each anew takes longer than all that is tested.
#pragma once

#include <cstddef>
#include <random>
#include <string>

namespace annals::test {

inline std::string some_bytes(std::mt19937& chance, std::size_t size) {
  static const std::string all = [] {
    std::mt19937 any;
    std::string made(1'000'000, ' ');
    for (auto& c : made) c = static_cast<char>(any());
    return made;
  }();
  return all.substr(chance() % (all.size() - size), size);
}

}  // namespace annals::test
