#include "tools/client/own_job.hpp"

#include <cstdlib>

#include "tools/client/pbs_conf.hpp"

namespace annals::client {

namespace {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<own_job> job_of_environment() {
  own_job job{environment_variable("PBS_JOBID"), environment_variable("PBS_JOBCOOKIE")};
  if (job.cookie.empty() || job.id.find('.') == std::string::npos) return std::nullopt;
  return job;
}

bool is_own_job(const std::string& id) {
  const auto own = job_of_environment();
  return own && own->id == id;
}

std::vector<std::string> mom_homes() {
  std::vector<std::string> homes;
  if (auto home = directory_of(directory_of(environment_variable("PBS_NODEFILE"))); !home.empty()) homes.push_back(std::move(home));
  homes.push_back(read_pbs_conf().mom_home());
  return homes;
}

}  // namespace annals::client
