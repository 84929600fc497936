// The file that a request to copy holds and writes what it has done into: a repeat of the request, after a crash of the
// MoM, begins when this one has ended and does not do again what is done. Lines "pid N T" (a process group and when its
// leader started, in ticks) and "out N". The lock is one of a descriptor that can't write, and that one alone is open in the
// copy programs, which are the user's: while one of them lives the lock is held, but its file says only what we wrote.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace annals::shepherd {

class copy_lock {
 public:
  copy_lock() = default;
  copy_lock(const copy_lock&) = delete;
  ~copy_lock() { release(); }

  // Waits 5 s at most for whoever holds it; before becoming the user. An empty path locks nothing. False: errno says why.
  bool take(const std::string& path);

  void release();

  bool is_done(std::size_t number) const;
  // `synced`: it holds after a power loss too.
  void set_done(std::size_t number, bool synced = true);

 private:
  int fd_ = -1;    // to write
  int held_ = -1;  // has the lock
  std::vector<std::size_t> done_;
};

}  // namespace annals::shepherd
