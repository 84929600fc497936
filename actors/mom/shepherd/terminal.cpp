#include "actors/mom/shepherd/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "actors/mom/shepherd/launch.hpp"

namespace annals::shepherd {
namespace {

// A terminal belongs to who makes it.
int make_terminal(const identity& who, terminal& made) {
  const acting_as user(who);
  if (!user.good()) return -1;
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[64];
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof name) != 0) return -1;
  made.name = name;
  made.program_end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  made.our_end = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  return made.program_end < 0 || made.our_end < 0 ? -1 : master;
}

// What lets it speak as a command of the job, to the MoM that has the node file.
std::vector<std::string> environment_of_owner(const mom::shepherd_order& order) {
  std::vector<std::string> chosen;
  for (const auto& entry : order.environment)
    for (const char* name : {"PBS_JOBID=", "PBS_JOBCOOKIE=", "PBS_NODEFILE="})
      if (entry.compare(0, std::strlen(name), name) == 0) chosen.push_back(entry);
  return chosen;
}

// A child of our child, which ends at once: whoever takes in orphans has it then.
bool start_owner(const mom::shepherd_order& order, const identity& who, int master, int go) {
  const std::vector<std::string> arguments{"pbs_terminal", "serve", std::to_string(master), std::to_string(go)};
  const auto environment = environment_of_owner(order);
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const pid_t between = fork();
  if (between == 0) {
    program p;
    p.path = order.terminal.c_str();
    p.argv = pointers(arguments);
    p.envp = pointers(environment);
    p.directory = "/";
    p.in = p.out = p.err = nowhere;
    p.keep = {master, go};
    p.who = who;
    _exit(launch(p).pid < 0 ? 1 : 0);
  }
  close(nowhere);
  int status = 1;
  while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR) {}
  return between > 0 && status == 0;
}

}  // namespace

bool open_terminal(const mom::shepherd_order& order, const identity& who, terminal& made, std::string& wrong) {
  int ends[2];
  const int master = make_terminal(who, made);
  if (master < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    wrong = std::string("can't make a terminal: ") + strerror(errno);
    return false;
  }
  made.go = ends[0];
  const bool started = start_owner(order, who, master, ends[1]);
  close(master);
  close(ends[1]);
  if (!started) wrong = "can't start " + order.terminal;
  return started;
}

}  // namespace annals::shepherd
