#include "hooks-runtime/pool/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "hooks-runtime/worker/process_tree.hpp"

namespace annals::hooks {
namespace {

constexpr int worker_socket = 3;  // its number in the worker

int pidfd_of(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

// A hook's environment is the same wherever its daemon was started from. Programs of PBS that it starts read the daemon's pbs.conf.
std::vector<std::string> environment() {
  const char* conf = std::getenv("PBS_CONF_FILE");
  std::vector<std::string> out{std::string("PBS_CONF_FILE=") + (conf && *conf ? conf : "/etc/pbs.conf"),
                               "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/"};
  if (const char* zone = std::getenv("TZ")) out.push_back(std::string("TZ=") + zone);
  return out;
}

int spawned(const std::string& program, const std::string& scratch, int socket, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, 0, 1);
  ::posix_spawn_file_actions_adddup2(&actions, 0, 2);
  ::posix_spawn_file_actions_adddup2(&actions, socket, worker_socket);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  auto variables = environment();
  std::vector<char*> env;
  for (auto& v : variables) env.push_back(v.data());
  env.push_back(nullptr);
  std::string name = "pbs_hook_worker", directory = scratch;
  char* argv[] = {name.data(), scratch.empty() ? nullptr : directory.data(), nullptr};
  const int failed = ::posix_spawn(pid, program.c_str(), &actions, &attributes, argv, env.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return failed;
}

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

worker_process::worker_process(const std::string& program, const std::string& scratch) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) < 0) {
    why_ = std::string("socketpair: ") + std::strerror(errno);
    return;
  }
  // The worker reads and writes in turn and blocks; this end never does.
  ::fcntl(ends[1], F_SETFL, 0);
  const int failed = spawned(program, scratch, ends[1], &pid_);
  ::close(ends[1]);
  socket_ = ends[0];
  if (failed) {
    pid_ = -1;
    why_ = program + ": " + std::strerror(failed);
    return;
  }
  pidfd_ = pidfd_of(pid_);
}

worker_process::~worker_process() {
  if (is_running() && !reaped_) {
    ask_to_end();
    for (pollfd ended{pidfd_, POLLIN, 0}; ::poll(&ended, 1, guard_patience_ms) <= 0;) insist();
    reaped();
  }
  if (socket_ >= 0) ::close(socket_);
  if (pidfd_ >= 0) ::close(pidfd_);
}

void worker_process::send(std::string frame) {
  if (out_.empty()) out_ = std::move(frame);
  else out_ += frame;
  write_some();  // what the socket does not take now goes out when it is writable; a dead peer is noticed when reading
}

worker_process::io worker_process::write_some() {
  while (out_at_ < out_.size()) {
    const ssize_t n = ::send(socket_, out_.data() + out_at_, out_.size() - out_at_, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? io::good : io::closed;
    out_at_ += static_cast<std::size_t>(n);
  }
  out_.clear();
  out_at_ = 0;
  return io::good;
}

worker_process::io worker_process::read_some(frame_reader& into) {
  std::array<std::byte, 64 * 1024> buffer;
  // One read per turn: a worker that floods the pipe must not keep the pool from the others.
  const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (n < 0) return errno == EAGAIN || errno == EINTR ? io::good : io::closed;
  if (n == 0) return io::closed;
  into.feed(std::span(buffer.data(), static_cast<std::size_t>(n)));
  return io::good;
}

void worker_process::ask_to_end() {
  if (is_running() && !reaped_) ::kill(pid_, SIGTERM);
}

// A guard without its tree could not be told from one that has let it go: the tree is killed first, whoever hinders the
// guard (a busy machine, a script that stops it). Its last deeds are its own: the scratch directory goes, and its status tells how the
// interpreter ended.
void worker_process::insist() {
  if (!is_running() || reaped_) return;
  const auto tree = tree_below(pid_);
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
  ::kill(pid_, tree.empty() && ++insisted_ > insisted_max ? SIGKILL : SIGCONT);
}

std::string worker_process::reaped() {
  int status = 0;
  reaped_ = true;
  if (::waitpid(pid_, &status, 0) != pid_) return "the hook's process is gone";
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code > 128)
    return "the hook's process was killed by signal " + std::to_string(code - 128) + " (" + ::strsignal(code - 128) +
           ")";
  return "the hook's process ended itself with exit status " + std::to_string(code);
}

bool worker_process::has_leftovers() const {
  const std::string guard = "/proc/" + std::to_string(pid_);
  const std::string below = first_line(guard + "/task/" + std::to_string(pid_) + "/children");
  const auto end = below.find(' ');
  const std::string interpreter = below.substr(0, end);
  if (interpreter.empty() || below.find_first_not_of(' ', std::min(end, below.size())) != std::string::npos)
    return true;
  struct stat tasks {};
  // A directory of n others has n + 2 links.
  if (::stat(("/proc/" + interpreter + "/task").c_str(), &tasks) != 0 || tasks.st_nlink != 3) return true;
  return !first_line("/proc/" + interpreter + "/task/" + interpreter + "/children").empty();
}

}  // namespace annals::hooks
