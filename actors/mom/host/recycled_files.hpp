// Small files of one directory whose inodes are used again instead of being freed and made: a host that runs hundreds
// of jobs a second makes and removes as many files, and some file systems look long for an inode after many were freed
// (ext4 without a journal passes over those freed in the last minutes, one by one).
//
// Only for files that nobody but us may write. Not for several threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace annals::mom {

class recycled_files {
 public:
  // Removes what an earlier process kept in the directory for this kind of files: those of one kind are about as long, so that their
  // blocks are used again too.
  recycled_files(std::string directory, std::string_view kind);

  // A file in the place of whatever stood there, complete or not at all. Returns errno, 0 for success.
  int write(const std::string& path, std::string_view bytes, unsigned mode);
  void remove(const std::string& path);

 private:
  std::string name(unsigned number) const { return stem_ + std::to_string(number); }

  const std::string stem_;  // of the paths of free ones
  std::vector<unsigned> free_;
  unsigned next_ = 0;
};

}  // namespace annals::mom
