// The port to processes and files of a job on its host: what a MoM needs from the operating system. The real one
// (actors/mom/host) uses the shepherd program; the simulation has one with a fake process table.
// docs/design/0004-shepherd.md says what the files on disk mean.
//
// A run is named by its key, and so is each program of it (events/values/program_key.hpp). Everything here is idempotent per key.
// No call blocks for longer than a /proc scan; the answers come as events on a thread of the host.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "events/values/output_index.hpp"
#include "events/values/program_key.hpp"

namespace annals::ports {

struct run_usage {
  std::uint64_t cpu_seconds = 0;   // of every process of the run, ended ones included
  std::uint64_t mem_kb = 0;        // highest sum of resident sets seen by a sample; 0 if none was taken
  std::uint64_t vmem_kb = 0;       // same for address space
  std::uint64_t wall_seconds = 0;  // since the program started; right across restarts of the MoM
  std::uint32_t ncpus = 0;         // as ordered
  std::uint32_t cpu_percent = 0;   // moving average over the samples, 100 = one cpu
  bool operator==(const run_usage&) const = default;

  // A program that runs beside this one.
  void add(const run_usage& other) {
    cpu_seconds += other.cpu_seconds;
    mem_kb += other.mem_kb;
    vmem_kb += other.vmem_kb;
    cpu_percent += other.cpu_percent;
  }
};

// What time of this host counts as ($cputmult, $wallmult): a second of a slow host may be less than one, of a fast one more.
struct time_factors {
  double cput = 1, walltime = 1;
  bool operator==(const time_factors&) const = default;

  run_usage of(run_usage measured) const {
    measured.cpu_seconds = static_cast<std::uint64_t>(static_cast<double>(measured.cpu_seconds) * cput);
    measured.wall_seconds = static_cast<std::uint64_t>(static_cast<double>(measured.wall_seconds) * walltime);
    return measured;
  }
};

// A session that lives already and becomes a task of a run; its shepherd looks after it instead of starting a program.
struct attached_session {
  std::int64_t pid = 0, session = 0;  // pid 0: none
  std::uint64_t start_ticks = 0;      // of the process
  bool operator==(const attached_session&) const = default;
};

// What a run may take of its host. Kept by the kernel where there are cgroups (docs/design/0026-cgroups.md).
struct host_share {
  std::optional<std::uint64_t> memory_bytes, vmem_bytes;
  std::uint32_t ncpus = 0;  // its share when cpus are scarce
  bool cpu_quota = false;   // never more than ncpus
  bool operator==(const host_share&) const = default;
};

// Everything the shepherd needs to start a program; written to a file that only the MoM's user can read.
// Paths are absolute unless said otherwise. What comes from the user's account (home, login shell, numbers) is
// looked up by the host, so that an order is a pure function of what the server said and the MoM's settings.
struct run_order {
  values::program_key key;
  std::string job_id;
  std::string user;                        // name; must be the MoM's own when it does not run as root (else failed: -10)
  std::string group;                       // name; empty: the user's own
  std::vector<std::string> environment;    // NAME=value; the host adds HOME, USER, LOGNAME, SHELL and PBS_JOBDIR
  std::string shell;                       // empty: the user's login shell
  std::vector<std::string> shell_args;     // its name first; empty: those of a login shell
  std::vector<std::string> program;        // qsub -- program args; empty: a script job
  bool interactive = false;                // the program has a terminal, which a user of another host sits at; no output files
  std::string script;                      // where the script file is made (script jobs), mode 700, owned by the user
  std::optional<std::string> script_text;  // nothing: the file is there already
  std::string node_file, node_file_text;   // $PBS_NODEFILE; empty: none
  std::string stdout_file, stderr_file;    // spool files; the same for joined output; bare names lie in the job directory
  bool may_run_again = false;              // a start or an end that a power loss takes back harms nothing
  bool output_is_appended = false;         // to a file of many: no other name will lead to the spool files, which may be used again
  unsigned umask = 077;
  std::string jobdir;          // working directory; empty: the user's home
  bool is_task = false;        // beside the job's program: no prologue, no epilogue, and the job's directories are there
  bool as_mom = false;         // the program is a script of the site: it has the MoM's rights, and UID and GID say whose job it is
  bool not_as_root = false;    // failed, -3, if the user is one with root's rights: $reject_root_scripts
  attached_session attached;   // of a task: there is no program
  std::string private_jobdir;  // sandbox=PRIVATE: a directory of this name is made in the home, or jobdir, and removed by forget
  std::string tmpdir;          // made 700 for the user, by nobody before; removed at the end
  std::uint32_t ncpus = 0;
  std::optional<host_share> share;  // nothing: no cgroup is wanted
  std::uint32_t kill_delay_s = 10;  // after a SIGTERM, what is left of the run may go on this long (pbs guide: qdel)
  // rlimits: pcput or cput, file, pmem, pvmem (pbs guide: limits)
  std::optional<std::uint64_t> cpu_seconds_max, file_bytes_max, resident_bytes_max, address_bytes_max;
  std::optional<int> nice;
  // Told to prologue and epilogue.
  std::string job_name, queue, account, resource_list;  // "ncpus=1,place=free,walltime=00:01:40"
  std::uint32_t prologue_alarm_s = 30;
  bool without_prologue = false, without_epilogue = false;  // hooks of these events run instead of the site's scripts
};

struct program_started {
  std::int64_t pid = 0;
  std::int64_t session = 0;
  std::uint64_t start_ticks = 0;
  std::string jobdir;
};
// Exit status as PBS reports it (pbs guide: 256+n for a signal, 254 for a failed exec); -4 if the shepherd was killed
// and nobody can know. What was left of the run has been killed.
struct program_ended {
  int exit_status = 0;
  run_usage usage;
  std::string why = {};  // the kernel killed processes of it, which the exit status need not show; empty: it did not
};
// Not started. -2: the prologue ended with 1, or the order's words can't be carried out anywhere; -3: may be tried again, here or
// elsewhere (this host can't make a file or directory, has no such home, another end of the prologue, the shepherd died before the
// program); -4: nobody knows whether it started; -10: the user or group is
// unknown here or may not run.
struct start_failed {
  int code = 0;
  std::string text;
};

// One output file of a subjob as a record of a file that all subjobs of this host share (events/values/output_index.hpp).
struct shared_output {
  std::string path;   // of that file; a relative path starts in the user's home
  std::string inner;  // its name if `path` is a directory
  std::string host;   // ends its name
  values::output_record record;
};
struct delivery {                            // one output file to bring to its place
  std::string from;                          // spool file; a bare name lies in the job directory
  std::string to_host, to_path;              // a relative path starts in the user's home; a final / means a directory
  bool local = false;                        // same host or $usecp: copied, else scp
  std::optional<shared_output> shared = {};  // where it goes if that can be; else it goes to its own place
};
// A file or directory that is stored elsewhere: it comes to a run, or goes from it (pbs guide: stagein, stageout).
struct staged_file {
  std::string here;         // a relative path starts in the job directory; may have wildcards when it goes
  std::string host, there;  // where it is stored; a relative path starts in the user's home
  bool local = false;       // as in delivery
};
// What comes to a run before its program is started.
struct stage_in_order {
  std::string job_id, user;
  std::string private_jobdir;  // this and jobdir as in run_order
  std::string jobdir;
  std::vector<staged_file> files;
};
// What goes when the program has ended.
struct delivery_order {
  std::string user;
  std::vector<delivery> files;         // output
  std::vector<staged_file> out = {};   // their files are removed here when they are copied; directories stay
  std::vector<staged_file> used = {};  // came for the run: their files are removed here when all others are in their places
};
struct delivery_result {
  bool ok = true;
  std::string text;                     // what to log and mail if a file could not be copied (several lines)
  unsigned delivered = 0, asked = 0;    // files, or lists of files that one wildcard names
  unsigned seconds = 0;                 // how long it took
  std::vector<std::string> tries = {};  // that failed: "command: /bin/cp -rp a b status=1, try=1"
};

class process_host {
 public:
  virtual ~process_host() = default;

  // What happened, told on any thread. Every start ends in exactly one of: started then ended, or failed.
  struct events {
    std::function<void(const values::program_key& key, const program_started&)> started;
    std::function<void(const values::program_key& key, const start_failed&)> failed;
    std::function<void(const values::program_key& key, const program_ended&)> ended;
    std::function<void(const values::run_key&key, const delivery_result&)> staged_in, delivered;
    std::function<void(const values::run_key& key)> appended;                          // once for each append_output
    std::function<void(const values::run_key& key)> acted;                             // once for each confirm
    std::function<void(const values::program_key& key, const std::string& text)> log;  // a line for the MoM's log; may be empty
  };
  virtual void listen(events e) = 0;

  // Starts the program once: if the shepherd's exclusive file for this key exists, what it says is reported instead
  // (running: started; ended: started and ended; died before exec: failed). Never runs a program twice.
  virtual void start(const run_order& order) = 0;
  // Whether start() has taken this key in an earlier life of the MoM: it may run already, and is not decided again.
  virtual bool has_order(const values::program_key& key) const = 0;
  // After a restart of the MoM: finds the run by its files, as `start` would, without ever starting it. A run that
  // was never begun is told as failed (-3) and will not begin any more.
  virtual void adopt(const values::program_key& key) = 0;
  virtual void signal(const values::program_key& key, int signal) = 0;  // to every process of it
  // What the run and its tasks may take of the host from now on, where a cgroup confines them. Never less memory than they have now.
  virtual void confine(const values::run_key& key, const host_share& share) = 0;
  // Append to the run's standard error or output file, as the user: "=>> PBS: job killed: ...".
  virtual void append_stderr(const values::run_key& key, const std::string& text) = 0;
  virtual void append_stdout(const values::run_key& key, const std::string& text) = 0;
  // What a task of the run wrote, any bytes; one at a time: the next after events::appended, which comes also when the file
  // can't be written (or the run is not known).
  virtual void append_output(const values::run_key& key, bool errors, const std::string& bytes) = 0;
  // Told in events::acted when all signals and texts for standard output and error that were asked for this key before are on their
  // way, so that a MoM that dies then takes none of them back, or the run is over.
  virtual void confirm(const values::run_key& key) = 0;
  virtual std::optional<run_usage> usage(const values::program_key& key) = 0;  // now; nothing if it is not running
  // Copies as the user, several times if need be; ends in staged_in. A repeat of it, in this life or the next, ends an
  // earlier one that still goes on.
  virtual void stage_in(const values::run_key& key, const stage_in_order& order) = 0;
  // The run will not start: stops the copying and removes what came.
  virtual void unstage(const values::run_key& key, const stage_in_order& order) = 0;
  virtual void deliver(const values::run_key& key, const delivery_order& order) = 0;
  // A private job directory, or the spool, holds what could not be delivered: forget leaves it to its owner.
  virtual void keep_jobdir(const values::run_key& key) = 0;
  // Kills what is left of the run and removes its files (not undelivered output).
  virtual void forget(const values::program_key& key) = 0;
  // At the start of the MoM: forgets every run that has files here and is none of these, with all its programs, and removes
  // what an earlier life left and no run file tells of.
  virtual void forget_others(const std::set<values::run_key>& keys) = 0;
};

}  // namespace annals::ports
