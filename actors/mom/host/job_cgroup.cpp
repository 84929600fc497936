#include "actors/mom/host/job_cgroup.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "actors/mom/host/cgroup_files.hpp"
#include "actors/mom/host/cgroup_v1.hpp"
#include "actors/mom/host/cgroup_v2.hpp"
#include "actors/mom/host/open_path.hpp"
#include "events/values/program_text.hpp"

namespace annals::mom {
namespace {

// Another run that ends may take away the directories that they share, between our making of two.
constexpr int make_tries_max = 100;

struct word {
  const char* name;
  bool cgroup_root::*flag;
};
constexpr word words[] = {{"v2", &cgroup_root::v2},
                          {"memory", &cgroup_root::memory},
                          {"cpu", &cgroup_root::cpu},
                          {"cpuacct", &cgroup_root::cpuacct},
                          {"freezer", &cgroup_root::freezer}};

// Nothing: it is not there.
std::optional<std::uint64_t> children_of(const std::string& directory) {
  struct stat st {};
  if (stat(directory.c_str(), &st) != 0) return {};
  return st.st_nlink - 2;
}

std::uint32_t cpus_of_machine() {
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<std::uint32_t>(n) : 1;
}

}  // namespace

std::string print_root(const cgroup_root& root) {
  std::string text;
  for (const auto& w : words)
    if (root.*w.flag) text += (text.empty() ? "" : ",") + std::string(w.name);
  return text + ':' + root.path;
}

std::optional<cgroup_root> parse_root(std::string_view text) {
  const auto colon = text.find(":/");
  if (colon == std::string_view::npos) return {};
  cgroup_root root;
  root.path = text.substr(colon + 1);
  std::string_view rest = text.substr(0, colon);
  while (!rest.empty()) {
    const auto one = rest.substr(0, rest.find(','));
    bool known = false;
    for (const auto& w : words)
      if (one == w.name) known = root.*w.flag = true;
    if (!known) return {};
    rest.remove_prefix(one.size() < rest.size() ? one.size() + 1 : one.size());
  }
  return root;
}

job_cgroup::job_cgroup(const std::vector<std::string>& roots, std::string parent, std::string key)
    : parent_(std::move(parent)), run_(values::run_text_of(key)), key_(std::move(key)) {
  for (const auto& text : roots)
    if (auto root = parse_root(text)) roots_.push_back(std::move(*root));
}

// The directories that this run shares with others.
bool job_cgroup::make_parents(const cgroup_root& root) const {
  std::string made = root.path;
  for (std::size_t at = 0; at <= parent_.size();) {
    const auto end = std::min(parent_.find('/', at), parent_.size());
    if (root.v2) cgroup_v2::hand_down(made, root);
    made += '/' + parent_.substr(at, end - at);
    if (mkdir(made.c_str(), 0755) != 0 && errno != EEXIST) return false;
    if (!root.v2) cgroup_v1::count_children(made, root);
    // All jobs together count as the machine does, not as one program beside it.
    root.v2 ? cgroup_v2::weigh(made, root, cpus_of_machine()) : cgroup_v1::weigh(made, root, cpus_of_machine());
    at = end + 1;
  }
  if (root.v2) cgroup_v2::hand_down(made, root);
  return true;
}

bool job_cgroup::make_in(const cgroup_root& root) const {
  const auto made = [](const std::string& path) { return mkdir(path.c_str(), 0755) == 0 || errno == EEXIST; };
  const auto top = flat(root) ? directory(root) : run_directory(root);
  if (!made(top) && !(errno == ENOENT && make_parents(root) && made(top))) return false;
  if (shared(root) || flat(root)) return true;
  if (root.v2) cgroup_v2::hand_down(top, root);
  return made(directory(root));
}

std::string job_cgroup::make(const cgroup_limits& limits, const job_cgroup* cleared) const {
  std::string wrong;
  for (const auto& root : roots_) {
    if (cleared && cleared->rename_in(root, *this)) continue;
    bool made = make_in(root);
    for (int i = 1; !made && errno == ENOENT && i < make_tries_max; ++i) made = make_in(root);
    const auto text = made ? limit_in(root, limits) : directory(root) + ": " + strerror(errno);
    if (wrong.empty()) wrong = text;
  }
  return wrong;
}

std::string job_cgroup::limit_in(const cgroup_root& root, const cgroup_limits& limits) const {
  const auto run = run_directory(root);
  return root.v2 ? cgroup_v2::limit(run, root, limits) : cgroup_v1::limit(run, root, limits);
}

std::string job_cgroup::limit(const cgroup_limits& limits) const {
  std::string wrong;
  for (const auto& root : roots_) {
    if (access(run_directory(root).c_str(), F_OK) != 0) continue;
    const auto text = limit_in(root, limits);
    if (wrong.empty()) wrong = text;
  }
  return wrong;
}

std::vector<int> job_cgroup::open_doors() const {
  std::vector<int> doors;
  for (const auto& root : roots_) {
    const int fd = open_path(directory(root) + "/cgroup.procs", O_WRONLY);
    if (fd >= 0) doors.push_back(fd);
  }
  return doors;
}

const cgroup_root* job_cgroup::fence() const {
  const cgroup_root* other = nullptr;  // kills, but does not freeze
  for (const auto& root : roots_) {
    if (root.v2 || root.freezer) return &root;
    if (!shared(root)) other = &root;
  }
  return other;
}

bool job_cgroup::freeze(bool frozen) const {
  const auto* const root = fence();
  return root && (root->v2 ? cgroup_v2::freeze(directory(*root), frozen) : cgroup_v1::freeze(directory(*root), frozen));
}

void job_cgroup::follow(int signal) const {
  if (signal == SIGSTOP) freeze(true);
  if (signal == SIGCONT || signal == SIGKILL) freeze(false);
}

bool job_cgroup::kill() const {
  const auto* const root = fence();
  return !root || (root->v2 ? cgroup_v2::kill(directory(*root)) : cgroup_v1::kill(directory(*root)));
}

cgroup_usage job_cgroup::usage() const {
  cgroup_usage used;
  for (const auto& root : roots_)
    root.v2 ? cgroup_v2::add_usage(directory(root), root, used) : cgroup_v1::add_usage(directory(root), root, used);
  return used;
}

bool job_cgroup::remove() const {
  bool gone = true;
  for (const auto& root : roots_)
    if (!shared(root)) gone = cgroup_files::remove(directory(root)) && gone;
  // Who is in none of these any more is in none of those above either, unless he is of another task.
  for (const auto& root : roots_) remove_empty(root);
  return gone;
}

// From the run's upwards. Looked for first: a refused rmdir() waits for everybody who makes or removes a directory beside it.
void job_cgroup::remove_empty(const cgroup_root& root) const {
  std::string above = run_directory(root);
  while (above.size() > root.path.size() && children_of(above).value_or(0) == 0 && (rmdir(above.c_str()) == 0 || errno == ENOENT))
    above.resize(above.rfind('/'));
}

bool job_cgroup::forget_in(const cgroup_root& root) const {
  if (root.v2 || children_of(run_directory(root)) != (shared(root) ? 0u : 1u)) return false;  // other tasks have theirs
  return cgroup_files::members(directory(root)).empty() && cgroup_v1::forget(directory(root), root);
}

void job_cgroup::clear(const job_cgroup& becomes) const {
  for (const auto& root : roots_) {
    if (forget_in(root) && rename_in(root, becomes)) continue;
    if (!shared(root)) cgroup_files::remove(directory(root));
    if (!flat(root) && children_of(run_directory(root)) == 0u) rmdir(run_directory(root).c_str());
  }
}

job_cgroup job_cgroup::beside(std::string key) const {
  job_cgroup other = *this;
  other.run_ = values::run_text_of(key);
  other.key_ = std::move(key);
  return other;
}

// False: nothing of it is here any more.
bool job_cgroup::rename_in(const cgroup_root& root, const job_cgroup& other) const {
  if (root.v2) return false;  // clear() has removed it
  const auto run = run_directory(root), leaf = directory(root);
  if ((shared(root) || rename(leaf.c_str(), (run + '/' + other.key_).c_str()) == 0) &&
      rename(run.c_str(), other.run_directory(root).c_str()) == 0)
    return true;
  cgroup_files::remove(run);
  return false;
}

}  // namespace annals::mom
