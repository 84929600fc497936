// The whole cluster in one thread: real actors under CAF's testing scheduler, a virtual clock, a network and disks with
// seeded faults. Every process has an actor system of its own; a crash drops it with its mailboxes and what its disk had
// not synced. The same seed gives the same history.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "actors/link/wire/wire.hpp"
#include "events/log/fault_store.hpp"
#include "events/model/ledger.hpp"
#include "events/ports/process_host.hpp"
#include "events/schema/client.capnp.h"
#include "test/sim/clock.hpp"
#include "test/sim/host_checks.hpp"
#include "test/sim/job_words.hpp"
#include "test/sim/partitioned.hpp"
#include "test/sim/reduced_runs.hpp"
#include "test/sim/reserved_checks.hpp"
#include "test/sim/reserving.hpp"
#include "test/sim/site_hooks.hpp"
#include "test/sim/startups.hpp"
#include "test/sim/suspension.hpp"

namespace annals::projections {
class status;
}

namespace annals::sim {

class world;
class mom_process;
class scheduler_process;

// Whether a process still is the one that made something: what a dead one does goes nowhere.
using life = std::shared_ptr<bool>;

// -- network -----------------------------------------------------------------------------------------------------------------

// What one end of a link does with what comes. Called only while its process lives.
struct endpoint {
  wire::identity seen_as;  // by the other end
  life alive;
  std::function<void(const wire::connection_ptr&)> opened;
  std::function<void(const wire::connection_ptr&, schema::sealed_message)> received;
  std::function<void(const wire::connection_ptr&, const std::string&)> closed;
};

class link;

class network {
 public:
  explicit network(world& w) : world_(w) {}
  // A new connection between two ends; each is told `opened` with its connection.
  std::shared_ptr<link> connect(endpoint a, endpoint b);
  void break_link(const std::shared_ptr<link>& l, const std::string& why);
  void break_all_of(const life& process);  // the process is gone
  void break_between(const life& a, const life& b);
  bool deliver_one();  // something that is due; false: nothing is
  std::int64_t next_due() const;
  std::vector<std::shared_ptr<link>> open_links() const;
  double loss_rate = 0;  // planted bug: messages lost although the link lives

 private:
  friend class link;
  world& world_;
  std::vector<std::shared_ptr<link>> links_;
};

// -- processes ---------------------------------------------------------------------------------------------------------------

class process {
 public:
  virtual ~process() = default;
  virtual void start() = 0;
  virtual void crash() = 0;  // kill -9: mailboxes and unsynced data are gone
  virtual bool step() = 0;   // one message of one actor; false: nothing to do
  virtual void advance(std::int64_t ns) = 0;
  virtual bool up() const = 0;
  virtual const life& alive() const = 0;  // of its present life
  bool wants_crash = false;               // it stopped itself (failed sync)
};

// What a host's kernel and disk keep when its MoM dies.
struct host_machine {
  struct program {
    std::int64_t pid, started, ends;
    int exit;
    bool over = false;
    bool told = false;
    bool stopped = false;
  };
  std::map<values::program_key, program> programs;
  std::map<values::program_key, int> executions;          // how often each program was started, ever
  std::set<values::run_key> staged;                       // runs whose files came and have not gone
  std::set<values::program_key> lost_with_disk;           // of executions: nobody can say any more what they used
  std::set<values::task_key> outputs;                     // tasks whose output files are here
  std::set<std::string> lines;                            // of tasks' output that came here, to who asked or to the job's files
  std::map<values::run_key, std::string> places;          // node files of runs whose program is elsewhere
  std::map<values::program_key, std::string> node_files;  // that programs and tasks found when they were started
};

// What a task of the simulation writes, line by line.
std::vector<std::string> lines_of_task(const values::task_key& key, bool errors);

struct options {
  std::uint64_t seed = 1;
  int moms = 2;
  int jobs = 20;
  double server_crash = 0, mom_crash = 0, scheduler_crash = 0, link_break = 0;  // per step
  double sync_failure = 0;                                                      // per append of the server
  double uncertain = 0;                                                         // per append of the server: whether it was kept shows later
  // Per step: an operator does something with a job (qsig, qrerun, qdel, ...).
  double by_hand = 0;
  double disk_full = 0;  // per step: the server's disk fills, for some seconds
  // Per step: a host loses its power, and its programs with it.
  double power_off = 0;
  double new_disk = 0;  // of those: it comes back with an empty one
  // Per step: the server or a MoM stands still for some seconds.
  double pause = 0;
  // Per step: the clock of the server's machine, or of a MoM's, is set to another time of this week, or the week before, and right again
  // some seconds later.
  double clock_step = 0;
  double partition = 0;          // per step: some can't reach each other for some time
  std::int64_t node_fail_s = 0;  // node_fail_requeue; 0: as shipped
  // Also check vnodes, leaks, accounting and usage (host_checks.hpp).
  bool watch_hosts = false;
  // And that just the processes of suspended jobs stand still, while all hear the server (suspension.hpp).
  bool watch_suspension = false;
  std::int64_t history_s = 0;  // ended jobs are kept this long; 0: not at all
  double checkpoints = 0.5;    // of the server's starts: they go on from one (kept_checkpoints.hpp)
  // Planted bugs: the proof that the checkers find them.
  bool early_reply = false;            // the disk says "synced" before it is
  double wide = 0;                     // share of the jobs that ask for two or three hosts
  double tolerant = 0;                 // of them: that bear failures of their other hosts, at the start or always
  double tasks = 0;                    // share of the runs whose program starts tasks on all its hosts
  bool hostile_node = false;           // a host of the cluster asks the others for what it must not have
  double refused_places = 0;           // of the joins: the host can't set the job up
  std::int64_t node_file_takes_s = 0;  // until a host says that it is new
  double staging = 0;                  // share of the jobs whose files come before them
  double failing_copies = 0;           // of them: files don't come (while faults happen), output does not go
  std::int64_t staging_s = 0;          // files take so long to come; 0: as drawn, some seconds
  std::int64_t program_s = 0;          // programs run so long; 0: as drawn
  bool stubborn = false;               // programs catch SIGTERM and go on
  double lost_effect = 0;              // messages vanish from living links
  bool foolish_scheduler = false;      // proposes the same two cpus to everybody
  bool blind_ledger = false;           // the ledger agrees to everything
  // Crash the server (or the MoM) right after its n-th append; 0: never.
  std::uint64_t crash_server_at_append = 0, crash_mom_at_append = 0;
  bool site_hooks = false;  // hooks at every step of a job
  double hook_trouble = 0;  // of their runs: late, refused, raised, killed at the alarm
  double pruning = 0;       // of the hooks before a program: they let go of some of its job's vnodes
  double spares = 0;        // of the wide jobs: they are given more chunks than they ask for (rjselect)
  double releases = 0;      // per step: somebody releases some of a job's vnodes (pbs_release_nodes)
  double stage_out = 0;     // share of the jobs that free their other hosts when their files go (release_nodes_on_stageout)
  // Three schedulers, each with queues and hosts of its own (partitioned.hpp).
  bool partitions = false;
  double alterations = 0;         // per step: an administrator gives a host, a queue or a scheduler another partition
  double scheduler_trouble = 0;   // per step: a scheduler stands still, or can't reach the server, for some seconds
  bool greedy_scheduler = false;  // s2 proposes jobs of others too, on any host
  bool late_scheduler = false;    // s2 is not there until all jobs of the others are done
  int reservations = 0;           // that users ask for (reserving.hpp), and what must hold of them (reserved_checks.hpp)
  reserving reserved_kind = reserving::anything;
  std::int64_t walltime_s = 0;     // of every job; 0: none, and nobody knows when it ends
  std::string preempt_order = {};  // jobs of the queue express make others leave so; empty: there is no such queue
  double express = 0;              // share of the jobs that are in it
  double dependent = 0;            // share of the jobs that depend on others (dependent_jobs.hpp)
  bool fan = false;                // all of these on the first job
  std::size_t at_rest = 0;         // jobs told with one message when they rest (actors/sessions/resting_jobs.hpp); 0: as shipped
  double arrays = 0;               // share of the jobs that are arrays (array_checks.hpp)
  double loads = 0;                // share of the time in which the load of a host stops its jobs ($max_load with suspend)
  // Crash the default scheduler right after its n-th message; 0: never.
  std::uint64_t crash_scheduler_at_message = 0;
  startup start = {};  // every job is one that starts so (startups.hpp), and no message is late
  bool any_hooks() const { return site_hooks || pruning > 0 || start.by_hook; }
  bool reduces() const { return pruning > 0 || spares > 0 || releases > 0 || stage_out > 0 || start.spares > 0; }
};

class world {
 public:
  explicit world(options o);
  ~world();

  // Submits all jobs, lets faults happen, then heals everything and runs until nothing is left to do.
  // Empty: every check held. Else the first that did not, with the line that repeats it.
  std::string run();
  std::string digest() const;  // of the server's history
  std::string story() const;   // every event of jobs, runs and parts at the server and on the hosts, a line each

  sim_clock clock;
  machine_clock& clock_of(std::size_t process) { return clocks_.try_emplace(process, clock).first->second; }
  machine_clock& clock_of(const std::string& mom) { return clock_of(index_of(mom)); }
  std::mt19937_64 random;
  network net;
  options o;
  // What none of the faults here is a reason for: a MoM has given up by itself, or forgets what still lives.
  void found(const std::string& fault) {
    if (found_.empty()) found_ = fault;
  }
  bool trouble(double p) { return faults_on_ && chance(p); }
  bool chance(double p) { return p > 0 && std::uniform_real_distribution<double>(0, 1)(random) < p; }
  std::int64_t pick_ns(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); }
  void at(std::int64_t when, const life& of, std::function<void()> what);  // a timer of the outside world
  void drop_timers_of(const life& process);                                // with what they hold
  bool fire_one();                                                         // a timer that is due; false: none is
  std::int64_t next_timer() const { return timers_.empty() ? INT64_MAX : timers_.begin()->first; }

  // A MoM dials another one as long as `wanted` lives.
  void dial_mom(const std::string& from, const std::string& to, std::weak_ptr<bool> wanted);

  double load_of(const std::string& mom) const;  // of its host: another one every ten seconds, 0 when the faults are over

  bool start_scheduler(const std::string& name);  // false: it is up, or late
  void end_scheduler(const std::string& name);
  std::vector<std::string> tickets;  // every one that the server ever signed, for whoever steals them

  void look_at_start(mom_process& mom);                                           // its log got longer
  void program_starts(const values::run_key& key, const std::string& node_file);  // of a job
  int start_failures() const { return start_.failures(); }
  std::size_t reductions() const { return reduced_.count(); }                 // so often a run went on with less
  const std::map<std::string, int>& depended() const { return depended_; }    // what came of dependencies, and how often
  const std::map<std::string, int>& of_arrays() const { return of_arrays_; }  // what came of subjobs
  const std::map<std::string, int>& reserved() const { return reserved_.happened(); }
  std::size_t starts_from_checkpoints() const { return starts_from_checkpoints_; }
  std::size_t preemptions() const;  // so often a job left or stood still by itself, where nobody asks for it by hand
  std::uint64_t scheduler_messages = 0;

  log::fault_store& server_store();
  process& server() { return *processes_[0]; }

 private:
  friend class server_process;
  struct submission {
    std::string command_id;
    std::string acknowledged;
    bool sent = false;
    std::int64_t run_s = 0;
    bool staged = false;
    std::string queue = {};               // empty: the default one
    std::vector<asked_value> words = {};  // that it is submitted with besides
    bool may_depend = false;              // on jobs that are there when it is sent first
    bool may_be_refused = false;          // its reservation may be gone
    bool refused = false;
    bool answered() const { return refused || !acknowledged.empty(); }
  };
  struct mom_dial {
    std::size_t from, to;
    std::weak_ptr<bool> wanted;
    std::shared_ptr<link> made;
  };
  struct timer {
    life of;
    std::function<void()> what;
  };

  std::size_t first_mom() const { return o.partitions ? 4 : 2; }
  scheduler_process& scheduler(std::size_t i) const;
  std::size_t scheduler_named(const std::string& name) const;
  void fault_schedulers();
  void alter_partitions();
  bool only_late_jobs_left();
  bool step();  // false: nothing can happen without time passing
  void pass_time();
  void maybe_fault();
  void fault_hosts();
  void fault_clocks();
  void fail_sisters();
  void cut(std::size_t a, std::size_t b, std::int64_t until);
  bool stands_still(std::size_t process) const;
  bool can_talk(std::size_t a, std::size_t b) const;
  void let_time_pass(std::size_t process, std::int64_t ns);
  std::string check_vnodes();
  bool hears_server(std::size_t mom) const;
  std::int64_t last_deaf_ns() const;  // when any MoM could not hear the server, the last time
  bool joined_just_now(std::size_t mom, const values::run_key& key) const;
  std::string check_leaks();
  std::string check_accounting();
  std::string check_usage();
  std::map<values::run_key, std::uint64_t> hosts_whose_hooks_used() const;
  std::string check_output();      // after check_usage
  std::string check_reduced();     // after each step
  std::string check_sums();        // while nothing is on its way within the server
  std::string check_reductions();  // in the end
  std::size_t executions_of(const values::run_key& key) const;
  void connect_everybody();
  void connect_moms();
  void play_hostile_node();
  std::string check_hostile_node();
  std::size_t index_of(const std::string& mom) const;
  void submit_what_is_open();
  void add_dependencies(submission& to);
  void act_by_hand();
  void release_vnodes();
  void reserve();
  std::string check_reserved();  // after each step
  void add_job(const std::string& queue);
  void create_node(std::size_t mom);
  void set_server();
  bool quiet();
  const projections::status& status_now();  // of everything in the server's log
  std::string check();
  std::string unfinished();
  std::string check_history();
  std::string check_times();
  std::string check_checkpoints();
  std::string check_executions();
  void on_reply(schema::Reply::Reader r);

  std::unique_ptr<projections::status> folded_;  // up to the record before fold_next_
  std::uint64_t fold_next_ = 1;
  life folded_in_;  // of the server
  std::string found_;
  std::set<values::run_key> wholly_known_runs_;      // whose end was reported, with the usage of every host
  std::vector<std::unique_ptr<process>> processes_;  // server, schedulers, MoMs
  static constexpr std::size_t late_one = 3;         // s2
  bool late_one_came_ = false;
  std::vector<submission> submissions_;
  std::map<std::uint64_t, std::size_t> asked_;  // request id -> submission
  enum class node { unknown,
                    asked,
                    there };
  std::map<std::size_t, node> nodes_;  // by process index of the MoM
  hook_set_up hooks_;
  partition_set_up partitions_;
  express_set_up express_;
  reservation_users users_;
  reserved_vnodes reserved_;
  std::map<std::string, int> depended_;
  std::map<std::string, int> of_arrays_;
  node settings_ = node::unknown;                    // of the server
  std::uint64_t asked_settings_ = 0;                 // their request
  std::map<std::uint64_t, std::size_t> asked_node_;  // request id -> MoM
  std::uint64_t next_request_ = 1;
  std::shared_ptr<link> client_link_;
  life client_alive_ = std::make_shared<bool>(true);
  std::multimap<std::int64_t, timer> timers_;
  std::map<std::size_t, std::shared_ptr<link>> links_;  // of scheduler and MoMs, by process index
  std::vector<mom_dial> mom_dials_;
  std::map<std::size_t, std::shared_ptr<link>> hostile_links_;  // by process index of the victim
  std::map<std::size_t, machine_clock> clocks_;                 // by process index
  std::map<std::size_t, std::int64_t> restart_at_;
  std::map<std::size_t, std::int64_t> still_until_, missed_ns_;  // of processes that stand still: the time they did not see
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> cut_until_;
  std::map<std::size_t, std::int64_t> deaf_ns_;  // when a MoM could not hear the server, the last time
  freed_vnodes freed_;
  suspended_jobs suspended_;
  reduced_runs reduced_;
  watched_start start_;
  std::size_t starts_from_checkpoints_ = 0;
  std::int64_t calm_since_ns_ = 0;  // nobody fails any more
  std::int64_t disk_heals_at_ = 0;
  bool faults_on_ = true;
  bool altered_ = false;  // partitions, and not yet put right
};

}  // namespace annals::sim
