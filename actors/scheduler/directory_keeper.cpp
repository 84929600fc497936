#include "actors/scheduler/directory_keeper.hpp"

#include "actors/scheduler/log_bits.hpp"

#include <utility>

namespace annals::actors {

namespace {
// Bits of the log (pbs guide: logs).
}  // namespace

schema::sealed<schema::FromScheduler> directories_message(const scheduler_directories& used, schema::SchedDirectories::PrivTrouble priv,
                                                          bool log_trouble) {
  return schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
    auto d = m.initDirectories();
    d.setPriv(used.priv);
    d.setLogs(used.logs);
    d.setPrivTrouble(priv);
    d.setLogTrouble(log_trouble);
  });
}

void directory_keeper::wanted(const scheduler_directories& by_object, bool scheduling) {
  wanted_ = by_object;
  scheduling_ = scheduling;
  const bool logs = take_logs(wanted_.logs), priv = take_priv(wanted_.priv);
  if (logs || priv || !told_) tell();
}

void directory_keeper::again() {
  failed_ = {};
  wanted(wanted_, scheduling_);
}

bool directory_keeper::is_due(const std::string& wanted, const std::string& used, const std::string& failed) const {
  return !wanted.empty() && wanted != used && (wanted != failed || scheduling_);
}

// True: there is something to tell.
bool directory_keeper::take_priv(const std::string& wanted) {
  if (!is_due(wanted, used_.priv, failed_.priv)) {
    if (!wanted.empty() && wanted != used_.priv) return false;  // it failed, and nobody did anything about it
    failed_.priv.clear();
    return std::exchange(priv_trouble_, trouble::NONE) != trouble::NONE;
  }
  priv_trouble_ = out_.use_priv(wanted);
  if (priv_trouble_ == trouble::NONE) {
    used_.priv = wanted;
    failed_.priv.clear();
    out_.log(event_sched, "Sched", "reconfigure", "Scheduler priv directory is changed to " + wanted);
    out_.log(event_debug3, "Sched", "reconfigure", "scheduler priv directory has changed to " + wanted);
  } else {
    failed_.priv = wanted;
    out_.log(event_error, "Sched", "reconfigure",
             priv_trouble_ == trouble::NOT_VALID ? "PBS failed validation checks for directory " + wanted
                                                 : "Unable to change the sched_priv directory to " + wanted);
  }
  return true;
}

bool directory_keeper::take_logs(const std::string& wanted) {
  if (!is_due(wanted, used_.logs, failed_.logs)) {
    if (!wanted.empty() && wanted != used_.logs) return false;
    return !std::exchange(failed_.logs, {}).empty();
  }
  const auto now = out_.use_logs(wanted);
  if (!now) {
    failed_.logs = wanted;
    out_.log(event_error, "Sched", "reconfigure", "Unable to change the sched_log directory to " + wanted);
    return true;
  }
  failed_.logs.clear();
  if (std::exchange(used_.logs, *now) == *now) return true;
  out_.log(event_sched, "Sched", "reconfigure", "Scheduler log directory is changed to " + *now);
  out_.log(event_debug3, "Sched", "reconfigure", "scheduler log directory is changed to " + *now);
  return true;
}

void directory_keeper::tell() {
  told_ = true;
  out_.send(directories_message(used_, priv_trouble_, !failed_.logs.empty()));
}

}  // namespace annals::actors
