#include "tools/daemons/daemon_process.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace annals::daemons {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGHUP, SIGTERM, SIGINT, SIGUSR2}) sigaddset(&set, s);  // USR2: the watch itself is to end
  return set;
}

}  // namespace

background::background(bool stay) {
  if (stay) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    close(ends[0]);
    setsid();
    pipe_ = ends[1];
    return;
  }
  close(ends[1]);
  char word = 0;
  ssize_t n;
  do n = read(ends[0], &word, 1);
  while (n < 0 && errno == EINTR);
  _exit(n == 1 ? 0 : 1);
}

void background::ready(const std::string& output) {
  if (pipe_ < 0) return;
  const int in = open("/dev/null", O_RDONLY), out = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (in < 0 || out < 0) fail(output);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  close(in);
  close(out);
  const ssize_t told = write(pipe_, "r", 1);
  (void)told;  // a parent that is gone needs no word
  close(std::exchange(pipe_, -1));
}

namespace {

// A process that was killed keeps its locks until the kernel has taken its memory apart, which may last; it has no program then.
constexpr std::chrono::seconds patience_with_the_living{1}, patience_with_the_dead{30};
constexpr std::chrono::milliseconds lock_pause{10};

// Whose pid stands in the file. Who has not written it yet lives, and so does whom this process may not look at.
bool holder_lives(int fd) {
  char pid[24] = "", program[1];
  if (pread(fd, pid, sizeof pid - 1, 0) <= 0) return true;
  const auto link = "/proc/" + std::to_string(std::strtol(pid, nullptr, 10)) + "/exe";
  return readlink(link.c_str(), program, sizeof program) >= 0 || errno != ENOENT;
}

bool take_lock(int fd) {
  const auto since = std::chrono::steady_clock::now();
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return false;
    const auto waited = std::chrono::steady_clock::now() - since;
    if (waited > patience_with_the_dead || (waited > patience_with_the_living && holder_lives(fd))) return errno = EWOULDBLOCK, false;
    std::this_thread::sleep_for(lock_pause);
  }
  return true;
}

}  // namespace

lock_file::lock_file(const std::string& path, mode_t mode, const std::string& running, at_end then) : then_(then) {
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode);
  if (fd_ < 0) fail(path);
  if (!take_lock(fd_)) {
    const int why = errno;
    close(fd_);
    errno = why;
    if (why == EWOULDBLOCK) throw std::runtime_error(running);
    fail(path);
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd_, 0) != 0 || pwrite(fd_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) fail(path);
}

lock_file::~lock_file() {
  if (then_ == at_end::emptied) (void)!ftruncate(fd_, 0);
  close(fd_);
}

signal_watch::signal_watch(std::function<void(int)> told) : told_(std::move(told)) {
  signal(SIGPIPE, SIG_IGN);
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this, set] {
    for (int s = 0; sigwait(&set, &s) == 0 && s != SIGUSR2;) told_(s);
  });
}

signal_watch::~signal_watch() {
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void raise_open_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  setenv("ANNALS_OPEN_FILES", std::to_string(files.rlim_cur).c_str(), 1);
  files.rlim_cur = files.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace annals::daemons
