// Processes of schedulers on this host: pbs_sched of this installation, in a session of its own, so that it lives on when the daemon
// that started it ends. The lock file in its sched_priv says whether it runs, and as which process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "events/ports/scheduler_processes.hpp"

namespace annals::daemons {

struct scheduler_installation {
  std::string program;               // PBS_EXEC/sbin/pbs_sched
  std::string defaults;              // PBS_EXEC/etc, where the files of a new sched_priv come from
  std::string home{};                // given as -d; empty: as pbs.conf says
  std::uint16_t server_port = 0;     // where the server listens, if not as pbs.conf and annals.conf say; 0: as they say
  std::shared_future<void> after{};  // nothing is started before; not valid: at once
};

class real_scheduler_processes final : public ports::scheduler_processes {
 public:
  explicit real_scheduler_processes(scheduler_installation where) : where_(std::move(where)) {}

  ports::scheduler_start_result start(const ports::scheduler_start& what) override;
  void stop(const std::string& name, const std::string& priv) override;

 private:
  using steady = std::chrono::steady_clock;
  bool is_deaf(const std::string& priv);

  const scheduler_installation where_;
  std::mutex guard_;
  // By sched_priv: since when its process has been found running although it was to be started, and when that was seen last.
  std::map<std::string, std::pair<steady::time_point, steady::time_point>> found_running_;
};

}  // namespace annals::daemons
