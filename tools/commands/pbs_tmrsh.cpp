// pbs_tmrsh: runs a command on a host of the job, as rsh would: its output and its exit status come back. What MPI launchers
// use in the place of ssh (pbs guide: pbs_tmrsh).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tools/client/task_manager.hpp"
#include "tools/client/task_signals.hpp"
#include "tools/client/version.hpp"

namespace {

using namespace annals;

constexpr int failed = 255;  // rsh's own failures

int usage() {
  std::fputs(
      "usage: pbs_tmrsh [-n][-l username] host [-n][-l username] command\n"
      "       pbs_tmrsh --version\n",
      stderr);
  return failed;
}

struct call {
  std::string user, host, command;
};

// Options may stand before the host and after it; what follows the first other word is the command, whatever it looks like.
bool read(const std::vector<std::string>& words, call& c) {
  std::size_t at = 0;
  const auto options = [&] {
    for (; at < words.size() && words[at].starts_with('-') && words[at].size() > 1; ++at) {
      const std::string_view word = words[at];
      if (word == "-n" || word == "-x") continue;  // standard input is always empty; -x is Hydra's word to ssh
      if (!word.starts_with("-l")) return false;
      if (word.size() > 2) c.user = word.substr(2);
      else if (++at < words.size()) c.user = words[at];
      else return false;
    }
    return at < words.size();
  };
  if (!options()) return false;
  c.host = words[at++];
  if (!options()) return false;
  for (; at < words.size(); ++at) c.command += (c.command.empty() ? "" : " ") + words[at];
  return true;
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

int exit_status_of(int status) { return status >= 256 ? 128 + (status - 256) % 128 : status & 255; }

// A task of a job is its user's.
bool is_good_user(const std::string& user) {
  return user.empty() || user == variable("PBS_O_LOGNAME", "") || user == variable("USER", "") || user == variable("LOGNAME", "");
}

int run(const call& c) {
  auto mom = client::task_manager::join();
  const auto node = mom.node_of(c.host);
  if (!node) {
    std::fprintf(stderr, "pbs_tmrsh: host \"%s\" is not a node in job <%s>\n", c.host.c_str(), variable("PBS_JOBID", "").c_str());
    return failed;
  }
  client::task_signals signals;
  const auto spawn = mom.ask([&](schema::TmRequest::Builder r) {
    auto s = r.initSpawn();
    s.setNode(*node);
    s.setOutput(true);
    auto argv = s.initArgv(3);
    argv.set(0, variable("SHELL", "/bin/sh"));
    argv.set(1, "-c");
    argv.set(2, c.command);
  });
  const auto task = mom.answer(spawn).get().getSpawned();
  const auto watch = mom.ask([&](schema::TmRequest::Builder r) { r.setWatch(task); });
  while (true) {
    const auto reply = mom.next(-1, signals.mask());
    if (const int signal = signals.taken())
      mom.ask([&](schema::TmRequest::Builder r) {
        r.initSignal().setTask(task);
        r.getSignal().setSignal(signal);
      });
    if (!reply) continue;
    const auto r = reply->get();
    if (r.isOutput()) mom.print(r.getOutput());
    if (r.getQuestion() == watch && r.isOver()) return exit_status_of(r.getOver());
    if (r.getQuestion() == watch && r.isFailed()) throw client::tm_failure(r.getFailed().getCode(), schema::str(r.getFailed().getText()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words == std::vector<std::string>{"--version"}) {
    std::puts(client::version_line().c_str());
    return 0;
  }
  call c;
  const bool complete = read(words, c);
  if (!is_good_user(c.user)) std::fprintf(stderr, "pbs_tmrsh: bad user \"%s\"\n", c.user.c_str());
  if (!complete || !is_good_user(c.user)) return usage();
  try {
    return run(c);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pbs_tmrsh: %s\n", e.what());
    return failed;
  }
}
