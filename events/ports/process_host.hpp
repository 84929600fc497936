// The port to processes and files of a job on its host: what a MoM needs from the operating system. The real one
// (actors/mom/host) uses the shepherd program; the simulation has one with a fake process table.
//
// A run is named by its key "<jobid>.<run>" (a job id and its run count). Everything here is idempotent per key.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace annals::ports {

struct run_usage {
  std::uint64_t cpu_seconds = 0;
  std::uint64_t mem_kb = 0;
  std::uint64_t vmem_kb = 0;
  std::uint64_t wall_seconds = 0;
  std::uint32_t ncpus = 0;
  std::uint32_t cpu_percent = 0;
  bool operator==(const run_usage&) const = default;
};

// Everything the shepherd needs to start a program; written to a file that only the MoM's user can read.
struct run_order {
  std::string key;                       // "12.borg.1"
  std::string job_id;
  std::string user;                      // name; the MoM's own when it does not run as root
  std::string group;
  std::vector<std::string> environment;  // NAME=value, complete
  std::string shell;                     // empty: the user's login shell
  std::vector<std::string> program;      // qsub -- program args; empty: a script job
  std::string script;                    // path of the script file (script jobs)
  std::string stdout_file, stderr_file;  // spool files; the same for joined output
  unsigned umask = 077;
  std::string jobdir;                    // working directory; empty: the user's home
  bool private_jobdir = false;           // sandbox=PRIVATE: make <home>/pbs.<jobid>.x8z
  std::string tmpdir;                    // made 700 for the user, removed at the end
  std::optional<std::uint64_t> cpu_seconds_max, file_bytes_max, data_bytes_max, address_bytes_max;   // rlimits: pcput/cput, file, pmem, pvmem
  std::optional<int> nice;
};

struct program_started { std::int64_t pid = 0; std::int64_t session = 0; std::uint64_t start_ticks = 0; std::string jobdir; };
struct program_ended { int exit_status = 0; run_usage usage; };     // exit status as PBS reports it (pbs guide: 256+n, 254)
struct start_failed { int code = 0; std::string text; };            // -1, -2, -3, -10 as PBS numbers them

struct delivery {                        // one output file to bring to its place
  std::string from;                      // spool file
  std::string to_host, to_path;
  bool local = false;                    // same host or $usecp: copied, else scp
};
struct delivery_result { bool ok = true; std::string text; };

class process_host {
 public:
  virtual ~process_host() = default;

  // What happened, told on any thread. Every start ends in exactly one of: started then ended, or failed.
  struct events {
    std::function<void(const std::string& key, const program_started&)> started;
    std::function<void(const std::string& key, const start_failed&)> failed;
    std::function<void(const std::string& key, const program_ended&)> ended;
    std::function<void(const std::string& key, const delivery_result&)> delivered;
  };
  virtual void listen(events e) = 0;

  // Starts the program once: if the shepherd's exclusive file for this key exists, what it says is reported instead
  // (running: started; ended: started and ended; died before exec: failed). Never runs a program twice.
  virtual void start(const run_order& order) = 0;
  // After a restart of the MoM: finds the run by its files, as `start` would, without ever starting it.
  virtual void adopt(const std::string& key) = 0;
  virtual void signal(const std::string& key, int signal) = 0;          // to every process of the run
  virtual std::optional<run_usage> usage(const std::string& key) = 0;   // now; nothing if it is not running
  virtual void deliver(const std::string& key, const std::string& user, const std::vector<delivery>& files) = 0;
  // Kills what is left of the run and removes its files (not undelivered output).
  virtual void forget(const std::string& key) = 0;
};

}  // namespace annals::ports
