#include "hooks-runtime/worker/view.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace annals::hooks {
namespace {

namespace fs = std::filesystem;

bool is_root() { return ::geteuid() == 0; }

std::string failed(const std::string& what) { return what + ": " + std::strerror(errno); }

bool write_file(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return done;
}

// Without root it takes a user namespace, in which the user keeps its number.
bool own_mounts() {
  const std::string uid = std::to_string(::geteuid()), gid = std::to_string(::getegid());
  if (is_root()) {
    if (::unshare(CLONE_NEWNS) != 0) return false;
  } else {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/gid_map", gid + " " + gid + " 1") ||
        !write_file("/proc/self/uid_map", uid + " " + uid + " 1"))
      return false;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// A part of the tree as it was before anything was covered or made read-only, to be put where it was found.
struct kept_tree {
  std::string path;
  bool is_directory = false;
  int mount = -1;
  bool is_writable = false;
};

std::string keep(const std::vector<std::string>& paths, bool writable, std::vector<kept_tree>& into) {
  for (const std::string& path : paths) {
    if (path == "/") continue;  // then nothing is made read-only
    std::error_code ignored;
    into.push_back(
        {path, fs::is_directory(path, ignored), ::open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE),
         writable});
    if (into.back().mount < 0) return failed("can't keep " + path + (writable ? " writable" : " to be seen"));
  }
  return {};
}

std::string cover(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    struct stat there {};
    if (::stat(directory.c_str(), &there) != 0) continue;
    if (::mount("none", directory.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=4k,mode=700") != 0 && is_root())
      return failed("can't cover " + directory);
  }
  return {};
}

// The files and directories that trees below a cover are put on.
void make_places(const std::vector<kept_tree>& trees) {
  for (const auto& tree : trees) {
    std::error_code ignored;  // a place that is missing shows when the tree is put there
    if (fs::exists(tree.path, ignored)) continue;
    fs::create_directories(tree.is_directory ? fs::path(tree.path) : fs::path(tree.path).parent_path(), ignored);
    if (!tree.is_directory) std::ofstream(tree.path).flush();
  }
}

bool set_read_only(int at, const char* path, unsigned flags) {
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  return ::mount_setattr(at, path, AT_RECURSIVE | flags, &read_only, sizeof read_only) == 0;
}

// The kernel's own files first of all: what is written to the daemon's oom_score_adj, its cgroup's cgroup.kill or
// sysrq-trigger asks for the user's number only and for no capability.
std::string make_read_only(const view_rules& rules) {
  std::vector<std::string> where = rules.hidden;
  where.insert(where.end(), {"/proc", "/sys"});
  if (std::ranges::find(rules.writable, "/") == rules.writable.end()) where.emplace_back("/");
  for (const std::string& path : where)
    if (!set_read_only(AT_FDCWD, path.c_str(), 0) && errno != EINVAL && errno != ENOENT && errno != ENOSYS)
      return failed("can't make read-only " + path);  // else: not mounted; not there; an older kernel
  return {};
}

std::string put_back(const std::vector<kept_tree>& trees) {
  for (const auto& tree : trees) {
    if (!tree.is_writable && !set_read_only(tree.mount, "", AT_EMPTY_PATH) && errno != ENOSYS)
      return failed("can't make read-only " + tree.path);
    if (::move_mount(tree.mount, "", AT_FDCWD, tree.path.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0)
      return failed("can't put back " + tree.path);
    ::close(tree.mount);
  }
  return {};
}

}  // namespace

std::string put_on_view(const view_rules& rules) {
  if (!own_mounts()) return is_root() ? failed("no mounts of its own") : std::string();
  std::vector<kept_tree> kept;
  if (std::string trouble = keep(rules.seen, false, kept); !trouble.empty()) return trouble;
  if (std::string trouble = keep(rules.writable, true, kept); !trouble.empty()) return trouble;
  if (std::string trouble = cover(rules.hidden); !trouble.empty()) return trouble;
  make_places(kept);
  if (std::string trouble = make_read_only(rules); !trouble.empty()) return trouble;
  return put_back(kept);
}

}  // namespace annals::hooks
