#include "actors/mom/shepherd/launch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace annals::shepherd {
namespace {

// The system call itself: C libraries disagree about the type of `resource`.
int prlimit_of_ours(int resource, const rlimit* set, rlimit* get) {
  return static_cast<int>(syscall(SYS_prlimit64, 0, resource, set, get));
}

bool limit(int resource, std::uint64_t value) {
  rlimit r{value, value};
  if (prlimit_of_ours(resource, &r, nullptr) == 0) return true;
  // An ordinary user's MoM can't raise what it was given: the job gets as much as there is.
  const bool not_allowed = errno == EPERM;
  rlimit now{};
  prlimit_of_ours(resource, nullptr, &now);
  r = {now.rlim_max, now.rlim_max};
  return not_allowed && prlimit_of_ours(resource, &r, nullptr) == 0;
}

bool set_limits(const mom::shepherd_order& o) {
  umask(static_cast<mode_t>(o.umask));
  rlimit core{};
  prlimit_of_ours(RLIMIT_CORE, nullptr, &core);
  core.rlim_cur = 0;
  prlimit_of_ours(RLIMIT_CORE, &core, nullptr);
  if (o.cpu_seconds_max && !limit(RLIMIT_CPU, *o.cpu_seconds_max)) return false;
  if (o.file_bytes_max && !limit(RLIMIT_FSIZE, *o.file_bytes_max)) return false;
  if (o.resident_bytes_max && !limit(RLIMIT_RSS, *o.resident_bytes_max)) return false;
  if (o.address_bytes_max && !limit(RLIMIT_AS, *o.address_bytes_max)) return false;
  return true;
}

void default_signals() {
  signal(SIGPIPE, SIG_DFL);  // the only one we ever ignore; a MoM spawns us with all others at their defaults
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void exec_failed(const char* path) {
  char text[4352];
  const int n = snprintf(text, sizeof text, "pbs_mom, exec of %s failed with error: %s\n", path, strerror(errno));
  [[maybe_unused]] const auto written = write(2, text,
                                              n < 0                                       ? 0
                                              : static_cast<std::size_t>(n) < sizeof text ? static_cast<std::size_t>(n)
                                                                                          : sizeof text - 1);
  _exit(254);
}

// Moves the three descriptors to 0, 1 and 2. They are above 2, so that none is overwritten before it was moved.
bool place_descriptors(const program& p) { return dup2(p.in, 0) >= 0 && dup2(p.out, 1) >= 0 && dup2(p.err, 2) >= 0; }

// While we are root, and before there is anything that could start a process elsewhere.
int enter_cgroups(const std::vector<int>& doors) {
  int error = 0;
  for (const int door : doors)
    if (write(door, "0", 1) < 0) error = errno;
  return error;
}

[[noreturn]] void child(const program& p, volatile launched& result) {
  const auto failed = [&](const char* step) {
    result.error = errno;
    result.step = step;
    _exit(1);
  };
  if (p.own_session) setsid();
  result.outside = enter_cgroups(p.cgroup_doors);
  if (p.limits && !set_limits(*p.limits)) failed("limits");
  if (!become(p.who)) failed("user and groups");
  // As the user, who may not ask for a lower one than ours; the job runs all the same.
  if (p.limits && p.limits->nice) setpriority(PRIO_PROCESS, 0, *p.limits->nice);
  if (chdir(p.directory) != 0) failed("directory");
  if (!place_descriptors(p)) failed("descriptors");
  for (const int fd : p.keep) fcntl(fd, F_SETFD, 0);
  default_signals();
  execve(p.path, p.argv.data(), p.envp.data());
  exec_failed(p.path);
}

}  // namespace

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& t : texts) out.push_back(const_cast<char*>(t.c_str()));
  out.push_back(nullptr);
  return out;
}

launched launch(const program& p) {
  // The child shares our memory until it executes or exits, and we stand still: it can tell us what failed.
  volatile launched result;
  const pid_t pid = vfork();
  if (pid == 0) child(p, result);
  launched told;
  told.pid = pid;
  told.outside = result.outside;
  if (pid < 0) {
    told.step = "fork";
    told.error = errno;
  } else if (result.step) {
    told.pid = -1;
    told.step = result.step;
    told.error = result.error;
  }
  return told;
}

}  // namespace annals::shepherd
