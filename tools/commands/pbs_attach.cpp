// pbs_attach: makes a session on this host a task of a job (pbs guide: pbs_attach).
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/client/options.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/task_manager.hpp"
#include "tools/client/without_effect.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr option options[] = {
    {'j', "jobid", "the job; PBS_JOBID of the environment if none is given"},
    {'m', "port", "no effect: the MoM is found by its home"},
    {'p', "pid", "the session of this process, instead of one with a command"},
    {'P', nullptr, "also the session of the process that called pbs_attach"},
    {'s', nullptr, "the command has a new session"},
};
constexpr command pbs_attach = {"pbs_attach",
                                "usage: pbs_attach [-j jobid] [-m port] -p pid\n"
                                "usage: pbs_attach [-j jobid] [-m port] [-P] [-s] cmd [arg1 ...]\n"
                                "usage: pbs_attach --version\n",
                                options, true};

constexpr std::uint32_t of_a_job = 17008;  // TM_ESESSION

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<pid_t> pid_of(const std::string& text) {
  pid_t pid = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (bad != std::errc() || end != text.data() + text.size() || pid <= 0) return {};
  return pid;
}

void attach(const std::string& job, pid_t pid) {
  auto mom = task_manager::connect();
  // The cookie is the job's of the environment, which may be another one.
  const auto cookie = job == variable("PBS_JOBID") ? variable("PBS_JOBCOOKIE") : "";
  mom.answer(mom.ask([&](schema::TmRequest::Builder r) {
    auto a = r.initAttach();
    a.setJob(job);
    a.setCookie(cookie);
    a.setPid(pid);
  }));
}

// A command in a session that belongs to a job already is a part of it as it is.
void attach_or_stay(const std::string& job, pid_t pid) {
  try {
    attach(job, pid);
  } catch (const tm_failure& f) {
    if (f.code != of_a_job) throw;
  }
}

// A leader of a process group can't begin a session: then a child does, and its exit status is ours.
void begin_session() {
  if (setsid() >= 0) return;
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (child == 0) {
    setsid();
    return;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

int run(const command_line& line, const std::string& job) {
  if (const auto* given = line.find('p')) {
    const auto pid = pid_of(*given);
    if (!pid) throw std::runtime_error("no process id: " + *given);
    attach(job, *pid);
    return 0;
  }
  const pid_t caller = getppid();
  if (line.has('s')) begin_session();
  attach_or_stay(job, getpid());
  if (line.has('P') && getsid(caller) != getsid(0)) attach_or_stay(job, caller);
  auto words = line.words;
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  print_error("pbs_attach: %s: %s\n", argv[0], std::strerror(errno));
  return errno == ENOENT ? 127 : 126;
}

int wrong(const command_line& line, const char* why) {
  for (const auto& p : line.problems) print_error("%s\n", p.c_str());
  if (why) print_error("%s\n", why);
  return usage(pbs_attach);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--version"} || arguments == std::vector<std::string>{"--help"})
    (void)parse_options_or_exit(pbs_attach, argc, argv);
  const auto line = parse_options(pbs_attach, arguments);
  if (line.words.empty() && !line.has('p')) return wrong(line, "must specify pid or command");
  if (!line.problems.empty() || (!line.words.empty() && line.has('p'))) return wrong(line, nullptr);
  const auto job = line.has('j') ? *line.find('j') : variable("PBS_JOBID");
  if (job.empty()) return wrong(line, "no job: -j is not given and PBS_JOBID is not set");
  warn_of_options_without_effect(pbs_attach, line);
  try {
    return run(line, job);
  } catch (const std::exception& e) {
    print_error("pbs_attach: %s\n", e.what());
    return 1;
  }
}
