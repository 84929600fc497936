#include "actors/mom/shepherd/staging.hpp"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace annals::shepherd {
namespace {

std::string absolute(const std::string& path, const std::string& from) {
  return !path.empty() && path.front() == '/' ? path : from + '/' + path;
}

bool is_directory(const std::string& path) {
  struct stat st {};
  return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

// A copy into a directory keeps its name, as with cp.
std::string target_in(const std::string& to, const std::string& from) {
  std::string name = from;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return is_directory(to) ? to + '/' + name.substr(name.rfind('/') + 1) : to;
}

// A home that several hosts share: the file is in its place already.
bool same_file(const std::string& a, const std::string& b) {
  struct stat sa {
  }, sb{};
  return stat(a.c_str(), &sa) == 0 && stat(b.c_str(), &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

// A pattern that only `text` fits: a private directory of a subjob has brackets in its name.
std::string as_pattern(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (std::strchr("*?[]\\", c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// A name that is there stands for itself, whatever letters it has.
std::vector<std::string> files_named(const std::string& path, const std::string& jobdir) {
  const std::string plain = absolute(path, jobdir);
  struct stat st {};
  if (lstat(plain.c_str(), &st) == 0) return {plain};
  const std::string pattern = absolute(path, as_pattern(jobdir));
  std::vector<std::string> names;
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return names;
}

// What was copied is on disk afterwards: its sources go.
bool sync_copies_at(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return true;  // ours to write and not to read
  const bool good = syncfs(fd) == 0;
  close(fd);
  return good;
}

}  // namespace

attempt stage_in(const mom::stage_task& task, const copy_request& copying) {
  const auto& request = copying.words;
  const std::string here = absolute(task.here, request.jobdir);
  if (!task.local) return run_copy(request.scp, {remote_name(request, task.host, task.there), here}, copying);
  const std::string there = absolute(task.there, request.home);
  if (same_file(there, target_in(here, there))) return {};
  return run_copy(request.cp, {there, here}, copying);
}

attempt stage_out(const mom::stage_task& task, const copy_request& copying, std::vector<std::string>& copied) {
  const auto& request = copying.words;
  auto operands = files_named(task.here, request.jobdir);
  attempt a;
  if (operands.empty()) {
    a.wrong = "cannot stat '" + absolute(task.here, request.jobdir) + "': " + strerror(ENOENT);
    a.status = 1;
    a.hopeless = true;
    return a;
  }
  const std::string there = task.local ? absolute(task.there, request.home) : remote_name(request, task.host, task.there);
  if (task.local) std::erase_if(operands, [&](const std::string& from) { return same_file(from, target_in(there, from)); });
  if (operands.empty()) return a;
  const auto files = operands;
  operands.push_back(there);
  a = run_copy(task.local ? request.cp : request.scp, operands, copying);
  if (a.wrong.empty() && task.local && !sync_copies_at(there)) a.wrong = "error writing '" + there + "': " + strerror(errno);
  if (a.wrong.empty()) copied = files;
  return a;
}

void drop_staged(const mom::stage_task& task, const mom::user_request& request) {
  const std::string there = absolute(task.there, request.home);
  const std::string here = target_in(absolute(task.here, request.jobdir), there);
  struct stat st {};
  if (lstat(here.c_str(), &st) != 0 || S_ISDIR(st.st_mode) || (task.local && same_file(here, there))) return;
  unlink(here.c_str());
}

}  // namespace annals::shepherd
