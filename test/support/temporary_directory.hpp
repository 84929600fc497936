// A directory of a test's own below TMPDIR (or /tmp). It goes with all that is in it, however the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace annals::test {

struct temporary_directory {
  std::string path = (std::filesystem::temp_directory_path() / "annals-XXXXXX").string();  // short: sockets lie in it

  temporary_directory() {
    if (::mkdtemp(path.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path);
  }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  std::string at(const std::string& name) const { return path + '/' + name; }
};

}  // namespace annals::test
