#include "hooks-runtime/worker/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "hooks-runtime/worker/landlock_version.hpp"

namespace annals::hooks {
namespace {

// As of version 6 (Linux 6.12). Headers may be older than the kernel that runs: they know the first member and no TRUNCATE.
struct landlock_rules {
  std::uint64_t files, network, scopes;
};
constexpr std::uint64_t truncate_right = 1 << 14;
constexpr std::uint64_t scope_of_signals = 1 << 1;

// What changes a file; the rest is done to directories.
constexpr std::uint64_t of_files = LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_right;

std::uint64_t writing_rights(long version) {
  std::uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                         LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                         LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                         LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;  // before, nothing at all moves from one directory to another
  if (version >= 3) rights |= truncate_right;
  return rights;
}

std::string failed(const std::string& what) { return what + ": " + std::strerror(errno); }

std::string allow(int rules, const std::string& path, std::uint64_t rights) {
  const int at = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  struct stat there {};
  if (at < 0 || ::fstat(at, &there) != 0) return failed(path);
  if (!S_ISDIR(there.st_mode)) rights &= of_files;
  const landlock_path_beneath_attr beneath{rights, at};
  const bool added = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  std::string trouble = added ? std::string() : failed("Landlock refuses " + path);
  ::close(at);
  return trouble;
}

}  // namespace

std::string put_on_landlock(const std::vector<std::string>& writable, bool signals) {
  const long version = landlock_version();
  if (version == 0) return {};
  const landlock_rules rules{writing_rights(version), 0, signals ? 0 : scope_of_signals};
  const int fd = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, version >= 6 ? sizeof rules : sizeof rules.files, 0));
  if (fd < 0) return failed("Landlock");
  std::string trouble;
  for (const std::string& path : writable)
    if (trouble.empty()) trouble = allow(fd, path, rules.files);
  if (trouble.empty() && ::syscall(SYS_landlock_restrict_self, fd, 0) != 0) trouble = failed("Landlock");
  ::close(fd);
  return trouble;
}

}  // namespace annals::hooks
