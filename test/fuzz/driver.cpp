// Runs a fuzz target as an ordinary test: every file of its corpus, then seeded mutations of them. Under clang's
// libFuzzer (-fsanitize=fuzzer) this file is left out and the fuzzer drives the target.
//
// An input on which the process dies, or thinks for a minute, is kept in PROGRAM.failed in the current directory. What is
// tried depends on the seed, on the file and on its name, and on no other file.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// A sanitizer ends the process as an abort does, not by an exit that nobody sees.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __tsan_default_options() { return "abort_on_error=1"; }

using input = std::vector<std::uint8_t>;

static constexpr unsigned patience_s = 60;
static input current;       // what is tried now
static std::string failed;  // the file for it

static void say(const char* text) { [[maybe_unused]] const auto n = write(2, text, std::char_traits<char>::length(text)); }

// Only what may be called when anything may have happened.
static void keep_current() {
  const int file = open(failed.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool kept = file >= 0 && write(file, current.data(), current.size()) == static_cast<ssize_t>(current.size());
  say(kept ? "the input that failed is in " : "the input that failed could not be written to ");
  say(failed.c_str());
  say("\n");
}

static void keep_what_kills() {
  static std::vector<char> stack(1 << 16);  // the usual one may be full
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction act {};
  act.sa_handler = [](int signal) { keep_current(); raise(signal); };
  act.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  for (const int signal : {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_DFL) sigaction(signal, &act, nullptr);  // else a sanitizer tells what happened, then aborts
  }
}

static void attempt(input bytes) {
  current = std::move(bytes);
  alarm(patience_s);
  LLVMFuzzerTestOneInput(current.data(), current.size());
}

static input mutate(input bytes, std::mt19937_64& random) {
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    switch (random() % 4) {
      case 0:
        if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1u << (random() % 8));
        break;
      case 1: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random())); break;
      case 2:
        if (!bytes.empty()) bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      default: bytes.resize(at); break;
    }
  }
  return bytes;
}

static std::mt19937_64 random_for(const std::filesystem::path& file, std::uint64_t seed) {
  std::string words = std::to_string(seed) + '/' + file.filename().string();
  std::seed_seq mixed(words.begin(), words.end());
  return std::mt19937_64(mixed);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " CORPUS-DIRECTORY [MUTATIONS-PER-FILE [SEED]]\n";
    return 2;
  }
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 200;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  failed = std::filesystem::absolute(std::filesystem::path(argv[0]).filename()).string() + ".failed";
  keep_what_kills();
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.insert(entry.path());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const input whole((std::istreambuf_iterator<char>(in)), {});
    auto random = random_for(file, seed);
    attempt(whole);
    for (int i = 0; i < mutations; ++i) attempt(mutate(whole, random));
  }
  if (files.empty()) {
    std::cerr << argv[0] << ": no corpus in " << argv[1] << "\n";
    return 1;
  }
  std::cout << files.size() << " corpus files, " << mutations << " mutations each\n";
}
