// Runs a fuzz target as an ordinary test: every file of its corpus, then seeded mutations of them. Under clang's
// libFuzzer (-fsanitize=fuzzer) this file is left out and the fuzzer drives the target.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

using input = std::vector<std::uint8_t>;

static input mutate(input bytes, std::mt19937_64& random) {
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    switch (random() % 4) {
      case 0: if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1u << (random() % 8)); break;
      case 1: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random())); break;
      case 2: if (!bytes.empty()) bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at)); break;
      default: bytes.resize(at); break;
    }
  }
  return bytes;
}

int main(int argc, char** argv) {
  if (argc < 2) { std::cerr << "usage: " << argv[0] << " CORPUS-DIRECTORY [MUTATIONS-PER-FILE [SEED]]\n"; return 2; }
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 200;
  std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(entry.path(), std::ios::binary);
    const input seed((std::istreambuf_iterator<char>(in)), {});
    LLVMFuzzerTestOneInput(seed.data(), seed.size());
    for (int i = 0; i < mutations; ++i) {
      const input changed = mutate(seed, random);
      LLVMFuzzerTestOneInput(changed.data(), changed.size());
    }
    ++files;
  }
  if (files == 0) { std::cerr << argv[0] << ": no corpus in " << argv[1] << "\n"; return 1; }
  std::cout << files << " corpus files, " << mutations << " mutations each\n";
}
