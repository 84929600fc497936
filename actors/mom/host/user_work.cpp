#include "actors/mom/host/user_work.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <utility>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_files.hpp"
#include "events/model/host/host_limits.hpp"

namespace annals::mom {
namespace {

// Of requests in one process: each has two files open there.
constexpr std::size_t shared_max = 100;
constexpr std::chrono::milliseconds shared_patience{100};

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
  for (const auto& p : processes_) {
    close(p->out);
    if (p->child.pidfd >= 0) close(p->child.pidfd);
  }
}

std::optional<child_process> user_work::start(const std::string& requests, int out) {
  const int in = bytes_to_read(requests);
  if (in < 0) return {};
  auto child = spawn_program({shepherd_, "as-user"}, in, out);
  const int why = errno;
  close(in);
  errno = why;
  return child;
}

void user_work::run(const user_request& request) {
  if (const auto child = start(print_request(request), -1)) reap_later(*child);
}

bool user_work::ask(const work_name& name, const user_request& request, heard then) {
  if (asking(name)) {
    errno = EALREADY;
    return false;
  }
  std::vector<question> one{{name, request, std::move(then)}};
  return ask_all(one) != nullptr;
}

user_work::process_ptr user_work::ask_all(std::vector<question>& questions) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return nullptr;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);  // our end only: the other process may wait for us
  std::string requests;
  for (const auto& q : questions) requests += print_request(q.request);
  const auto child = start(requests, ends[1]);
  const int why = errno;
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    errno = why;
    return nullptr;
  }
  const auto p = std::make_shared<process>(process{*child, ends[0], {}});
  for (auto& q : questions) {
    asked_[q.name] = p;
    p->open.push_back(std::move(q));
  }
  processes_.insert(p);
  loop_.watch(p->out, [this, p] { read_answers(p); });
  return p;
}

void user_work::ask_with_others(const work_name& name, const user_request& request, heard then) {
  auto user = std::ranges::find_if(shared_, [&](const shared_work& s) { return same_user(s.who, request); });
  if (user == shared_.end()) user = shared_.insert(shared_.end(), {request, {}, nullptr});
  user->waiting.push_back({name, request, std::move(then)});
  if (!user->working) ask_waiting(user);
}

void user_work::ask_waiting(std::list<shared_work>::iterator user) {
  const auto count = std::min(user->waiting.size(), shared_max);
  const auto end = user->waiting.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<question> now(std::make_move_iterator(user->waiting.begin()), std::make_move_iterator(end));
  user->waiting.erase(user->waiting.begin(), end);
  user->working = ask_all(now);
  if (!user->working) {
    now.insert(now.end(), std::make_move_iterator(user->waiting.begin()), std::make_move_iterator(user->waiting.end()));
    no_answers({std::make_move_iterator(now.begin()), std::make_move_iterator(now.end())});
    shared_.erase(user);
    return;
  }
  loop_.after(shared_patience, [this, p = user->working] { next_after(p); });
}

// Has ended, or takes long.
void user_work::next_after(const process_ptr& p) {
  const auto user = std::ranges::find(shared_, p, &shared_work::working);
  if (user == shared_.end()) return;
  user->working = nullptr;
  if (user->waiting.empty()) shared_.erase(user);
  else ask_waiting(user);
}

bool user_work::waits(const work_name& name) const {
  if (std::ranges::find(unanswered_, name, &question::name) != unanswered_.end()) return true;
  return std::ranges::any_of(shared_,
                             [&](const shared_work& s) { return std::ranges::find(s.waiting, name, &question::name) != s.waiting.end(); });
}

void user_work::read_answers(process_ptr p) {
  char buffer[4096];
  ssize_t n;
  while ((n = read(p->out, buffer, sizeof buffer)) > 0)
    if (p->answers.size() < limits::user_answer_bytes_max) p->answers.append(buffer, static_cast<std::size_t>(n));
  const bool over = n == 0;  // else more will come
  if (over) finish(p);
  while (!p->open.empty()) {
    const auto one = first_of(p->answers);
    if (one.empty()) break;
    const auto answer = parse_answer(one);
    p->answers.erase(0, one.size());
    const auto question = std::move(p->open.front());
    p->open.pop_front();
    asked_.erase(question.name);
    question.then(answer);
  }
  if (!over) return;
  no_answers(std::exchange(p->open, {}));
  next_after(p);
}

void user_work::finish(const process_ptr& p) {
  processes_.erase(p);
  loop_.unwatch(p->out);
  close(p->out);
  reap_later(p->child);
}

// They hear it later: who calls us may not be ready for that.
void user_work::no_answers(std::deque<question> questions) {
  for (auto& q : questions) {
    asked_.erase(q.name);
    unanswered_.push_back(std::move(q));
  }
  if (!unanswered_.empty()) loop_.post([this] { tell_unanswered(); });
}

void user_work::tell_unanswered() {
  while (!unanswered_.empty()) {
    const auto then = std::move(unanswered_.front().then);
    unanswered_.pop_front();
    then({});
  }
}

void user_work::stop(const work_name& name) {
  std::erase_if(unanswered_, [&](const question& q) { return q.name == name; });
  for (auto& user : shared_) std::erase_if(user.waiting, [&](const question& q) { return q.name == name; });
  std::erase_if(shared_, [](const shared_work& s) { return s.waiting.empty() && !s.working; });
  const auto at = asked_.find(name);
  if (at == asked_.end()) return;
  const auto p = at->second;
  kill(-p->child.pid, SIGKILL);  // its session: its first children with it
  finish(p);
  asked_.erase(at);
  std::erase_if(p->open, [&](const question& q) { return q.name == name; });
  no_answers(std::exchange(p->open, {}));
  next_after(p);
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
