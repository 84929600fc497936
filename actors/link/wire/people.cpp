#include "actors/link/wire/people.hpp"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "actors/link/wire/wire_limits.hpp"

namespace annals::wire {

namespace {

using steady = std::chrono::steady_clock;
using ids = std::pair<uid_t, gid_t>;
constexpr std::chrono::seconds fresh_for{limits::name_memory_s}, used_for{limits::name_memory_s_max};

// `get`: getpwuid_r or getgrgid_r. Nothing: nobody could be asked.
template <class Entry, class Get>
std::optional<std::string> name_by(Get get, unsigned id, char* Entry::*name) {
  Entry entry{};
  Entry* found = nullptr;
  std::vector<char> memory(16384);
  int failed;
  while ((failed = get(id, &entry, memory.data(), memory.size(), &found)) == ERANGE) memory.resize(2 * memory.size());
  if (!found && !has_no_name(failed)) return std::nullopt;
  return found ? std::string(found->*name) : std::to_string(id);
}

}  // namespace

// getpwnam(3): each of these has been seen to say that there is none.
bool has_no_name(int failed) { return failed == 0 || failed == ENOENT || failed == ESRCH || failed == EBADF || failed == EPERM; }

std::optional<person> person_by_name_service(uid_t uid, gid_t gid) {
  auto user = name_by(::getpwuid_r, uid, &passwd::pw_name);
  auto group = user ? name_by(::getgrgid_r, gid, &::group::gr_name) : std::nullopt;
  if (!group) return std::nullopt;
  return person{std::move(*user), std::move(*group)};
}

struct people::state : std::enable_shared_from_this<people::state> {
  explicit state(look_up_person l) : look_up(std::move(l)) {}

  struct known_person {
    person who;
    steady::time_point since;
  };
  using callback = std::function<void(const person&)>;

  const look_up_person look_up;
  std::mutex guard;
  std::map<ids, known_person> known;
  std::map<ids, std::vector<callback>> wanted;  // being asked for, or waiting for that
  std::deque<ids> queue;                        // of those that wait, next first
  std::size_t threads = 0;
  bool extra_thread = false;  // for the own, when all threads are busy
  bool ended = false;

  // Root and the daemon's own user stand in the host's files: they go first, and have a thread more.
  static bool own(const ids& who) { return who.first == 0 || who.first == ::getuid(); }

  // False: there is no room. An empty callback: only what is known is to be fresh. The guard is held.
  bool want(const ids& who, callback then) {
    const bool first = own(who);
    if (!wanted.contains(who)) {
      if (queue.size() >= limits::lookups_waiting_max && !first) return false;
      queue.insert(first ? queue.begin() : queue.end(), who);
    }
    if (auto& waiting = wanted[who]; then) waiting.push_back(std::move(then));
    if (!queue.empty() && threads < limits::lookup_threads_max) begin(false);
    else if (!queue.empty() && first && !extra_thread) begin(true);
    return true;
  }

  // Nobody can wait for a thread that hangs. When the system has none left, the next who comes tries again.
  void begin(bool extra) {
    try {
      std::thread([self = shared_from_this(), extra] { self->work(extra); }).detach();
      if (extra) extra_thread = true;
      else ++threads;
    } catch (const std::system_error&) {
    }
  }

  void work(bool extra) {
    std::unique_lock held(guard);
    while (!ended && !queue.empty() && (!extra || own(queue.front()))) {
      const auto who = queue.front();
      queue.pop_front();
      held.unlock();
      const auto found = look_up(who.first, who.second);
      held.lock();
      if (found) remember(who, *found);
      auto waiting = wanted.extract(who);
      const auto answer = as_known(who);
      held.unlock();
      if (waiting)
        for (const auto& then : waiting.mapped()) then(answer);
      held.lock();
    }
    if (extra) extra_thread = false;
    else --threads;
  }

  // Names that were known stay names while nobody can be asked, also of a user who comes with another group for the first time.
  person as_known(const ids& who) const {
    if (const auto at = known.find(who); at != known.end()) return at->second.who;
    person p{std::to_string(who.first), std::to_string(who.second)};
    for (const auto& [id, k] : known) {
      if (id.first == who.first) p.user = k.who.user;
      if (id.second == who.second) p.group = k.who.group;
    }
    return p;
  }

  void remember(const ids& who, const person& found) {
    const auto now = steady::now();
    if (known.size() >= limits::names_known_max) std::erase_if(known, [&](const auto& k) { return now - k.second.since > used_for; });
    if (known.size() >= limits::names_known_max) known.erase(known.begin());
    known[who] = {found, now};
  }
};

people::people(look_up_person look_up) : state_(std::make_shared<state>(std::move(look_up))) {}

people::~people() {
  decltype(state_->wanted) forgotten;  // what they hold is let go outside the guard
  const std::lock_guard held(state_->guard);
  state_->ended = true;
  state_->queue.clear();
  forgotten.swap(state_->wanted);
}

bool people::ask(uid_t uid, gid_t gid, std::function<void(const person&)> then) {
  const ids who{uid, gid};
  std::unique_lock held(state_->guard);
  const auto at = state_->known.find(who);
  const auto age = at == state_->known.end() ? used_for : steady::now() - at->second.since;
  if (age >= used_for) return state_->want(who, std::move(then));
  const auto answer = at->second.who;
  if (age >= fresh_for) (void)state_->want(who, nullptr);
  held.unlock();
  then(answer);
  return true;
}

std::string people::name_of(uid_t uid) const {
  const std::lock_guard held(state_->guard);
  const auto at = state_->known.lower_bound({uid, 0});
  return at != state_->known.end() && at->first.first == uid ? at->second.who.user : std::to_string(uid);
}

}  // namespace annals::wire
