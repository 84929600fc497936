#include "actors/mom/shepherd/as_user.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "actors/mom/host/user_request.hpp"
#include "actors/mom/shepherd/copying.hpp"
#include "actors/mom/shepherd/identity.hpp"
#include "actors/mom/shepherd/output_file.hpp"
#include "actors/mom/shepherd/reaping.hpp"
#include "actors/mom/shepherd/removing.hpp"
#include "actors/mom/shepherd/text_file.hpp"
#include "events/model/host/host_limits.hpp"

namespace annals::shepherd {
namespace {

// How much of it was written; errno says why it was not all.
std::size_t write_all(int fd, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

// The files are there since the run began.
void append(const std::vector<mom::append_task>& tasks, mom::user_answer& a) {
  for (const auto& task : tasks) {
    const int fd = open_output(task.file, {.make = false, .terminal = true, .shared = task.shared});
    const std::size_t done = fd < 0 ? 0 : write_all(fd, task.text);
    a.appended += done;
    if (fd < 0 || done < task.text.size()) a.text = task.file + ": " + strerror(errno);
    if (fd >= 0) close(fd);
    if (!a.text.empty()) return;
  }
}

// One that is there will do if it is a directory of ours; somebody else's, or a link, will not.
bool make_directory(const std::string& path) {
  struct stat st {};
  if (mkdir(path.c_str(), 0700) == 0) return true;
  if (errno != EEXIST) return false;
  const bool ours = lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
  if (!ours) errno = EEXIST;
  return ours;
}

void make_directories(const mom::user_request& request, mom::user_answer& a) {
  for (const auto& path : request.directories) {
    if (make_directory(path)) ++a.delivered;
    else a.text = "can't make directory " + path + ": " + strerror(errno);
  }
}

bool is_kept(const std::string& path, const mom::user_request& request) {
  struct stat st {};
  for (const auto& name : request.kept_with)
    if (lstat((path + '/' + name).c_str(), &st) == 0) return true;
  return false;
}

// Texts that are longer than a MoM reads are cut, so that it hears what was delivered.
void answer(mom::user_answer a) {
  constexpr std::size_t text_max = limits::user_answer_bytes_max / 4;
  if (a.text.size() > text_max) a.text.resize(text_max);
  std::size_t bytes = 0, whole = 0;
  while (whole < a.tries.size() && (bytes += a.tries[whole].size()) <= text_max) ++whole;
  a.tries.resize(whole);
  write_all(1, mom::print_answer(a));  // a MoM that is gone asks again when it is back
}

// What the user's programs left behind: it may hold the lock, and nobody else will end it.
void end_leftovers() {
  top_process none;
  end_descendants(none, 0);
}

// Empty: they can't be read, or are not all of one user.
std::vector<mom::user_request> read_requests() {
  const auto bytes = read_text(0);
  std::vector<mom::user_request> requests;
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto one = mom::first_of(rest);
    auto request = mom::parse_request(one);
    if (!request) return {};
    rest.remove_prefix(one.size());
    requests.push_back(std::move(*request));
    if (!mom::same_user(requests.front(), requests.back())) return {};
  }
  return requests;
}

mom::user_answer work(const mom::user_request& request, copy_lock& lock) {
  mom::user_answer made;
  append(request.appends, made);
  for (const auto& path : request.removals)
    if (!is_kept(path, request)) remove_tree(path);
  make_directories(request, made);
  if ((request.copies.empty() && request.stages.empty()) || !made.text.empty()) return made;
  auto brought = bring_files(request, lock);
  end_leftovers();
  return brought;
}

}  // namespace

int as_user() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_IGN);
  const auto requests = read_requests();
  if (requests.empty()) return 1;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::vector<copy_lock> locks(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (!locks[i].take(requests[i].lock)) return 1;
  const auto& who = requests.front();
  if (!become(make_identity(who.change_user, who.uid, who.gid, who.groups))) return 1;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto made = work(requests[i], locks[i]);
    locks[i].release();  // who hears the answer may ask again
    answer(std::move(made));
  }
  return 0;
}

}  // namespace annals::shepherd
