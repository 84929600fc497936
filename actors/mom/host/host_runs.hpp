// What the host knows of its runs: their orders, what their journals say, and their shepherds. Read from the run files when first asked.
// docs/design/0004-shepherd.md.
#pragma once

#include <sys/types.h>

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/host/usage_meter.hpp"
#include "events/values/program_key.hpp"

namespace annals::mom {

struct host_run {
  values::program_key key;
  shepherd_order order;  // without environment, which may be large and is on disk
  run_journal journal;
  usage_meter meter;
  pid_t child = 0;             // the shepherd, if it is ours to reap
  int pidfd = -1;              // of a living shepherd
  int files = -1;              // where the shepherd may be told of another run after this one; -1: nowhere
  std::string crew;            // whose run that may be
  bool handed_over = false;    // to a shepherd that had another run before
  bool alone = false;          // the shepherd gets no other run: who knows when it hears a signal, and other limits are this run's
  std::size_t journal_at = 0;  // in the run file
  std::string mark;            // of the journal's lines
  int file = -1;               // to read the journal from
  unsigned leftover_tries = 0;
  std::size_t log_told = 0;
  std::string why_not;                   // the program was not begun
  std::deque<std::optional<int>> asked;  // signals to send, and questions whether all before them are sent
  bool started_told = false, over_told = false;
  bool forgetting = false, keep_jobdir = false;
  bool removing = false;  // its directories

  // The shepherd hears of no other run.
  void close_files();
};

class host_runs {
 public:
  explicit host_runs(const run_files& files) : files_(files) {}
  ~host_runs();  // the runs go on
  host_runs(const host_runs&) = delete;
  host_runs& operator=(const host_runs&) = delete;

  auto begin() { return runs_.begin(); }
  auto end() { return runs_.end(); }

  bool in_file(const values::program_key& key) const;
  bool known(const values::program_key& key) const { return runs_.contains(key) || in_file(key); }
  // In memory; nullptr: it is not.
  host_run* find(const values::program_key& key);
  // In memory, from its file if there is one; nullptr: it is known nowhere.
  host_run* look_up(const values::program_key& key);
  // In memory, as its file says. No file: as nobody ordered it.
  host_run& load(const values::program_key& key);
  host_run& add(const values::program_key& key, run_file_parts parts);
  // Out of memory. The file stays.
  void drop(const values::program_key& key);

  // Nothing changes if the file is not there.
  void read_journal(host_run& r) const;
  // Another run or task of the same job, or of the same run, is in memory and is not being forgotten.
  bool job_has_others(const host_run& r) const;
  bool run_has_others(const host_run& r) const;

 private:
  template <class Which>
  bool shares(const host_run& r, Which&& which) const;  // its job, with another program of which `which` holds

  const run_files& files_;
  std::map<values::program_key, host_run> runs_;
};

}  // namespace annals::mom
