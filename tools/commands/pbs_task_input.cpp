// pbs_task_input: the two ends of the input of a task that pbs_tmrsh starts (tools/client/task_input.hpp).
//   take NODE DOOR PROGRAM ARGUMENT...    the task: runs the program, whose input is the output of `give DOOR` on NODE, and ends as it does
//   offer NODE DOOR PROGRAM ARGUMENT...   the same, and asks for `give` only when the program waits for its input; NODE may be unknown
//   give DOOR                             writes the input behind the door to standard output
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
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/client/pipe_readers.hpp"
#include "tools/client/printed.hpp"
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
    pipe_ = name_of_open_file(in_.get());
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
      print_error("pbs_tmrsh: %s: %s\n", words.front(), std::strerror(errno));
      ::_exit(254);
    }
    if (pid_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    end_ = wire::unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!end_) throw std::runtime_error(std::string("pidfd_open: ") + std::strerror(errno));
  }

  bool reads() const { return static_cast<bool>(in_); }
  int input() const { return in_.get(); }
  const std::string& pipe() const { return pipe_; }
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
  std::string pipe_;
};

// When to look again whether the program waits for its input. One that has run for long may be kept waiting for longer, and looking takes a
// hundredth of a processor at most, however many processes there are.
class looks {
 public:
  int rest_ms() const {
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(std::max(due_ - clock::now(), clock::duration())).count());
  }

  bool are_due() const { return clock::now() >= due_; }

  bool look(const std::string& pipe) {
    // What has lost its parent is a child of the task's shepherd, which is ours.
    const auto root = shows_what_is_below(::getppid()) ? ::getppid() : ::getpid();
    const auto before = processor_time();
    const bool waits = someone_waits_for(pipe, root);
    const auto cost = processor_time() - before;
    const auto now = clock::now();
    due_ = now + std::max(std::clamp((now - started_) / 8, least, most), std::min(cost * 100, utmost));
    return waits;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr clock::duration least = std::chrono::milliseconds(5), most = std::chrono::milliseconds(500),
                                   utmost = std::chrono::seconds(5);

  // What this process has used. Time by the clock would count what others use on a busy host.
  static clock::duration processor_time() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }

  clock::time_point started_ = clock::now(), due_ = started_ + least;
};

class taker {
 public:
  // No node: what the program reads can't be had.
  taker(std::optional<std::uint32_t> node, std::string door, std::vector<char*> words)
      : node_(node), door_(std::move(door)), program_(std::move(words)) {}

  [[noreturn]] void run(bool fetch_at_once) {
    try {
      if (fetch_at_once) fetch();
      while (mom_ ? step() : rest()) {}
    } catch (const std::exception& e) {
      if (ended_) program_.follow();
      print_error("pbs_tmrsh: the input of the program is not whole, it is killed: %s\n", e.what());
      program_.kill();
      ::_exit(failed);
    }
    program_.follow();
  }

 private:
  void fetch() {
    if (!node_) throw std::runtime_error("which host of the job pbs_tmrsh runs on can't be told");
    mom_.emplace(task_manager::join());
    giver_ = spawn();
    watch_ = mom_->ask([&](schema::TmRequest::Builder r) { r.setWatch(giver_); });
  }

  std::uint32_t spawn() {
    std::array<char, 4096> self{};
    if (::readlink("/proc/self/exe", self.data(), self.size() - 1) < 0) throw std::runtime_error("/proc/self/exe can't be read");
    return mom_
        ->answer(mom_->ask([&](schema::TmRequest::Builder r) {
          auto s = r.initSpawn();
          s.setNode(*node_);
          s.setOutput(true);
          auto argv = s.initArgv(3);
          argv.set(0, self.data());
          argv.set(1, "give");
          argv.set(2, door_);
        }))
        .get()
        .getSpawned();
  }

  // Until somebody reads. False: the program has ended.
  bool rest() {
    pollfd p[2] = {{program_.end(), POLLIN, 0}, {program_.input(), 0, 0}};
    ::poll(p, 2, program_.reads() ? looks_.rest_ms() : -1);
    if (p[0].revents) return false;
    if (p[1].revents) program_.end_input();  // nobody has the other end any more
    else if (program_.reads() && looks_.are_due() && looks_.look(program_.pipe())) fetch();
    return true;
  }

  // False: the program has ended, and nothing of the input is left that would go into the job's output.
  bool step() {
    while (const auto reply = mom_->next(0)) take(reply->get());
    if (ended_ && over_) return false;
    std::array<pollfd, 3> p{{{mom_->descriptor(), POLLIN, 0}, {ended_ ? -1 : program_.end(), POLLIN, 0}, {-1, POLLOUT, 0}}};
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
    mom_->ask([&](schema::TmRequest::Builder r) {
      r.initSignal().setTask(giver_);
      r.getSignal().setSignal(SIGKILL);
    });
    if (owing) taken();
  }

  void take(schema::TmReply::Reader r) {
    if (r.isOutput() && r.getOutput().getErrors()) return mom_->print(r.getOutput());
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
    mom_->ask([&](schema::TmRequest::Builder r) {
      auto t = r.initOutputTaken();
      t.setTask(giver_);
      t.setUpTo(so_far_);
    });
  }

  std::optional<std::uint32_t> node_;
  std::string door_;
  program program_;
  looks looks_;
  std::optional<task_manager> mom_;  // once the input was asked for
  std::uint32_t giver_ = 0;
  std::uint64_t watch_ = 0, so_far_ = 0;
  std::string kept_;                   // not written to the program yet
  bool over_ = false, ended_ = false;  // the input; the program
};

std::optional<std::uint32_t> number_of(std::string_view word) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  return read.ec == std::errc() && read.ptr == word.data() + word.size() ? std::optional(number) : std::nullopt;
}

int run(const std::vector<char*>& words) {
  const std::string_view what = words.empty() ? "" : words.front();
  if (what == "give" && words.size() == 2) return give(words[1]);
  const auto node = words.size() > 3 ? number_of(words[1]) : std::nullopt;
  const bool at_once = what == "take" && node;
  if (at_once || (what == "offer" && words.size() > 3)) taker(node, words[2], {words.begin() + 3, words.end()}).run(at_once);
  std::fputs("usage: pbs_task_input give DOOR\n       pbs_task_input take|offer NODE DOOR PROGRAM [ARGUMENT ...]\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    print_error("pbs_tmrsh: input: %s\n", e.what());
    return failed;
  }
}
