// open(2) with O_CLOEXEC. musl's open() tells the kernel so a second time, for kernels before 2.6.23; a run opens some thirty files.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <fcntl.h>

#include <string>

namespace annals::mom {

inline int open_path(const char* path, int flags, mode_t mode = 0) { return openat(AT_FDCWD, path, flags | O_CLOEXEC, mode); }
inline int open_path(const std::string& path, int flags, mode_t mode = 0) { return open_path(path.c_str(), flags, mode); }

}  // namespace annals::mom
