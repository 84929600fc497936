#include "actors/mom/host/kept_shepherds.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace annals::mom {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_every{1000};

bool tell(const shepherd_process& s, const std::string& file) {
  return send(s.files, file.data(), file.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(file.size());
}

}  // namespace

std::string crew_of(const shepherd_order& order) {
  const auto open = order.job_id.find('['), close = order.job_id.find(']');
  if (open == std::string::npos || close == std::string::npos || !order.terminal.empty() || order.attached_pid != 0) return {};
  auto crew = order.job_id.substr(0, open) + order.job_id.substr(close + 1);
  for (const auto id : {order.uid, order.gid}) crew += ' ' + std::to_string(id);
  for (const auto id : order.groups) crew += ' ' + std::to_string(id);
  return crew;
}

std::optional<shepherd_process> start_shepherd(const std::string& shepherd, const std::string& file, bool to_keep) {
  int ends[2] = {-1, -1};
  if (to_keep && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) ends[0] = ends[1] = -1;  // it runs this one
  const auto child = spawn_program({shepherd, "run", file}, ends[1]);
  const int why = errno;
  if (ends[1] >= 0) close(ends[1]);
  shepherd_process s{child.value_or(child_process{}), ends[0]};
  if (s.child.pidfd < 0) kept_shepherds::let_go(s);  // who can't be watched can't be kept
  errno = why;
  return child ? std::optional(s) : std::nullopt;
}

kept_shepherds::~kept_shepherds() {
  for (auto& [crew, members] : crews_)
    for (auto& m : members) {
      let_go(m.process);
      close(m.process.child.pidfd);
    }
}

void kept_shepherds::let_go(shepherd_process& s) {
  if (s.files >= 0) close(s.files);
  s.files = -1;
}

std::optional<shepherd_process> kept_shepherds::take(const std::string& crew, const std::string& file) {
  const auto at = crews_.find(crew);
  if (at == crews_.end()) return {};
  auto& members = at->second;
  std::optional<shepherd_process> taken;
  while (!members.empty() && !taken) {
    auto last = members.back().process;
    members.pop_back();
    if (!tell(last, file)) {
      let_go(last);
      continue;
    }
    loop_.unwatch(last.child.pidfd);
    taken = last;
  }
  if (members.empty()) crews_.erase(at);
  return taken;
}

void kept_shepherds::keep(const std::string& crew, const shepherd_process& s) {
  crews_[crew].push_back({s, steady_clock::now()});
  loop_.watch(s.child.pidfd, [this, crew, child = s.child] { ended(crew, child); });
  if (!std::exchange(looking_, true)) loop_.after(look_every, [this] { end_old(); });
}

// One that was let go is in no crew any more, and its socket is closed.
void kept_shepherds::ended(const std::string& crew, const child_process& child) {
  if (const auto at = crews_.find(crew); at != crews_.end()) {
    auto& members = at->second;
    const auto own = std::ranges::find_if(members, [&](const idle& i) { return i.process.child.pidfd == child.pidfd; });
    if (own != members.end()) {
      let_go(own->process);
      members.erase(own);
    }
    if (members.empty()) crews_.erase(at);
  }
  loop_.unwatch(child.pidfd);
  close(child.pidfd);
  reap(child.pid);
}

void kept_shepherds::end_old() {
  const auto limit = steady_clock::now() - idle_max_;
  for (auto at = crews_.begin(); at != crews_.end();) {
    auto& members = at->second;
    const auto young = std::ranges::find_if(members, [&](const idle& i) { return i.since > limit; });
    std::for_each(members.begin(), young, [](idle& i) { let_go(i.process); });
    members.erase(members.begin(), young);
    at = members.empty() ? crews_.erase(at) : std::next(at);
  }
  looking_ = !crews_.empty();
  if (looking_) loop_.after(look_every, [this] { end_old(); });
}

}  // namespace annals::mom
