#include "actors/mom/shepherd/removing.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace annals::shepherd {
namespace {

// Each level holds one descriptor; a deeper tree is left to its owner.
constexpr int depth_max = 200;

void empty_directory(int parent, const char* name, int depth) {
  const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || depth > depth_max) {
    if (fd >= 0) close(fd);
    return;
  }
  fchmod(fd, 0700);  // a directory its owner made read-only
  DIR* const dir = fdopendir(fd);
  if (!dir) {
    close(fd);
    return;
  }
  while (const dirent* e = readdir(dir)) {
    if (std::strcmp(e->d_name, ".") == 0 || std::strcmp(e->d_name, "..") == 0) continue;
    if (unlinkat(fd, e->d_name, 0) == 0) continue;
    empty_directory(fd, e->d_name, depth + 1);
    unlinkat(fd, e->d_name, AT_REMOVEDIR);
  }
  closedir(dir);
}

}  // namespace

void remove_tree(const std::string& path) {
  if (path.empty() || path == "/") return;
  if (rmdir(path.c_str()) == 0) return;
  empty_directory(AT_FDCWD, path.c_str(), 0);
  rmdir(path.c_str());
}

}  // namespace annals::shepherd
