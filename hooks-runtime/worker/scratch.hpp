// The directory that a worker of the server may write to. It is made for the worker and goes with it (guard.hpp).
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace annals::hooks {

struct scratch_directory {
  std::string path;     // without links; empty: there is none
  std::string trouble;  // why it could not be made
};

// In this directory; empty: none is made.
inline scratch_directory make_scratch(const std::string& where) {
  if (where.empty()) return {};
  std::string path = where + "/worker.XXXXXX";
  if (!::mkdtemp(path.data())) return {{}, "no scratch directory in " + where + ": " + std::strerror(errno)};
  char* real = ::realpath(path.c_str(), nullptr);
  if (real) path = real;
  ::free(real);
  return {path, {}};
}

}  // namespace annals::hooks
