#include "tools/daemons/real_mailers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "actors/runtime/owned_path.hpp"
#include "actors/server/mail_limits.hpp"
#include "events/log/log_mark.hpp"

namespace annals::daemons {

namespace {

// The shell that becomes the mailer takes the mail's file away first: with the lock on it, which is its input, that tells a server
// that was killed and comes back whether the mail went out.
constexpr const char* begin_script = "rm -f -- \"$0\" || exit 125; unset PWD OLDPWD SHLVL; exec \"$@\"";
constexpr int not_removed = 125, not_executable = 126, not_found = 127;  // sh(1)

class spawn_setup {
 public:
  spawn_setup(int in, const std::string& directory) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&files, directory.c_str());
    posix_spawnattr_init(&how);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_setup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
  }
  spawn_setup(const spawn_setup&) = delete;
  spawn_setup& operator=(const spawn_setup&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
};

// errno of what could not be done; 0: it runs.
int spawn_mailer(const projections::mail& m, const std::string& file, const std::string& directory, pid_t& pid) {
  const int in = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (in < 0) return errno;
  int error = flock(in, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error == 0) {
    const spawn_setup setup(in, directory);
    const char* path = std::getenv("PATH");
    std::string environment = std::string("PATH=") + (path ? path : "/usr/sbin:/usr/bin:/sbin:/bin");
    char* variables[] = {environment.data(), nullptr};
    const char* argv[] = {"sh", "-c", begin_script, file.c_str(), m.mailer.c_str(),
                          "-f", m.from.c_str(), m.to.c_str(), nullptr};
    error = posix_spawn(&pid, "/bin/sh", &setup.files, &setup.how, const_cast<char**>(argv), variables);
  }
  close(in);
  return error;
}

// It runs with the server's rights.
std::string why_not_run(const projections::mail& m) {
  if (!m.mailer_by.empty()) return "it was set by " + m.mailer_by + ", who is not root; let root set it again";
  struct stat found {};
  if (m.mailer.starts_with('/') && stat(m.mailer.c_str(), &found) != 0 && errno == ENOENT) return "not found";
  if (m.from.starts_with('-')) return "the sender " + m.from + " would be an option";
  return actors::why_not_owned(m.mailer, actors::owned_as::program);
}

std::string why_not_taken(const projections::mail& m, int status) {
  const std::string mailer = m.mailer + " for " + m.about + ": ";
  if (WIFSIGNALED(status)) return mailer + "ended by signal " + std::to_string(WTERMSIG(status));
  switch (const int code = WEXITSTATUS(status)) {
    case 0: return {};
    case not_removed: return mailer + "cannot remove the file of the mail";
    case not_executable: return mailer + "cannot be executed";
    case not_found: return mailer + "not found";
    default: return mailer + "exit status " + std::to_string(code);
  }
}

}  // namespace

real_mailers::real_mailers(std::string directory, std::chrono::milliseconds patience)
    : directory_(std::move(directory)), patience_(patience), wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_fd_ < 0) throw std::runtime_error(std::string("eventfd: ") + std::strerror(errno));
  watcher_ = std::thread([this] { watch(); });
}

real_mailers::~real_mailers() {
  {
    const std::lock_guard held(guard_);
    stops_ = true;
  }
  wake();
  watcher_.join();
  for (const auto& c : children_) close(c.pidfd);
  close(wake_fd_);
}

void real_mailers::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_fd_, &one, sizeof one);
}

void real_mailers::begin(const projections::mail& m, const std::string& file, std::function<void(std::string why)> over) {
  {
    const std::lock_guard held(guard_);
    ordered_.push_back({m, file, std::move(over)});
  }
  wake();
}

void real_mailers::start(order o) {
  const auto about = o.what.mailer + " for " + o.what.about + ": ";
  if (auto why = why_not_run(o.what); !why.empty()) {
    std::remove(o.file.c_str());  // it is not owed any more
    return o.over(about + why);
  }
  child c{std::move(o), 0, -1, steady::now() + patience_};
  if (const int error = spawn_mailer(c.of.what, c.of.file, directory_, c.pid))
    return c.of.over(about + "not started: " + std::strerror(error));
  c.pidfd = static_cast<int>(syscall(SYS_pidfd_open, c.pid, 0));
  children_.push_back(std::move(c));
}

// A child that could not be watched is waited for when its time is over.
void real_mailers::look_after(child& c, bool ended) {
  if (!ended && !c.killed && steady::now() >= c.until) {
    kill(-c.pid, SIGKILL);
    c.killed = true;
    ended = c.pidfd < 0;
  }
  if (!ended) return;
  int status = 0;
  while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) {}
  if (c.pidfd >= 0) close(c.pidfd);
  c.pid = 0;
  c.of.over(c.killed ? c.of.what.mailer + " for " + c.of.what.about + ": killed, it took more than " +
                           std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience_).count()) + " s"
                     : why_not_taken(c.of.what, status));
}

void real_mailers::watch() {
  for (;;) {
    std::vector<pollfd> ready{{wake_fd_, POLLIN, 0}};
    int wait_ms = -1;
    for (const auto& c : children_) {
      ready.push_back({c.pidfd, POLLIN, 0});
      if (c.killed) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(c.until - steady::now()).count();
      const int ms = static_cast<int>(std::max<std::int64_t>(0, left));
      wait_ms = wait_ms < 0 ? ms : std::min(wait_ms, ms);
    }
    if (poll(ready.data(), ready.size(), wait_ms) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < children_.size(); ++i) look_after(children_[i], ready[i + 1].revents != 0);
    std::erase_if(children_, [](const child& c) { return c.pid == 0; });
    std::uint64_t count = 0;
    [[maybe_unused]] const auto read_bytes = read(wake_fd_, &count, sizeof count);
    std::vector<order> fresh;
    {
      const std::lock_guard held(guard_);
      if (stops_) return;
      fresh.swap(ordered_);
    }
    for (auto& o : fresh) start(std::move(o));
  }
}

std::shared_ptr<actors::mail_follower> make_server_mail(const std::string& priv, const std::string& log, const ports::record_log& store,
                                                        std::function<void(const std::string&)> note) {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return actors::make_mail({.directory = priv + "/mail",
                            .log = annals::log::hex(log),
                            .boot = boot.empty() ? "unknown" : boot,
                            .store = &store,
                            .programs = std::make_shared<real_mailers>(priv, actors::mail_limits::mailer_time),
                            .note = std::move(note)});
}

}  // namespace annals::daemons
