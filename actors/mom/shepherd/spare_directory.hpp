// The TMPDIR of a run that has ended, empty again, for the next run of the same user: two renames cost less than to remove a
// directory and to make one, above all where the file system looks long for an inode after many were freed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/shepherd/identity.hpp"

namespace annals::shepherd {

// What stands under this name, if it is a directory.
std::optional<mom::journal_made> directory_at(const std::string& path);

class spare_directory {
 public:
  spare_directory() = default;
  spare_directory(const spare_directory&) = delete;
  spare_directory& operator=(const spare_directory&) = delete;
  ~spare_directory() { remove(); }

  // With the user's rights: moves TMPDIR away, if it is as it was when it was made. False: it is not, and stays.
  bool keep(const std::string& path, const mom::journal_made& made, const identity& who);
  // With the user's rights: the directory becomes `path`, where nothing may stand. Nothing: there is none, or none that will do.
  std::optional<mom::journal_made> use(const std::string& path, const identity& who);
  void remove();

 private:
  std::string path_;  // empty: there is none
  mom::journal_made made_;
  bool change_user_ = false;
  std::uint32_t uid_ = 0, gid_ = 0;
};

}  // namespace annals::shepherd
