#include "tools/daemons/home.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <variant>

#include "events/log/rocksdb_event_store.hpp"

namespace annals::daemons {

namespace fs = std::filesystem;

namespace {
// Space that must be there again before writing resumes after a full disk: two of the largest batches.
constexpr std::uint64_t space_to_resume = 16u << 20;
}  // namespace

std::string own_host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

void make_directory(const std::string& path, fs::perms mode) {
  std::error_code failed;
  if (fs::create_directories(path, failed)) fs::permissions(path, mode, failed);
  if (failed) throw std::runtime_error("cannot make the directory " + path + ": " + failed.message());
  if (access(path.c_str(), W_OK | X_OK) != 0)
    throw std::runtime_error("cannot write in the directory " + path + ": " + std::strerror(errno));
}

bool has_space(const std::string& directory) {
  struct statvfs disk {};
  return statvfs(directory.c_str(), &disk) == 0 && disk.f_bavail * disk.f_frsize >= space_to_resume;
}

std::unique_ptr<ports::event_store> open_store(const std::string& path) {
  auto opened = log::open_event_store(path);
  if (const auto* failed = std::get_if<ports::store_status>(&opened)) throw std::runtime_error(failed->text);
  return std::move(std::get<std::unique_ptr<ports::event_store>>(opened));
}

}  // namespace annals::daemons
