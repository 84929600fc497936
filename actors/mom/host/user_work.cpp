#include "actors/mom/host/user_work.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_files.hpp"
#include "events/model/host/host_limits.hpp"

namespace annals::mom {
namespace {

struct lock_holder {
  std::int64_t group = 0;
  std::uint64_t start_ticks = 0;
};

// The last whole line "pid N T" of a copy lock.
std::optional<lock_holder> last_holder(std::string_view text) {
  std::optional<lock_holder> last;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto space = line.find(' ', 4);
    if (!line.starts_with("pid ") || space == std::string_view::npos) continue;
    const auto group = whole_number(line.substr(4, space - 4)), ticks = whole_number(line.substr(space + 1));
    if (group && ticks && *group > 1 && *group <= INT32_MAX) last = {static_cast<std::int64_t>(*group), *ticks};
  }
  return last;
}

}  // namespace

user_work::~user_work() {
  for (auto& [name, q] : asked_) {
    close(q.out);
    if (q.child.pidfd >= 0) close(q.child.pidfd);
  }
}

std::optional<child_process> user_work::start(const user_request& request, int out) {
  const int in = bytes_to_read(print_request(request));
  if (in < 0) return {};
  auto child = spawn_program({shepherd_, "as-user"}, in, out);
  const int why = errno;
  close(in);
  errno = why;
  return child;
}

void user_work::run(const user_request& request) {
  if (const auto child = start(request, -1)) reap_later(*child);
}

bool user_work::ask(const std::string& name, const user_request& request,
                    std::function<void(std::optional<user_answer>)> then) {
  if (asking(name)) {
    errno = EALREADY;
    return false;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);  // our end only: the other process may wait for us
  const auto child = start(request, ends[1]);
  const int why = errno;
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    errno = why;
    return false;
  }
  asked_[name] = {*child, ends[0], {}, std::move(then)};
  loop_.watch(ends[0], [this, name] { read_answer(name); });
  return true;
}

void user_work::read_answer(const std::string& name) {
  const auto at = asked_.find(name);
  if (at == asked_.end()) return;
  question& q = at->second;
  char buffer[4096];
  ssize_t n;
  while ((n = read(q.out, buffer, sizeof buffer)) > 0)
    if (q.answer.size() < limits::user_answer_bytes_max) q.answer.append(buffer, static_cast<std::size_t>(n));
  if (n < 0) return;  // more will come
  const auto then = std::move(q.then);
  const auto answer = parse_answer(q.answer);
  finish(at);
  then(answer);
}

void user_work::finish(std::map<std::string, question>::iterator at) {
  loop_.unwatch(at->second.out);
  close(at->second.out);
  reap_later(at->second.child);
  asked_.erase(at);
}

void user_work::stop(const std::string& name) {
  const auto at = asked_.find(name);
  if (at == asked_.end()) return;
  kill(-at->second.child.pid, SIGKILL);  // its session: its first children with it
  finish(at);
}

void user_work::end_holder(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  const bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  if (!held) return;
  const auto holder = last_holder(read_file(file).value_or(""));
  if (!holder) return;
  // Its group may have ended and a child that left it hold the file: then the number can be another process's by now.
  const auto leader = read_process(holder->group);
  if (!leader || leader->start_ticks == holder->start_ticks) kill(static_cast<pid_t>(-holder->group), SIGKILL);
}

void user_work::reap_later(const child_process& child) {
  if (child.pidfd < 0) {
    reap(child.pid);
    return;
  }
  loop_.watch(child.pidfd, [this, child] {
    loop_.unwatch(child.pidfd);
    close(child.pidfd);
    reap(child.pid);
  });
}

}  // namespace annals::mom
