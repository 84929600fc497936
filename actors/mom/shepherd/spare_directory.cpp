#include "actors/mom/shepherd/spare_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

namespace annals::shepherd {
namespace {

bool is_empty(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (!directory) return false;
  bool empty = true;
  while (const dirent* e = readdir(directory))
    if (std::strcmp(e->d_name, ".") != 0 && std::strcmp(e->d_name, "..") != 0) empty = false;
  closedir(directory);
  return empty;
}

// Mode and owner as mkdir() gave them, and no rule for the access to what will be made in it.
bool is_as_made(const std::string& path, const mom::journal_made& made) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0 && st.st_dev == made.device && st.st_ino == made.inode && st.st_mode == (S_IFDIR | 0700) &&
         st.st_uid == geteuid() && st.st_gid == getegid() && lgetxattr(path.c_str(), "system.posix_acl_default", nullptr, 0) < 0;
}

bool rename_to_new_name(const std::string& from, const std::string& to) {
  constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE, which not every C library declares
  return syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), no_replace) == 0;
}

}  // namespace

std::optional<mom::journal_made> directory_at(const std::string& path) {
  struct stat st {};
  if (lstat(path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) return {};
  return mom::journal_made{st.st_dev, st.st_ino};
}

bool spare_directory::keep(const std::string& path, const mom::journal_made& made, const identity& who) {
  if (!path_.empty() || !is_as_made(path, made) || !is_empty(path)) return false;
  // As a name of that job, so that a MoM that starts finds it when we were killed (unknown_tmpdirs).
  const auto aside = path + ".next";
  if (!rename_to_new_name(path, aside)) return false;
  path_ = aside;
  made_ = made;
  change_user_ = who.change;
  uid_ = who.uid;
  gid_ = who.gid;
  return true;
}

std::optional<mom::journal_made> spare_directory::use(const std::string& path, const identity& who) {
  if (path_.empty() || change_user_ != who.change || uid_ != who.uid || gid_ != who.gid) return {};
  if (directory_at(path_) != made_ || !rename_to_new_name(path_, path)) return {};
  path_.clear();
  return made_;
}

void spare_directory::remove() {
  if (path_.empty()) return;
  const std::vector<std::uint32_t> groups{gid_};
  const acting_as user(make_identity(change_user_, uid_, gid_, groups));
  if (user.good() && directory_at(path_) == made_) rmdir(path_.c_str());
  path_.clear();
}

}  // namespace annals::shepherd
