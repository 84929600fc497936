#include "tools/daemons/sched_directories.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "actors/runtime/owned_path.hpp"
#include "events/model/scheduler/directories.hpp"

namespace annals::daemons {

namespace fs = std::filesystem;

namespace {

std::string octal(mode_t mode) {
  std::string digits;
  for (int shift = 6; shift >= 0; shift -= 3) digits += static_cast<char>('0' + ((mode >> shift) & 7u));
  return digits;
}

// forbidden: bits that its mode may not have; needed: what this process must be allowed (R_OK, W_OK, X_OK).
std::string trouble_with(const std::string& directory, mode_t forbidden, int needed) {
  struct stat is {};
  if (stat(directory.c_str(), &is) != 0) return std::strerror(errno);
  if (!S_ISDIR(is.st_mode)) return std::strerror(ENOTDIR);
  if (is.st_uid != 0 && is.st_uid != geteuid()) return "it belongs to user " + std::to_string(is.st_uid);
  if ((is.st_mode & forbidden) != 0) return "its mode is " + octal(is.st_mode);
  if (faccessat(AT_FDCWD, directory.c_str(), needed, AT_EACCESS) != 0) return std::strerror(errno);
  return {};
}

std::string trouble_with_way(const std::string& directory, const std::string& home) {
  const fs::path path(directory);
  const bool is_homes =
      path.lexically_normal().parent_path() == fs::path(home + "/sched_priv").lexically_normal().parent_path() && !fs::is_symlink(path);
  return is_homes ? std::string() : actors::why_not_owned(directory, actors::owned_as::directory);
}

std::runtime_error failed(const std::string& what) { return std::runtime_error(what + ": " + std::strerror(errno)); }

}  // namespace

std::string trouble_with_priv(const std::string& directory, const std::string& home) {
  if (auto why = trouble_with(directory, 027, R_OK | W_OK | X_OK); !why.empty()) return why;
  if (auto why = trouble_with_way(directory, home); !why.empty()) return why;
  const std::string config = directory + "/sched_config";
  struct stat is {};
  if (stat(config.c_str(), &is) != 0 || faccessat(AT_FDCWD, config.c_str(), R_OK, AT_EACCESS) != 0)
    return config + ": " + std::strerror(errno);
  return S_ISREG(is.st_mode) ? std::string() : config + " is no file";
}

std::string trouble_with_config(const std::string& directory) {
  const std::string config = directory + "/sched_config";
  struct stat is {};
  if (lstat(config.c_str(), &is) != 0) return {};
  if (S_ISLNK(is.st_mode)) return actors::why_not_owned(config, actors::owned_as::file);
  if (is.st_uid != 0 && is.st_uid != geteuid()) return config + " belongs to user " + std::to_string(is.st_uid);
  return is.st_mode & 022 ? config + " may be written by others" : std::string();
}

std::string trouble_with_logs(const std::string& directory, const std::string& home) {
  auto why = trouble_with(directory, 022, W_OK | X_OK);
  return why.empty() ? trouble_with_way(directory, home) : why;
}

void make_priv_directory(const std::string& priv, const std::string& defaults) {
  std::error_code not_made;
  fs::create_directories(fs::path(priv).parent_path(), not_made);
  if (mkdir(priv.c_str(), 0750) != 0 && errno != EEXIST) throw failed(priv);
  if (chmod(priv.c_str(), 0750) != 0) throw failed(priv);
  constexpr std::pair<const char*, const char*> files[] = {{"pbs_sched_config", "sched_config"},
                                                           {"pbs_resource_group", "resource_group"},
                                                           {"pbs_holidays", "holidays"},
                                                           {"pbs_dedicated", "dedicated_time"}};
  for (const auto& [shipped, own] : files) {
    const auto to = priv + "/" + own;
    fs::copy_file(defaults + "/" + shipped, to, fs::copy_options::skip_existing);
    if (chmod(to.c_str(), 0644) != 0) throw failed(to);
  }
}

std::string log_directory_at(const std::string& path) {
  const auto older = model::other_log_name(path);
  std::error_code unknown;
  return !older.empty() && !fs::exists(path, unknown) && fs::is_directory(older, unknown) ? older : path;
}

void make_log_directory(const std::string& path) {
  std::error_code failed;
  const auto older = model::other_log_name(path);
  if (log_directory_at(path) != path) return;
  if (fs::create_directories(path, failed)) fs::permissions(path, fs::perms(0755), failed);
  if (failed) throw std::runtime_error("cannot make the directory " + path + ": " + failed.message());
  if (!older.empty() && older > path && !fs::exists(fs::symlink_status(older, failed)))
    fs::create_directory_symlink(fs::path(path).filename(), older, failed);  // without it only older tools miss something
}

}  // namespace annals::daemons
