// pbs_task_input: the two ends of the input of a task that pbs_tmrsh starts (tools/client/task_input.hpp).
//   take NODE DOOR PROGRAM ARGUMENT...   the task: runs the program, whose input is the output of `give DOOR` on NODE, and ends as it does
//   give DOOR                            writes the input behind the door to standard output
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/client/task_input.hpp"
#include "tools/client/task_manager.hpp"

namespace {

using namespace annals;
using namespace annals::client;

constexpr int failed = 255;  // as pbs_tmrsh

void wait_for(int fd, short what) {
  pollfd p{fd, what, 0};
  ::poll(&p, 1, -1);
}

// True: try again.
bool may_come(int fd, short what) {
  if (errno == EAGAIN || errno == EWOULDBLOCK) wait_for(fd, what);
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int give(const std::string& door) {
  const auto input = fetch_input(door);
  std::array<char, 65536> buffer{};
  while (true) {
    const auto size = ::read(input.get(), buffer.data(), buffer.size());
    if (size == 0) return 0;
    if (size < 0 && may_come(input.get(), POLLIN)) continue;
    if (size < 0) throw std::runtime_error(std::string("reading: ") + std::strerror(errno));
    for (ssize_t written = 0; written < size;) {
      const auto n = ::write(1, buffer.data() + written, static_cast<std::size_t>(size - written));
      if (n > 0) written += n;
      if (n < 0 && !may_come(1, POLLOUT)) throw std::runtime_error(std::string("keeping it: ") + std::strerror(errno));
    }
  }
}

// The program and the pipe to it. Signals of the task reach the program by themselves: they are blocked here.
class program {
 public:
  explicit program(std::vector<char*> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
    wire::unique_fd out(ends[0]);
    in_ = wire::unique_fd(ends[1]);
    ::fcntl(in_.get(), F_SETFL, O_NONBLOCK);
    sigset_t all, before;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, &before);
    pid_ = ::fork();
    if (pid_ >= 0) ::setpgid(pid_, 0);  // in both, so that it is done for both
    if (pid_ == 0) {
      ::dup2(out.get(), 0);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      words.push_back(nullptr);
      ::execvp(words.front(), words.data());
      std::fprintf(stderr, "pbs_tmrsh: %s: %s\n", words.front(), std::strerror(errno));
      ::_exit(254);
    }
    if (pid_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    end_ = wire::unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!end_) throw std::runtime_error(std::string("pidfd_open: ") + std::strerror(errno));
  }

  bool reads() const { return static_cast<bool>(in_); }
  int input() const { return in_.get(); }
  int end() const { return end_.get(); }  // readable when it has ended
  void end_input() { in_ = wire::unique_fd(); }
  void kill() { ::kill(-pid_, SIGKILL); }  // with all it has begun

  // Takes away what it reads now. It may have closed its input.
  void write(std::string& bytes) {
    const auto n = ::write(in_.get(), bytes.data(), bytes.size());
    if (n > 0) bytes.erase(0, static_cast<std::size_t>(n));
    if (n < 0 && errno == EPIPE) end_input();
  }

  // Ends this process as it has ended.
  [[noreturn]] void follow() const {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
    ::prctl(PR_SET_DUMPABLE, 0);
    sigset_t same;
    sigemptyset(&same);
    sigaddset(&same, WTERMSIG(status));
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
    ::sigprocmask(SIG_UNBLOCK, &same, nullptr);
    ::_exit(128 + WTERMSIG(status));
  }

 private:
  pid_t pid_ = -1;
  wire::unique_fd in_, end_;
};

class taker {
 public:
  taker(std::uint32_t node, const std::string& door, std::vector<char*> words)
      : mom_(task_manager::join()), giver_(spawn(node, door)), program_(std::move(words)) {
    watch_ = mom_.ask([&](schema::TmRequest::Builder r) { r.setWatch(giver_); });
  }

  [[noreturn]] void run() {
    try {
      while (step()) {}
    } catch (const std::exception& e) {
      if (ended_) program_.follow();
      std::fprintf(stderr, "pbs_tmrsh: the input of the program is not whole, it is killed: %s\n", e.what());
      program_.kill();
      ::_exit(failed);
    }
    program_.follow();
  }

 private:
  std::uint32_t spawn(std::uint32_t node, const std::string& door) {
    std::array<char, 4096> self{};
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) throw std::runtime_error("/proc/self/exe can't be read");
    return mom_
        .answer(mom_.ask([&](schema::TmRequest::Builder r) {
          auto s = r.initSpawn();
          s.setNode(node);
          s.setOutput(true);
          auto argv = s.initArgv(3);
          argv.set(0, self.data());
          argv.set(1, "give");
          argv.set(2, door);
        }))
        .get()
        .getSpawned();
  }

  // False: the program has ended, and nothing of the input is left that would go into the job's output.
  bool step() {
    while (const auto reply = mom_.next(0)) take(reply->get());
    if (ended_ && over_) return false;
    std::array<pollfd, 3> p{{{mom_.descriptor(), POLLIN, 0}, {ended_ ? -1 : program_.end(), POLLIN, 0}, {-1, POLLOUT, 0}}};
    if (program_.reads() && !kept_.empty()) p[2].fd = program_.input();
    ::poll(p.data(), p.size(), -1);
    if (p[1].revents) {
      ended_ = true;
      refuse_more();
    } else if (p[2].revents) {
      hand_on();
    }
    return true;
  }

  void hand_on() {
    program_.write(kept_);
    if (!program_.reads()) refuse_more();
    else if (kept_.empty()) taken();
  }

  // What comes is dropped from now on.
  void refuse_more() {
    program_.end_input();
    const bool owing = !std::exchange(kept_, {}).empty();
    if (over_) return;
    mom_.ask([&](schema::TmRequest::Builder r) {
      r.initSignal().setTask(giver_);
      r.getSignal().setSignal(SIGKILL);
    });
    if (owing) taken();
  }

  void take(schema::TmReply::Reader r) {
    if (r.isOutput() && r.getOutput().getErrors()) return mom_.print(r.getOutput());
    if (r.isOutput()) return take_piece(r.getOutput());
    if (r.getQuestion() != watch_) return;
    if (r.isFailed()) throw tm_failure(r.getFailed().getCode(), schema::str(r.getFailed().getText()));
    if (!r.isOver()) return;
    over_ = true;  // after its last piece was taken
    if (program_.reads() && r.getOver() != 0) throw std::runtime_error("exit status " + std::to_string(r.getOver()));
    program_.end_input();
  }

  // A piece whose acknowledgement was late comes again.
  void take_piece(schema::TmOutput::Reader piece) {
    const auto bytes = piece.getBytes();
    const auto offset = piece.getOffset(), end = offset + bytes.size();
    if (end > so_far_) {
      const auto known = so_far_ > offset ? so_far_ - offset : 0;
      if (program_.reads()) kept_.append(reinterpret_cast<const char*>(bytes.begin()) + known, bytes.size() - known);
      so_far_ = end;
    }
    if (kept_.empty()) taken();
  }

  void taken() {
    mom_.ask([&](schema::TmRequest::Builder r) {
      auto t = r.initOutputTaken();
      t.setTask(giver_);
      t.setUpTo(so_far_);
    });
  }

  task_manager mom_;
  std::uint32_t giver_;
  program program_;
  std::uint64_t watch_ = 0, so_far_ = 0;
  std::string kept_;                   // not written to the program yet
  bool over_ = false, ended_ = false;  // the input; the program
};

int run(const std::vector<char*>& words) {
  const std::string_view what = words.empty() ? "" : words.front();
  if (what == "give" && words.size() == 2) return give(words[1]);
  std::uint32_t node = 0;
  const std::string_view number = words.size() > 3 ? words[1] : "";
  const auto read = std::from_chars(number.data(), number.data() + number.size(), node);
  if (what == "take" && read.ec == std::errc() && read.ptr == number.data() + number.size())
    taker(node, words[2], {words.begin() + 3, words.end()}).run();
  std::fputs("usage: pbs_task_input give DOOR\n       pbs_task_input take NODE DOOR PROGRAM [ARGUMENT ...]\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pbs_tmrsh: input: %s\n", e.what());
    return failed;
  }
}
