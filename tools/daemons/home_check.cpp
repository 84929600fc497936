#include "tools/daemons/home_check.hpp"

#include <cstdlib>
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

}  // namespace annals::daemons
