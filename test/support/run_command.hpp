// Runs a program to its end and keeps what it wrote: for tests of the commands.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

inline std::string slurp_and_remove(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::remove(path.c_str());
  return text;
}

inline ran run(const std::vector<std::string>& words, const run_options& how = {}) {
  char name[] = "/tmp/annals_run_XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
  const std::string base = name;
  std::ofstream(base + "/in", std::ios::binary) << how.input;
  const pid_t child = fork();
  if (child == 0) {
    // dup2, not freopen: the test's own unwritten output must not be written by the child too.
    if (dup2(open((base + "/in").c_str(), O_RDONLY), 0) < 0 ||
        dup2(open((base + "/out").c_str(), O_WRONLY | O_CREAT, 0600), 1) < 0 ||
        dup2(open((base + "/err").c_str(), O_WRONLY | O_CREAT, 0600), 2) < 0) {
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
  if (how.meanwhile) how.meanwhile(child);
  int status = 0;
  waitpid(child, &status, 0);
  ran out;
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  out.out = slurp_and_remove(base + "/out");
  out.err = slurp_and_remove(base + "/err");
  std::remove((base + "/in").c_str());
  rmdir(base.c_str());
  return out;
}

}  // namespace annals::test
