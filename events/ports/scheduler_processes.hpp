// Processes of schedulers on this host: the server and each MoM start and end them. A process outlives whoever started it.
// Calls block for as long as a process takes to be ready, or to end: they are for helpers with threads of their own, also at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace annals::ports {

struct scheduler_start {
  std::string name;
  std::string host;         // the name of this host, with which it says hello
  std::string certificate;  // its certificate and key, PEM
  std::string priv, logs;   // its directories
  std::uint16_t port = 0;   // sched_port; 0: none
  // The directories are the ones that a new scheduler is given: what is missing is made, with the files that are shipped.
  bool own_directories = false;
  std::function<bool()> is_wanted;  // empty: it is. Asked from the thread that starts it, before a process is made
};

struct scheduler_start_result {
  enum class outcome : std::uint8_t {
    started,       // its process is ready
    unwanted,      // it is not wanted any more, and was not started
    runs_already,  // one of this name does, and was left alone
    failed,
    no_priv,  // its sched_priv is missing, or others may write in it (MS-14)
    no_logs,  // its sched_log is missing (MS-19)
  };
  outcome what = outcome::failed;
  std::string text;  // why not
};

class scheduler_processes {
 public:
  virtual ~scheduler_processes() = default;
  virtual scheduler_start_result start(const scheduler_start& what) = 0;
  // Returns when it is gone. Nothing happens if it does not run. priv: its sched_priv.
  virtual void stop(const std::string& name, const std::string& priv) = 0;
};

}  // namespace annals::ports
