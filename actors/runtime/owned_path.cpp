#include "actors/runtime/owned_path.hpp"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace annals::actors {

namespace {

// As the kernel has it: a longer chain is a loop.
constexpr int links_max = 40;

bool is_ours(const struct stat& found) { return found.st_uid == 0 || found.st_uid == geteuid(); }

std::string belongs_to(const std::string& path, const struct stat& found) {
  return path + " belongs to user " + std::to_string(found.st_uid);
}

// One on the way. An ordinary user's own directories are often open to his group, which has nobody else in it.
std::string why_not_directory(const std::string& path, const struct stat& found) {
  if (!S_ISDIR(found.st_mode)) return path + ": " + std::strerror(ENOTDIR);
  if (!is_ours(found)) return belongs_to(path, found);
  const mode_t open_to = geteuid() == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
  const bool for_others = (found.st_mode & open_to) != 0;
  return for_others && !(found.st_mode & S_ISVTX) ? path + " may be written by others" : "";
}

std::string why_not_file(const std::string& path, const struct stat& found, owned_as what) {
  if (what == owned_as::directory) {
    if (auto why = why_not_directory(path, found); !why.empty()) return why;
    return found.st_mode & (S_IWGRP | S_IWOTH) ? path + " may be written by others" : "";
  }
  if (!S_ISREG(found.st_mode)) return path + " is no file";
  if (!is_ours(found)) return belongs_to(path, found);
  if (found.st_mode & (S_IWGRP | S_IWOTH)) return path + " may be written by others";
  return what == owned_as::program && !(found.st_mode & S_IXUSR) ? path + " is not executable" : "";
}

// Goes the way from the root directory, link by link.
class walk {
 public:
  explicit walk(const std::string& path) : left_(path) {}

  std::string go(owned_as what) {
    struct stat found {};
    if (lstat("/", &found) != 0) return std::string("/: ") + std::strerror(errno);
    for (;;) {
      const std::string name = next_name();
      if (name.empty()) return why_not_file(here(), found, what);
      if (auto why = why_not_directory(here(), found); !why.empty()) return why;
      if (name == "..") {
        at_.erase(at_.empty() ? 0 : at_.rfind('/'));
        if (lstat(here().c_str(), &found) != 0) return here() + ": " + std::strerror(errno);
        continue;
      }
      const std::string path = at_ + '/' + name;
      if (lstat(path.c_str(), &found) != 0) return path + ": " + std::strerror(errno);
      if (!S_ISLNK(found.st_mode)) at_ = path;
      else if (auto why = follow(path, found); !why.empty()) return why;
    }
  }

 private:
  std::string here() const { return at_.empty() ? "/" : at_; }

  // Empty: there is none left.
  std::string next_name() {
    for (;;) {
      const auto begin = left_.find_first_not_of('/');
      if (begin == std::string::npos) return {};
      const auto end = left_.find('/', begin);
      const std::string name = left_.substr(begin, end == std::string::npos ? end : end - begin);
      left_.erase(0, end);
      if (name != ".") return name;
    }
  }

  // In a sticky directory a link may be changed by whoever made it.
  std::string follow(const std::string& path, struct stat& found) {
    if (!is_ours(found)) return belongs_to(path, found);
    if (++links_ > links_max) return path + ": " + std::strerror(ELOOP);
    char target[PATH_MAX];
    const auto length = readlink(path.c_str(), target, sizeof target);
    if (length < 0) return path + ": " + std::strerror(errno);
    left_ = std::string(target, static_cast<std::size_t>(length)) + '/' + left_;
    if (target[0] == '/') at_.clear();
    return lstat(here().c_str(), &found) == 0 ? "" : here() + ": " + std::strerror(errno);
  }

  std::string at_;    // where we are, without links; empty: in the root directory
  std::string left_;  // the way from there
  int links_ = 0;
};

}  // namespace

std::string why_not_owned(const std::string& path, owned_as what) {
  if (path.empty() || path[0] != '/') return path + " is no absolute path";
  return walk(path).go(what);
}

}  // namespace annals::actors
