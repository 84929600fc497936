#include "hooks-runtime/worker/guard.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "hooks-runtime/worker/process_tree.hpp"

namespace annals::hooks {
namespace {

unsigned tasks_of(pid_t pid) {
  struct stat tasks {};
  if (::stat(("/proc/" + std::to_string(pid) + "/task").c_str(), &tasks) != 0) return 0;
  return static_cast<unsigned>(tasks.st_nlink) - 2;
}

class guard {
 public:
  guard(pid_t interpreter, int from_child, int signals, const std::string& scratch)
      : interpreter_(interpreter), channel_(from_child), signals_(signals), scratch_(scratch) {}

  [[noreturn]] void watch() {
    for (;;) {
      std::array<pollfd, 3> fds{{{signals_, POLLIN, 0}, {channel_, POLLIN, 0}, {listener_, POLLIN, 0}}};
      if (::poll(fds.data(), fds.size(), -1) < 0) continue;
      if (fds[0].revents) on_signal();
      if (fds[1].revents) take_listener();
      if (fds[2].revents & POLLIN) on_new_process();
      if (fds[2].revents & (POLLHUP | POLLERR)) listener_ = -1;
    }
  }

 private:
  void on_signal() {
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo == SIGTERM) kill_all();
    reap();
  }

  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
      if (pid == interpreter_) {
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        kill_all();
      }
  }

  // Stops them first: a process that stands still starts no others. What was started meanwhile is found in the next
  // round, and the number of them is bounded (on_new_process).
  [[noreturn]] void kill_all() {
    if (listener_ >= 0) ::close(listener_);  // from now on nobody can start a process: the kernel answers ENOSYS
    listener_ = -1;
    for (;;) {
      const auto tree = tree_below(::getpid());
      for (const pid_t pid : tree) ::kill(pid, SIGSTOP);
      for (const pid_t pid : tree) ::kill(pid, SIGKILL);
      int status = 0;
      const pid_t gone = ::waitpid(-1, &status, 0);
      if (gone < 0 && errno == ECHILD) end();
      if (gone == interpreter_ && code_ == 128 + SIGKILL)
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }

  // Nobody is left who could write there.
  [[noreturn]] void end() {
    std::error_code ignored;
    if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
    ::_exit(code_);
  }

  void take_listener() {
    unsigned limit = 0;
    iovec data{&limit, sizeof limit};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t n = ::recvmsg(channel_, &message, MSG_CMSG_CLOEXEC);
    if (const cmsghdr* head = CMSG_FIRSTHDR(&message); n == sizeof limit && head && head->cmsg_type == SCM_RIGHTS) {
      std::memcpy(&listener_, CMSG_DATA(head), sizeof listener_);
      processes_max_ = limit;
      const char ready = 1;
      [[maybe_unused]] const auto said = ::write(channel_, &ready, 1);
      return;  // the channel stays open: its end says nothing new
    }
    ::close(channel_);
    channel_ = -1;
  }

  // Somebody of the tree wants to start a process or a thread.
  void on_new_process() {
    seccomp_notif asked{};
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0) return;
    if (++started_ >= processes_max_) {  // started, not alive: counted anew only when it matters
      const auto tree = tree_below(::getpid());
      started_ = 1;
      for (const pid_t pid : tree) started_ += tasks_of(pid);
    }
    seccomp_notif_resp answer{};
    answer.id = asked.id;
    if (started_ > processes_max_)
      answer.error = -EAGAIN;
    else
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }

  pid_t interpreter_;
  int channel_, signals_, listener_ = -1;
  unsigned processes_max_ = 0, started_ = 1;
  int code_ = 128 + SIGKILL;
  std::string scratch_;
};

}  // namespace

int stand_guard(const std::string& where, scratch_directory& scratch) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // The pool's thread starts the workers: when it is gone, so is the daemon.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::array<int, 2> channel{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) < 0) return -1;
  sigset_t wanted, before;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &wanted, &before);
  scratch = make_scratch(where);  // from here on whoever ends this process waits until the guard can remove it
  const pid_t child = ::fork();
  if (child < 0) {
    if (!scratch.path.empty()) ::rmdir(scratch.path.c_str());
    return -1;
  }
  if (child == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(channel[0]);
    // A group of its own: a script that signals its group meets neither guard nor daemon.
    ::setpgid(0, 0);
    return channel[1];
  }
  ::close(channel[1]);
  const int signals = ::signalfd(-1, &wanted, SFD_CLOEXEC);
  ::close(3);  // the interpreter's pipe: only the interpreter may keep it open
  guard(child, channel[0], signals, scratch.path).watch();
}

bool hand_over(int to_guard, int listener, unsigned processes_max) {
  iovec data{&processes_max, sizeof processes_max};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &listener, sizeof listener);
  if (::sendmsg(to_guard, &message, MSG_NOSIGNAL) != sizeof processes_max) return false;
  char ready = 0;
  return ::read(to_guard, &ready, 1) == 1;
}

}  // namespace annals::hooks
