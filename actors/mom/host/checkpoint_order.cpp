#include "actors/mom/host/checkpoint_order.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "actors/mom/host/environment.hpp"
#include "actors/runtime/owned_path.hpp"
#include "events/schema/message.hpp"

namespace annals::mom {
namespace {

namespace fs = std::filesystem;

std::string session_file(const std::string& path) { return path + ".session"; }

// The run's own program is task 1.
std::string value_of(const std::string& word, const std::string& job, const std::string& path, std::int64_t session) {
  if (word == "%jobid") return job;
  if (word == "%path") return path;
  if (word == "%sid") return std::to_string(session);
  if (word == "%taskid") return "1";
  if (word == "%globid") return "none";
  return word;
}

void put_script(const script_action& action, const std::string& path, std::int64_t session, ports::run_order& o) {
  o.as_mom = true;
  o.program = {action.script};
  for (const auto& word : action.arguments) o.program.push_back(value_of(word, o.job_id, path, session));
  put_variable(o.environment, "PBS_GLOBID=none");
  put_variable(o.environment, "PBS_SID=" + std::to_string(session));
}

}  // namespace

std::string checkpoint_path(schema::StartRun::Reader start, const mom_settings& settings) {
  const auto& set = settings.config.checkpoint_path;
  const auto directory = set.empty()          ? settings.pbs_home + "/checkpoint"
                         : set.front() == '/' ? set
                                              : settings.pbs_home + "/mom_priv/" + set;
  return directory + '/' + schema::str(start.getRef().getJob()) + ".CK";
}

std::string make_checkpoint_place(const std::string& path, std::int64_t session) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return path + ": " + error.message();
  if (chmod(path.c_str(), 0700) != 0) return path + ": " + std::strerror(errno);
  std::ofstream file(session_file(path), std::ios::trunc);
  file << session << '\n';
  file.flush();
  return file ? "" : session_file(path) + ": can't be written";
}

std::int64_t session_at_checkpoint(const std::string& path) {
  std::ifstream file(session_file(path));
  std::int64_t session = 0;
  return file >> session ? session : 0;
}

// A file or directory that stays is in nobody's way. One that an earlier life of the MoM took away and did not remove is there yet.
std::string take_checkpoint_away(const std::string& path, std::uint32_t run) {
  const auto gone = path + '.' + std::to_string(run) + ".gone";
  std::error_code error;
  fs::remove(session_file(path), error);
  fs::rename(path, gone, error);
  return fs::exists(fs::symlink_status(gone, error)) ? gone : "";
}

std::string unfit_script(const std::string& path) {
  if (struct stat st{}; stat(path.c_str(), &st) != 0) return path + ": " + std::strerror(errno);
  const auto why = actors::why_not_owned(path, actors::owned_as::program);
  return why.empty() ? "" : path + ": Permission Error: " + why;
}

ports::run_order checkpoint_order_for(schema::StartRun::Reader start, const model::allocation& has, const mom_settings& settings,
                                      const values::checkpoint_key& key, std::int64_t session) {
  auto o = task_order_for(start, has, settings, {key, 1, 0, {}, {}});
  o.stdout_file = o.stderr_file = "/dev/null";
  o.not_as_root = false;  // it is a script of the site, and the job runs already
  o.share.reset();
  o.cpu_seconds_max.reset();
  o.file_bytes_max.reset();
  o.resident_bytes_max.reset();
  o.address_bytes_max.reset();
  o.nice.reset();
  put_script(*settings.config.checkpoint_abort, checkpoint_path(start, settings), session, o);
  return o;
}

void put_restart(schema::StartRun::Reader start, const mom_settings& settings, ports::run_order& order) {
  const auto path = checkpoint_path(start, settings);
  put_script(*settings.config.restart, path, session_at_checkpoint(path), order);
  put_variable(order.environment, "PBS_TASKNUM=1");
  put_variable(order.environment, "PBS_NODENUM=0");
}

}  // namespace annals::mom
