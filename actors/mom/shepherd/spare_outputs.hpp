// Spool files of runs that have ended whose output was appended to another file: the next run of the same user writes into the same
// inodes. Each has a second name, so that it stays when the MoM removes the run's: who has no other name than that one is free. Some
// file systems look long for an inode after many were freed (recycled_files.hpp).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "actors/mom/shepherd/identity.hpp"

namespace annals::shepherd {

class spare_outputs {
 public:
  spare_outputs() = default;
  spare_outputs(const spare_outputs&) = delete;
  spare_outputs& operator=(const spare_outputs&) = delete;
  ~spare_outputs();

  // As make_spool_file(), under this umask(2).
  int make_spool_file(const std::string& path, const identity& owner, unsigned umask);

 private:
  struct spare {
    std::string name;
    dev_t device;
    ino_t inode;
  };
  bool is_free(const spare& file, const identity& owner, unsigned umask) const;
  void keep(const std::string& path);

  std::vector<spare> spares_;  // the oldest first
};

}  // namespace annals::shepherd
