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
  // Removes what an earlier process kept in the directory.
  explicit recycled_files(std::string directory);

  // A file in the place of whatever stood there, complete or not at all. Returns errno, 0 for success.
  int write(const std::string& path, std::string_view bytes, unsigned mode);
  void remove(const std::string& path);

 private:
  std::string name(unsigned number) const { return directory_ + "/.free." + std::to_string(number); }

  const std::string directory_;
  std::vector<unsigned> free_;
  unsigned next_ = 0;
};

}  // namespace annals::mom
