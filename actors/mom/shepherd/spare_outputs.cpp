#include "actors/mom/shepherd/spare_outputs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "actors/mom/host/open_path.hpp"
#include "actors/mom/shepherd/output_file.hpp"

namespace annals::shepherd {
namespace {

// The output of some runs is still on its way when the next one begins: two files each.
constexpr std::size_t spares_max = 16;

int open_emptied(const std::string& path) { return mom::open_path(path, O_WRONLY | O_APPEND | O_TRUNC | O_NOFOLLOW); }

}  // namespace

spare_outputs::~spare_outputs() {
  for (const auto& s : spares_) unlink(s.name.c_str());
}

// Nobody else can reach it, and its owner has not changed who may.
bool spare_outputs::is_free(const spare& file, const identity& owner, unsigned umask) const {
  struct stat st {};
  return lstat(file.name.c_str(), &st) == 0 && st.st_dev == file.device && st.st_ino == file.inode && st.st_nlink == 1 &&
         st.st_mode == (S_IFREG | (0666 & ~umask)) && (!owner.change || (st.st_uid == owner.uid && st.st_gid == owner.gid));
}

int spare_outputs::make_spool_file(const std::string& path, const identity& owner, unsigned umask) {
  const auto free = std::find_if(spares_.begin(), spares_.end(), [&](const spare& s) { return is_free(s, owner, umask); });
  // Emptied before it has the run's name: nobody finds another run's output under it, whenever we are killed.
  if (const int fd = free != spares_.end() ? open_emptied(free->name) : -1; fd >= 0) {
    if (link(free->name.c_str(), path.c_str()) == 0) {
      std::rotate(free, free + 1, spares_.end());
      return fd;
    }
    close(fd);
  }
  const int fd = shepherd::make_spool_file(path, owner);
  if (fd >= 0) keep(path);
  return fd;
}

void spare_outputs::keep(const std::string& path) {
  // A name of the run's output, so that a MoM that starts removes it when we were killed (remove_unknown).
  const auto end = path.rfind('.');
  spare s{path.substr(0, end) + ".next" + path.substr(end), 0, 0};
  struct stat st {};
  if (lstat(path.c_str(), &st) != 0 || link(path.c_str(), s.name.c_str()) != 0) return;
  s.device = st.st_dev;
  s.inode = st.st_ino;
  if (spares_.size() == spares_max) {  // what went elsewhere, with its inode
    unlink(spares_.front().name.c_str());
    spares_.erase(spares_.begin());
  }
  spares_.push_back(std::move(s));
}

}  // namespace annals::shepherd
