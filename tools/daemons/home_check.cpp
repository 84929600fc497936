#include "tools/daemons/home_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace annals::daemons {

void check_conf(const client::pbs_conf& conf) {
  const char* named = std::getenv("PBS_CONF_FILE");
  if (named && *named && !conf.found) throw std::runtime_error(std::string("PBS_CONF_FILE names ") + named + ", which can't be read");
}

void check_home(const client::pbs_conf& conf, const std::string& home, const std::string& part, const std::string& how_to_make) {
  check_conf(conf);
  std::error_code unknown;
  const bool there = std::filesystem::is_directory(home, unknown);
  if (there && std::filesystem::is_directory(home + "/" + part, unknown)) return;
  throw std::runtime_error((there ? home + " is no PBS_HOME: it has no " + part : "PBS_HOME " + home + " does not exist") +
                           "; is a file system not mounted? `" + how_to_make + "` makes a new one");
}

namespace {

// A group that is root's, or an ordinary user's own, has nobody else in it. In a sticky directory others can't touch what is there.
bool is_open(const struct stat& is) {
  const mode_t writers = geteuid() == 0 && is.st_gid != 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
  return (is.st_mode & writers) != 0 && !(S_ISDIR(is.st_mode) && (is.st_mode & S_ISVTX));
}

std::string why_open(const std::string& path) {
  struct stat is {};
  if (stat(path.c_str(), &is) != 0) return errno == ENOENT ? "" : std::strerror(errno);
  if (is.st_uid != 0 && is.st_uid != geteuid()) return "it belongs to user " + std::to_string(is.st_uid);
  if (!is_open(is)) return {};
  char digits[8];
  const auto end = std::to_chars(digits, digits + sizeof digits, is.st_mode & 07777, 8).ptr;
  return "its mode is " + std::string(digits, end);
}

}  // namespace

std::string why_open_to_others(const std::vector<std::string>& paths) {
  for (const auto& path : paths)
    if (const auto why = why_open(path); !why.empty()) return "PBS failed validation checks for " + path + ": " + why;
  return {};
}

}  // namespace annals::daemons
