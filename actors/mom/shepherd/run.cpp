#include "actors/mom/shepherd/run.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "actors/mom/host/job_cgroup.hpp"
#include "actors/mom/host/open_path.hpp"
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/host/spool_names.hpp"
#include "actors/mom/shepherd/guard.hpp"
#include "actors/mom/shepherd/journal_file.hpp"
#include "actors/mom/shepherd/launch.hpp"
#include "actors/mom/shepherd/output_file.hpp"
#include "actors/mom/shepherd/reaping.hpp"
#include "actors/mom/shepherd/removing.hpp"
#include "actors/mom/shepherd/site_script.hpp"
#include "actors/mom/shepherd/spare_cgroup.hpp"
#include "actors/mom/shepherd/spare_directory.hpp"
#include "actors/mom/shepherd/spare_outputs.hpp"
#include "actors/mom/shepherd/terminal.hpp"

namespace annals::shepherd {
namespace {

// pbs guide: MoM exit codes. This host can't; the job is queued again.
constexpr int exit_retry = -3;
// What the job left behind may do this long after SIGTERM; longer would hold its host.
constexpr std::int64_t leftover_term_ms = 200;
// On top of kill_delay: the MoM sends the SIGKILL, this is for when there is no MoM.
constexpr std::int64_t mom_slack_ms = 5000;

// What the next run may have.
struct spare_places {
  spare_directory tmpdir;
  spare_cgroup cgroup;
  spare_outputs outputs;
};

class runner {
 public:
  runner(const mom::shepherd_order& order, journal_file& journal, terminal tty, spare_places* spare)
      : order_(order),
        journal_(journal),
        spare_(spare),
        tty_(std::move(tty)),
        who_(make_identity(order.change_user, order.uid, order.gid, order.groups)),
        cgroup_(order.cgroup_roots, order.cgroup_parent, order.key) {}
  ~runner() {
    if (is_interactive()) return;
    if (err_ >= 0 && err_ != out_) close(err_);
    if (out_ >= 0) close(out_);
  }
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  void run() {
    std::string wrong;
    if (!make_places(wrong)) {
      remove_places();
      return fail(exit_retry, wrong);
    }
    if (!prologue()) return;
    if (!start(wrong)) {
      dprintf(err_, "pbs_mom: %s\n", wrong.c_str());
      exit_status_ = exit_retry;
      clean_up();
      return fail(exit_retry, wrong);
    }
    watch();
    finish();
  }

 private:
  // The directories and output files. What can't be made here may be made on another host, or later: the job is not to blame.
  bool make_places(std::string& wrong) {
    umask(static_cast<mode_t>(order_.umask));
    if (!make_directories(wrong)) return false;
    if (is_interactive()) {
      out_ = err_ = tty_.our_end;
      journal_.append(mom::terminal_line(tty_.name));
      return true;
    }
    out_ = open_output(order_.stdout_file);
    if (out_ >= 0) err_ = order_.stderr_file == order_.stdout_file ? out_ : open_output(order_.stderr_file);
    if (out_ >= 0 && err_ >= 0) return true;
    wrong = error_text("can't open output file " + (out_ < 0 ? order_.stdout_file : order_.stderr_file));
    return false;
  }

  bool is_interactive() const { return !order_.terminal.empty(); }

  // With the user's rights.
  bool make_directories(std::string& wrong) {
    const acting_as user(who_);
    if (!user.good()) {
      wrong = error_text("can't become " + order_.user);
      return false;
    }
    if (order_.make_jobdir) {
      if (!make_jobdir(order_.jobdir, wrong)) return false;
      journal_.append(mom::log_line("created the job directory " + order_.jobdir));
    }
    if (order_.tmpdir.empty()) return true;
    if (spare_ && !(order_.umask & 0700)) tmpdir_ = spare_->tmpdir.use(order_.tmpdir, who_);
    if (!tmpdir_ && (mkdir(order_.tmpdir.c_str(), 0700) != 0 || !(tmpdir_ = directory_at(order_.tmpdir)))) {
      wrong = error_text("can't make directory " + order_.tmpdir);
      return false;
    }
    journal_.append_with_next(mom::line_of(*tmpdir_));
    return true;
  }

  // One that files of this run were staged into will do; somebody else's, or a link, will not.
  bool make_jobdir(const std::string& path, std::string& wrong) const {
    struct stat st {};
    if (mkdir(path.c_str(), 0700) == 0) return true;
    const int error = errno;
    if (error == EEXIST && lstat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == order_.uid) return true;
    errno = error;
    wrong = error_text("can't make directory " + path);
    return false;
  }

  // A file of the spool directory is made by us, who alone may write there; any other is the user's own place (-k d, a private job
  // directory) and opened with his rights.
  int open_output(const std::string& path) const {
    const std::string spool = order_.mom_priv.substr(0, order_.mom_priv.rfind('/')) + "/spool";
    if (mom::is_spool_file_of(path, spool, order_.job_id, order_.key)) {
      const bool again = spare_ && order_.output_is_appended;
      return again ? spare_->outputs.make_spool_file(path, who_, order_.umask) : make_spool_file(path, who_);
    }
    const acting_as user(who_);
    if (!user.good()) return -1;
    return shepherd::open_output(path, {.make = true, .shared = order_.make_jobdir});
  }

  // False: the run is over.
  bool prologue() {
    if (order_.prologue.empty()) return true;
    journal_.append(mom::log_line("running prologue"));
    const site_script script{order_.prologue,
                             {order_.job_id, order_.user, order_.group},
                             order_.mom_priv,
                             order_.jobdir,
                             out_,
                             err_,
                             order_.prologue_alarm_s,
                             {}};
    const auto result = run_script(script);
    if (result.exit == 0) return true;
    const auto text = failure_text(script, result);
    const int code = result.exit == 1 ? -2 : exit_retry;
    journal_.append(mom::log_line(text));
    dprintf(err_, "Could not run prolog: %s\n", text.c_str());
    exit_status_ = code;
    clean_up();
    fail(code, text);
    return false;
  }

  bool start(std::string& wrong) {
    cpu_ms_before_ = ended_children_cpu_ms();  // of the prologue, and of runs before this one
    program p;
    std::vector<std::string> arguments;
    std::string path;
    if (order_.program.empty()) {
      path = find_program(order_.shell);
      arguments = order_.shell_args;
      if (arguments.empty()) arguments = {'-' + path.substr(path.rfind('/') + 1)};  // a login shell
    } else {
      path = order_.find_program ? find_program(order_.program.front()) : order_.program.front();
      arguments = order_.program;
    }
    p.envp = pointers(order_.environment);
    p.directory = order_.jobdir.c_str();
    p.in = is_interactive() ? tty_.program_end : standard_input();
    p.out = is_interactive() ? tty_.program_end : out_;
    p.err = is_interactive() ? tty_.program_end : err_;
    if (is_interactive()) {
      // It waits for its user in the process that it becomes.
      arguments.insert(arguments.begin(), {"pbs_terminal", "begin", std::to_string(tty_.go), path});
      path = order_.terminal;
      p.keep = {tty_.go};
    }
    p.path = path.c_str();
    p.argv = pointers(arguments);
    p.who = make_identity(order_.change_user && !order_.program_as_mom, order_.uid, order_.gid, order_.groups);
    p.limits = &order_;
    make_cgroup(cgroup_, order_, journal_, spare_ ? &spare_->cgroup : nullptr);
    if (!journal_.append(mom::forking_line())) {
      wrong = error_text("can't write the journal");
      return false;
    }
    p.cgroup_doors = cgroup_.open_doors();
    const launched l = launch(p);
    for (const int door : p.cgroup_doors) close(door);
    if (l.outside) journal_.append(mom::log_line(std::string("the program is not in its cgroup: ") + strerror(l.outside)));
    close(p.in);
    if (l.pid < 0) {
      wrong = std::string(l.step) + (std::strcmp(l.step, "directory") == 0 ? ' ' + order_.jobdir : "") + ": " +
              strerror(l.error);
      return false;
    }
    top_.pid = l.pid;
    started_ms_ = mom::boottime_ms();
    const auto seen = mom::read_process(l.pid);
    journal_.append(mom::line_of(mom::journal_started{l.pid, l.pid, seen ? seen->start_ticks : 0, started_ms_, cpu_ms_before_}));
    return true;
  }

  // As any shell reads it: of "3[1].borg.SC" the brackets are no pattern, which the script of job 31 would match.
  static std::string typed(const std::string& path) {
    constexpr std::string_view plain = "/._-";
    std::string text;
    for (const char c : path) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c < 0 ||
                            plain.find(c) != plain.npos;
      if (!is_plain) text += '\\';
      text += c;
    }
    return text;
  }

  // The script's path name for a shell; nothing for a program.
  int standard_input() const {
    int ends[2];
    if (!order_.program.empty() || pipe2(ends, O_CLOEXEC) != 0) return mom::open_path("/dev/null", O_RDONLY);
    dprintf(ends[1], "%s\n", typed(order_.script).c_str());  // a path fits into any pipe
    close(ends[1]);
    return ends[0];
  }

  // A name without a slash is looked for in the job's PATH, with the user's rights.
  std::string find_program(const std::string& name) const {
    if (name.find('/') != std::string::npos) return name;
    const acting_as user(who_);
    for (const auto& entry : order_.environment) {
      if (entry.compare(0, 5, "PATH=") != 0) continue;
      for (std::size_t at = 5; at <= entry.size();) {
        const auto end = std::min(entry.find(':', at), entry.size());
        const std::string path = entry.substr(at, end - at) + '/' + name;
        struct stat st {};
        if (path.front() == '/' && stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) &&
            faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0)
          return path;
        at = end + 1;
      }
    }
    return name;
  }

  // Until nothing of the run is left.
  void watch() {
    std::int64_t grace_until = 0;
    bool patient = true;
    while (!top_.ended) {
      const auto w = wait_for_signal(-1);
      if (w.what == wake::request) {
        pass_on(w.signal);
        if (w.signal == SIGTERM) grace_until = monotonic_ms() + std::int64_t{order_.kill_delay_s} * 1000 + mom_slack_ms;
        if (w.signal == SIGKILL) patient = false;
      } else if (w.what == wake::stop) {
        patient = false;
        cgroup_.freeze(false);
        end_descendants(top_, 0);
        if (!top_.ended) break;  // it hangs in the kernel
      }
      reap_ended(top_);
    }
    exit_status_ = !top_.ended                ? 256 + SIGKILL
                   : WIFSIGNALED(top_.status) ? 256 + WTERMSIG(top_.status)
                                              : WEXITSTATUS(top_.status);
    wall_ms_ = mom::boottime_ms() - started_ms_;
    journal_.append(mom::exited_line(result()));
    if (may_be_frozen_) cgroup_.freeze(false);  // what is left can end by itself
    if (patient && grace_until > monotonic_ms()) {
      let_descendants_end(top_, grace_until - monotonic_ms());
      patient = false;
    }
    end_descendants(top_, patient ? leftover_term_ms : 0);
    empty_cgroup(cgroup_, top_);
    wall_ms_ = mom::boottime_ms() - started_ms_;
    take_usage();
  }

  void pass_on(int signal) {
    may_be_frozen_ = may_be_frozen_ || signal == SIGSTOP;
    signal_descendants(signal);
    cgroup_.follow(signal);
  }

  void take_usage() {
    const auto used = cgroup_.usage();
    cpu_ms_ = std::max(ended_children_cpu_ms() - cpu_ms_before_, used.cpu_ms.value_or(0));
    mem_kb_ = used.mem_kb.value_or(0);
    vmem_kb_ = used.vmem_kb.value_or(0);
    if (used.oom_kills == 0) return;
    const auto text = memory_limit() + ": processes killed by the kernel: " + std::to_string(used.oom_kills);
    dprintf(err_, "=>> PBS: %s\n", text.c_str());
    journal_.append(mom::log_line(text) + mom::killed_line(text));
  }

  // "Cgroup mem limit exceeded (40960kb)". A job may have a limit of memory and swap together alone.
  std::string memory_limit() const {
    const bool of_both = !order_.cgroup_memory_bytes && order_.cgroup_vmem_bytes;
    const auto& limit = of_both ? order_.cgroup_vmem_bytes : order_.cgroup_memory_bytes;
    return std::string("Cgroup ") + (of_both ? "vmem" : "mem") + " limit exceeded" +
           (limit ? " (" + std::to_string(*limit / 1024) + "kb)" : std::string());
  }

  static std::uint64_t ended_children_cpu_ms() {
    rusage now{};
    getrusage(RUSAGE_CHILDREN, &now);
    const auto ms = [](const timeval& t) {
      return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_usec) / 1000;
    };
    return ms(now.ru_utime) + ms(now.ru_stime);
  }

  mom::journal_ended result() const { return {exit_status_, cpu_ms_, wall_ms_, mem_kb_, vmem_kb_}; }

  void finish() {
    clean_up();
    journal_.append_last(mom::line_of(result()));
  }

  void fail(int code, const std::string& text) { journal_.append_last(mom::line_of(mom::journal_failed{code, text})); }

  void clean_up() {
    epilogue();
    spare_ ? spare_->cgroup.keep(cgroup_) : (void)cgroup_.remove();
    remove_places();
  }

  void remove_places() {
    if (!tmpdir_) return;
    {
      const acting_as user(who_);
      if (directory_at(order_.tmpdir) != tmpdir_) return;  // the job put something else there
      if (spare_ && spare_->tmpdir.keep(order_.tmpdir, *tmpdir_, who_)) return;
      if (rmdir(order_.tmpdir.c_str()) == 0 || errno == ENOENT) return;
    }
    // Not with changed effective ids only: the tree is full of names that the user chose.
    top_process remover{fork()};
    if (remover.pid == 0) {
      if (become(who_)) remove_tree(order_.tmpdir);
      _exit(0);
    }
    if (remover.pid < 0) journal_.append(mom::log_line(error_text("can't remove " + order_.tmpdir)));  // the MoM will
    // Not for our other children: who hangs in the kernel was given up.
    while (remover.pid > 0 && !remover.ended && !reap_ended(remover)) wait_for_signal(1000);
  }

  void epilogue() const {
    if (order_.epilogue.empty()) return;
    journal_.append(mom::log_line("running epilogue"));
    const site_script script{
        order_.epilogue,
        {order_.job_id, order_.user, order_.group, order_.job_name, std::to_string(top_.pid), order_.resource_list,
         used_text(), order_.queue, order_.account.empty() ? "null" : order_.account, std::to_string(exit_status_)},
        order_.jobdir,
        order_.jobdir,
        out_,
        err_,
        order_.prologue_alarm_s,
        order_.mom_priv};
    const auto result = run_script(script);
    if (result.exit != 0) journal_.append(mom::log_line(failure_text(script, result)));
  }

  std::string used_text() const {
    if (top_.pid == 0) return "walltime=00:00:00";
    return "cpupercent=0,cput=" + duration_text(cpu_ms_ / 1000) + ",mem=" + std::to_string(mem_kb_) +
           "kb,ncpus=" + std::to_string(order_.ncpus) + ",vmem=" + std::to_string(vmem_kb_) +
           "kb,walltime=" + duration_text(wall_ms_ / 1000);
  }

  static std::string duration_text(std::uint64_t s) {
    char text[64];
    snprintf(text, sizeof text, "%02llu:%02llu:%02llu", static_cast<unsigned long long>(s / 3600),
             static_cast<unsigned long long>(s / 60 % 60), static_cast<unsigned long long>(s % 60));
    return text;
  }

  static std::string error_text(const std::string& what) { return what + ": " + strerror(errno); }

  const mom::shepherd_order& order_;
  journal_file& journal_;
  spare_places* const spare_;  // none: there will be no run after this one
  const terminal tty_;
  const identity who_;
  const mom::job_cgroup cgroup_;
  int out_ = -1, err_ = -1;
  std::optional<mom::journal_made> tmpdir_;
  top_process top_;
  bool may_be_frozen_ = false;
  int exit_status_ = 0;
  std::uint64_t started_ms_ = 0, wall_ms_ = 0, cpu_ms_before_ = 0, cpu_ms_ = 0, mem_kb_ = 0, vmem_kb_ = 0;
};

// False: there was nothing for us to run, or it could not begin.
bool run_one(const char* path, const std::string& boot, spare_places* spare) {
  journal_file journal;
  if (!journal.claim(path, boot)) return false;
  const auto& order = journal.order();
  terminal tty;
  std::string wrong;
  if (!order) wrong = "the order can't be read";
  else if (!order->terminal.empty())
    open_terminal(*order, make_identity(order->change_user, order->uid, order->gid, order->groups), tty, wrong);
  if (!wrong.empty()) {
    journal.append_last(mom::line_of(mom::journal_failed{exit_retry, wrong}));
    return false;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // from here on: the terminal's owner, an orphan, is none of the job's
  if (order->attached_pid != 0) guard(*order, journal);
  else runner(*order, journal, std::move(tty), spare).run();
  return true;
}

// A MoM that may have another run for us names its file there.
bool hears_of_more() {
  struct stat st {};
  return fstat(0, &st) == 0 && S_ISSOCK(st.st_mode);
}

// Waits for the name of the next file. Empty: there is none, or `ended`, which is readable when SIGTERM has come, says so.
std::string next_file(int ended) {
  pollfd input[2] = {{0, POLLIN, 0}, {ended, POLLIN, 0}};
  while (poll(input, 2, -1) < 0)
    if (errno != EINTR) return {};
  if (input[1].revents) return {};
  char name[PATH_MAX];
  const ssize_t n = read(0, name, sizeof name);
  return n > 0 ? std::string(name, static_cast<std::size_t>(n)) : std::string();
}

bool has_children() {
  top_process none;
  return !reap_ended(none);
}

}  // namespace

int run(const char* path) {
  const sigset_t ours = awaited_signals();
  sigprocmask(SIG_BLOCK, &ours, nullptr);
  setsid();  // away from the MoM's session; a MoM that spawned us has done so already
  const auto boot = mom::boot_id();
  if (!hears_of_more()) {
    run_one(path, boot, nullptr);
    return 0;
  }
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  const int ended = signalfd(-1, &term, SFD_CLOEXEC);
  spare_places spare;
  std::string file = path;
  // What hangs in the kernel would be taken for a part of the next run.
  while (!file.empty() && run_one(file.c_str(), boot, &spare) && !has_children()) file = next_file(ended);
  return 0;
}

}  // namespace annals::shepherd
