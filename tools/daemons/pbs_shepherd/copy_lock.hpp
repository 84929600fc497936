// The file that a request to copy holds and writes what it has done into: a repeat of the request, after a crash of the
// MoM, begins when this one has ended and does not do again what is done. Lines "pid N" (a process group) and "out N".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace annals::shepherd {

class copy_lock {
 public:
  // Waits for whoever holds it; before becoming the user. An empty path locks nothing. False: errno says why.
  bool take(const std::string& path);

  bool is_done(std::size_t number) const;
  void set_done(std::size_t number);

 private:
  int fd_ = -1;  // open in the copy programs too: while one of them lives the lock is held
  std::vector<std::size_t> done_;
};

}  // namespace annals::shepherd
