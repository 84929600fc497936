#include "tools/client/pipe_readers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include "actors/link/wire/socket_path.hpp"

namespace annals::client {

namespace {

constexpr unsigned long descriptors_max = 1 << 16;  // of one poll or select; who waits for more is not looked at

// Nothing: it can't be read, errno tells why.
std::optional<std::string> text_of(const std::string& path) {
  const wire::unique_fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = ::read(fd.get(), part.data(), part.size())) != 0;) {
    if (size < 0) return {};
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  return text;
}

std::optional<std::string> link_at(const std::string& path) {
  std::array<char, 256> name{};
  const auto size = ::readlink(path.c_str(), name.data(), name.size());
  if (size < 0) return {};
  return std::string(name.data(), static_cast<std::size_t>(size));
}

// Nothing: the directory can't be read.
std::optional<std::vector<std::string>> names_in(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) return {};
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(directory.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

bool is_gone() { return errno == ENOENT || errno == ESRCH; }

// Nothing: they can't be told. A thread has its own.
std::optional<std::vector<pid_t>> children_of(pid_t process) {
  const auto directory = "/proc/" + std::to_string(process) + "/task";
  const auto threads = names_in(directory);
  if (!threads && !is_gone()) return {};
  std::vector<pid_t> all;
  for (const auto& thread : threads.value_or(std::vector<std::string>())) {
    const auto path = directory + "/" + thread;
    const auto text = text_of(path + "/children");
    if (!text && (!is_gone() || ::access(path.c_str(), F_OK) == 0)) return {};
    std::istringstream words(text.value_or(""));
    for (pid_t child = 0; words >> child;) all.push_back(child);
  }
  return all;
}

// The call that a thread waits in.
struct call {
  long number = -1;
  std::array<unsigned long, 6> words{};
  unsigned long stack = 0, instruction = 0;
  bool operator==(const call&) const = default;
};

// Nothing: it is not in one.
std::optional<call> call_of(const std::string& text) {
  call c;
  auto& w = c.words;
  const int read = std::sscanf(text.c_str(), "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &c.number, &w[0], &w[1], &w[2], &w[3], &w[4], &w[5],
                               &c.stack, &c.instruction);
  return read == 9 ? std::optional(c) : std::nullopt;
}

class process {
 public:
  process(pid_t id, const std::string& pipe) : id_(id), directory_("/proc/" + std::to_string(id)), pipe_(pipe) {}

  bool waits() const {
    if (reads_without_waiting()) return true;
    const auto threads = names_in(directory_ + "/task");
    if (!threads) return !is_gone() && may_have_it();
    return std::any_of(threads->begin(), threads->end(), [&](const auto& thread) { return waits(directory_ + "/task/" + thread); });
  }

 private:
  bool waits(const std::string& thread) const {
    const auto text = text_of(thread + "/syscall");
    if (!text) return (!is_gone() || ::access("/proc/self/syscall", F_OK) != 0) && may_have_it();
    const auto now = call_of(*text);
    // Of a 32 bit program, whose stack lies low, the calls have other numbers.
    if (now && now->stack >> 32 == 0) return may_have_it();
    // It is in the same call still, so the descriptor was that of the pipe all the time.
    return now && is_for_it(*now) && call_of(text_of(thread + "/syscall").value_or("")) == now;
  }

  bool is_for_it(const call& c) const {
    const auto& w = c.words;
    switch (c.number) {
      case SYS_read:
      case SYS_readv:
      case SYS_preadv2:
      case SYS_splice:
      case SYS_tee:
      case SYS_vmsplice:
#ifdef SYS_epoll_wait
      case SYS_epoll_wait:
#endif
      case SYS_epoll_pwait:
      case SYS_epoll_pwait2: return leads_to_it(static_cast<int>(w[0]));
      case SYS_sendfile: return leads_to_it(static_cast<int>(w[1]));
#ifdef SYS_poll
      case SYS_poll:
#endif
      case SYS_restart_syscall:  // a poll after a stop; the words of others make no sense as those of a poll
      case SYS_ppoll: return polls(w[0], w[1]);
#ifdef SYS_select
      case SYS_select:
#endif
      case SYS_pselect6: return selects(w[0], w[1]);
      case SYS_io_uring_enter: return may_have_it();  // what for can't be told
      default: return false;
    }
  }

  bool polls(unsigned long where, unsigned long count) const {
    if (count > descriptors_max) return false;
    std::vector<pollfd> all(count);
    return copy(where, all.data(), count * sizeof(pollfd)) && std::any_of(all.begin(), all.end(), [&](const pollfd& one) {
             return (one.events & (POLLIN | POLLRDNORM)) != 0 && leads_to_it(one.fd);
           });
  }

  bool selects(unsigned long count, unsigned long where) const {
    constexpr unsigned long bits = 8 * sizeof(unsigned long);
    if (count > descriptors_max) return false;
    std::vector<unsigned long> set((count + bits - 1) / bits);
    if (where == 0 || !copy(where, set.data(), set.size() * sizeof(unsigned long))) return false;
    for (unsigned long fd = 0; fd < count; ++fd)
      if ((set[fd / bits] >> fd % bits & 1) != 0 && leads_to_it(static_cast<int>(fd))) return true;
    return false;
  }

  bool copy(unsigned long from, void* to, std::size_t size) const {
    const iovec local{to, size}, remote{reinterpret_cast<void*>(from), size};
    return size > 0 && ::process_vm_readv(id_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
  }

  bool leads_to_it(int fd) const {
    const auto name = link_at(directory_ + "/fd/" + std::to_string(fd));
    return name && (*name == pipe_ || (*name == "anon_inode:[eventpoll]" && is_watched_by(fd)));
  }

  bool is_watched_by(int epoll) const {
    std::istringstream lines(text_of(directory_ + "/fdinfo/" + std::to_string(epoll)).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      unsigned events = 0;
      unsigned long inode = 0;
      if (std::sscanf(line.c_str(), "tfd: %*d events: %x data: %*x pos:%*d ino:%lx", &events, &inode) == 2 && (events & EPOLLIN) != 0 &&
          pipe_ == "pipe:[" + std::to_string(inode) + "]")
        return true;
    }
    return false;
  }

  // Its input is the pipe, which it has set so: it means to read, and between its tries it waits for something else.
  bool reads_without_waiting() const {
    if (link_at(directory_ + "/fd/0") != pipe_) return false;
    const auto text = text_of(directory_ + "/fdinfo/0").value_or("");
    const auto at = text.find("flags:");
    unsigned flags = 0;
    return at != text.npos && std::sscanf(text.c_str() + at, "flags: %o", &flags) == 1 && (flags & O_NONBLOCK) != 0;
  }

  bool may_have_it() const {
    const auto all = names_in(directory_ + "/fd");
    if (!all) return !is_gone();
    return std::any_of(all->begin(), all->end(), [&](const auto& fd) { return link_at(directory_ + "/fd/" + fd) == pipe_; });
  }

  pid_t id_;
  std::string directory_;
  const std::string& pipe_;
};

}  // namespace

std::string name_of_open_file(int descriptor) { return link_at("/proc/self/fd/" + std::to_string(descriptor)).value_or(""); }

bool shows_what_is_below(pid_t process) {
  const auto directory = "/proc/" + std::to_string(process);
  return ::access(directory.c_str(), F_OK) == 0 && children_of(process).has_value();
}

bool someone_waits_for(const std::string& pipe, pid_t root) {
  std::vector<pid_t> left{root};
  while (!left.empty()) {
    const auto next = left.back();
    left.pop_back();
    if (next != root && next != ::getpid() && process(next, pipe).waits()) return true;
    const auto children = children_of(next);
    if (!children) return true;
    left.insert(left.end(), children->begin(), children->end());
  }
  return false;
}

}  // namespace annals::client
