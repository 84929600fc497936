#include "actors/mom/host/cgroup_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "actors/mom/host/open_path.hpp"

namespace annals::mom::cgroup_files {
namespace {

std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t n = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
  if (r.ec != std::errc()) return {};
  return n;
}

// A cgroup's own files are plain; its directories are cgroups.
std::vector<std::string> below(const std::string& directory) {
  std::vector<std::string> found;
  struct stat st {};
  if (stat(directory.c_str(), &st) != 0 || st.st_nlink == 2) return found;  // none, as nearly always
  DIR* const dir = opendir(directory.c_str());
  if (!dir) return found;
  while (const dirent* e = readdir(dir))
    if (e->d_type == DT_DIR && e->d_name[0] != '.') found.push_back(directory + '/' + e->d_name);
  closedir(dir);
  return found;
}

}  // namespace

std::optional<std::string> read(const std::string& path) {
  const int fd = open_path(path, O_RDONLY);
  if (fd < 0) return {};
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd);
  return text;
}

int write(const std::string& path, const std::string& text) {
  const int fd = open_path(path, O_WRONLY);
  if (fd < 0) return errno;
  const int error = ::write(fd, text.data(), text.size()) < 0 ? errno : 0;
  close(fd);
  return error;
}

std::optional<std::uint64_t> number(const std::string& path) {
  const int fd = open_path(path, O_RDONLY);
  if (fd < 0) return {};
  char text[32];
  const ssize_t n = ::read(fd, text, sizeof text);
  close(fd);
  return number_at({text, n > 0 ? static_cast<std::size_t>(n) : 0});
}

std::optional<std::uint64_t> number(const std::string& path, std::string_view name) {
  const auto text = read(path);
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.size() > name.size() && line.substr(0, name.size()) == name && line[name.size()] == ' ')
      return number_at(line.substr(name.size() + 1));
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
  }
  return {};
}

std::vector<int> members(const std::string& directory) {
  std::vector<int> found;
  const auto text = read(directory + "/cgroup.procs");
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const auto pid = number_at(rest);
    if (pid && *pid > 1 && *pid <= INT32_MAX) found.push_back(static_cast<int>(*pid));
    const auto end = rest.find('\n');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  for (const auto& child : below(directory))
    for (const int pid : members(child)) found.push_back(pid);
  return found;
}

bool kill_members(const std::string& directory) {
  const auto pids = members(directory);
  for (const int pid : pids) kill(pid, SIGKILL);
  return !pids.empty();
}

bool remove(const std::string& directory) {
  // Looked for first: a refused rmdir() waits for everybody who makes or removes a directory beside it.
  if (access(directory.c_str(), F_OK) != 0) return true;
  for (const auto& child : below(directory)) remove(child);
  return rmdir(directory.c_str()) == 0 || errno == ENOENT;
}

}  // namespace annals::mom::cgroup_files
