// Runs a program to its end and keeps what it wrote: for tests of the commands.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "test/support/temporary_directory.hpp"

namespace annals::test {

struct ran {
  int status = -1;  // exit status; -n when signal n ended it
  std::string out, err;
};

struct run_options {
  std::string input;                                             // standard input
  std::vector<std::pair<std::string, std::string>> environment;  // over the test's own
  std::string directory;                                         // empty: the test's own
  std::function<void(pid_t)> meanwhile;                          // called while the program runs
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// Killed if nobody waits for its end.
class child_of_test {
 public:
  explicit child_of_test(pid_t pid) : pid_(pid) {}
  ~child_of_test() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  child_of_test(const child_of_test&) = delete;
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

inline ran run(const std::vector<std::string>& words, const run_options& how = {}) {
  const temporary_directory files;
  std::ofstream(files.at("in"), std::ios::binary) << how.input;
  const pid_t child = fork();
  if (child == 0) {
    // dup2, not freopen: the test's own unwritten output must not be written by the child too.
    if (dup2(open(files.at("in").c_str(), O_RDONLY), 0) < 0 ||
        dup2(open(files.at("out").c_str(), O_WRONLY | O_CREAT, 0600), 1) < 0 ||
        dup2(open(files.at("err").c_str(), O_WRONLY | O_CREAT, 0600), 2) < 0) {
      _exit(126);
    }
    for (const auto& [key, value] : how.environment) setenv(key.c_str(), value.c_str(), 1);
    if (!how.directory.empty() && chdir(how.directory.c_str()) != 0) _exit(126);
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  child_of_test running(child);
  if (how.meanwhile) how.meanwhile(child);
  const int status = running.wait();
  ran out;
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  out.out = slurp(files.at("out"));
  out.err = slurp(files.at("err"));
  return out;
}

}  // namespace annals::test
