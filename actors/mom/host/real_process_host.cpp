#include "actors/mom/host/real_process_host.hpp"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <set>
#include <system_error>

#include "actors/mom/host/account.hpp"
#include "actors/mom/host/child_process.hpp"
#include "actors/mom/host/event_loop.hpp"
#include "actors/mom/host/host_news.hpp"
#include "actors/mom/host/host_runs.hpp"
#include "actors/mom/host/kept_shepherds.hpp"
#include "actors/mom/host/later_tasks.hpp"
#include "actors/mom/host/leftovers.hpp"
#include "actors/mom/host/machine_order.hpp"
#include "actors/mom/host/recycled_files.hpp"
#include "actors/mom/host/run_cgroups.hpp"
#include "actors/mom/host/run_copies.hpp"
#include "actors/mom/host/run_files.hpp"
#include "actors/mom/host/run_output.hpp"
#include "actors/mom/host/run_removal.hpp"
#include "actors/mom/host/user_work.hpp"
#include "actors/mom/host/verdict.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::mom {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds recheck_delay{20};     // of what only time changes: a lock passing on, killed processes vanishing
constexpr unsigned leftover_tries_max = 250;  // 5 s; what can't be killed then (a hung disk) can't be waited for

bool exists(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0;
}

}  // namespace

class real_process_host::impl {
 public:
  explicit impl(host_options options)
      : options_(std::move(options)),
        files_(options_.pbs_home),
        cgroups_(options_.cgroup_roots, options_.cgroup_parent),
        boot_(boot_id()),
        accounts_(options_.names),
        sampler_(options_.usage_age_max) {
    files_.make_directories();
    run_store_.emplace(files_.jobs(), "run");
    copy_store_.emplace(files_.jobs(), "copy");
    node_store_.emplace(files_.aux(), "nodes");
    inotify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (inotify_ < 0 || inotify_add_watch(inotify_, files_.jobs().c_str(), IN_MODIFY) < 0)
      throw std::system_error(errno, std::generic_category(), "inotify");
    loop_ = std::make_unique<event_loop>("loop.runs", options_.complain);
    later_ = std::make_unique<later_tasks>(*loop_, news_);
    user_work_ = std::make_unique<user_work>(*loop_, options_.shepherd);
    kept_ = std::make_unique<kept_shepherds>(*loop_, options_.kept_idle_max);
    copies_ = std::make_unique<run_copies>(options_, files_, accounts_, *user_work_, *later_, news_, *copy_store_);
    output_ = std::make_unique<run_output>(options_, files_, *user_work_, *later_, news_);
    removal_.emplace(files_, runs_, *run_store_, *node_store_, *user_work_, news_, [this](host_run& r) { drop(r); });
    loop_->post([this] { loop_->watch(inotify_, [this] { news_.guarded([this] { read_inotify(); }); }); });
    loop_->post([this] { sweep_cgroups(leftover_tries_max); });
  }

  ~impl() {
    loop_->stop();
    close(inotify_);
  }

  void listen(events e) { news_.listen(std::move(e)); }

  // Runs a task on the loop's thread, with the lock; what it wants to tell is told after it, without the lock.
  void work(event_loop::task t) {
    loop_->post([this, t = std::move(t)] { news_.guarded(t); });
  }

  // -- start and adopt

  void start(const ports::run_order& order) {
    if (!names_a_file(order.key) || !is_file_name(order.job_id))
      return news_.failed(order.key, -2, "no file can be named " + print(order.key));
    if (known(order.key, true)) return;
    const auto found = accounts_.find(order.user, order.group);
    if (const auto* const none = std::get_if<no_account>(&found)) return news_.failed(order.key, none->ask_again ? -3 : -10, none->why);
    const auto& user = std::get<account>(found);
    if (order.not_as_root && user.uid == 0)
      return news_.failed(order.key, -3, std::string(values::pbs_error_text(values::pbs_error::mom_rejects_root)));
    shepherd_order filled = order_on(this_machine(), order, user);
    cgroups_.write_into(filled, order);
    const auto text = print_order(filled);
    if (const auto wrong = prepare(order, filled, text); !wrong.empty()) return news_.failed(order.key, -3, wrong);
    auto mark = journal_mark(filled, text);
    begin(runs_.add(order.key, {std::move(filled), text.size(), std::move(mark)}));
  }

  void begin(host_run& r) {
    const auto file = files_.run(r.key);
    r.crew = crew_of(r.order);
    auto shepherd = kept_->take(r.crew, file);
    r.handed_over = shepherd.has_value();
    if (!shepherd) shepherd = start_shepherd(options_.shepherd, file, !r.crew.empty());
    if (shepherd) {
      r.child = shepherd->child.pid;
      r.files = shepherd->files;
      watch_shepherd(r, shepherd->child.pidfd);
      return;
    }
    // An earlier MoM's shepherd may still be on its way to this file: only the lock can say that nobody begins it.
    r.why_not = options_.shepherd + ": " + std::strerror(errno);
    find_shepherd(r);
  }

  bool has_order(const values::program_key& key) const { return runs_.in_file(key); }

  void adopt(const values::program_key& key) {
    if (!names_a_file(key)) return news_.failed(key, -2, "no file can be named " + print(key));
    // Never ordered: examine() will make a run file that says so, which keeps a shepherd away.
    if (!known(key, false)) examine(runs_.load(key), false);
  }

  // A run that was ordered already, here or in an earlier life: tells again what is known of it, and begins it if
  // nobody has (a MoM that died between the order and the shepherd).
  bool known(const values::program_key& key, bool may_begin) {
    auto* const there = runs_.look_up(key);
    if (!there) return false;
    host_run& r = *there;
    r.started_told = r.over_told = false;
    examine(r, may_begin);
    return true;
  }

  machine this_machine() const {
    const auto& shepherd = options_.shepherd;
    machine here{files_.mom_priv(), {}, {}, shepherd.substr(0, shepherd.rfind('/') + 1) + "pbs_terminal"};
    if (exists(here.mom_priv + "/prologue")) here.prologue = here.mom_priv + "/prologue";
    if (exists(here.mom_priv + "/epilogue")) here.epilogue = here.mom_priv + "/epilogue";
    return here;
  }

  // Puts everything on disk that the shepherd reads. Returns what went wrong.
  std::string prepare(const ports::run_order& o, const shepherd_order& s, std::string_view s_text) {
    const auto text_of = [](const std::string& path, int error) {
      return error ? path + ": " + std::strerror(error) : "";
    };
    if (!o.node_file.empty())
      if (const int e = node_store_->write(o.node_file, o.node_file_text, 0644)) return text_of(o.node_file, e);
    if (!s.script.empty() && o.script_text)
      if (const int e = write_file_for(s.script, *o.script_text, 0700, s.uid, s.gid)) return text_of(s.script, e);
    return text_of(files_.run(o.key), run_store_->write(files_.run(o.key), s_text, 0600));
  }

  // -- what the journal says

  void read_inotify() {
    alignas(inotify_event) char buffer[16384];
    std::set<values::program_key> changed;
    for (ssize_t n; (n = read(inotify_, buffer, sizeof buffer)) > 0;)
      for (const char* at = buffer; at < buffer + n;) {
        const auto* const e = reinterpret_cast<const inotify_event*>(at);
        const std::string_view name = e->len ? e->name : "";
        if (e->mask & IN_Q_OVERFLOW)
          for (const auto& [key, r] : runs_) changed.insert(key);
        if (name.ends_with(".run"))
          if (auto key = values::parse_program_key(name.substr(0, name.size() - 4))) changed.insert(std::move(*key));
        at += sizeof(inotify_event) + e->len;
      }
    for (const auto& key : changed)
      if (auto* const r = runs_.find(key)) examine(*r, false);
  }

  // Reads the journal and acts on it. May end the life of `r`.
  void examine(host_run& r, bool may_begin) {
    runs_.read_journal(r);
    if (!r.journal.terminal.empty()) r.order.stdout_file = r.order.stderr_file = r.journal.terminal;
    if (r.journal.over() || r.pidfd >= 0) return tell_about(r);
    if (may_begin && !r.journal.claimed) return begin(r);
    find_shepherd(r);
  }

  void tell_about(host_run& r) {
    const auto& j = r.journal;
    for (; r.log_told < j.log.size(); ++r.log_told)
      news_.tell([key = r.key, text = j.log[r.log_told]](const events& e) {
        if (e.log) e.log(key, text);
      });
    if (!r.forgetting && j.started && !r.started_told) {
      r.started_told = true;
      news_.tell([key = r.key, s = ports::program_started{j.started->pid, j.started->session, j.started->start_ticks,
                                                          r.order.jobdir}](const events& e) {
        if (e.started) e.started(key, s);
      });
    }
    if (!j.over()) return;
    carry_out_asked(r);
    keep_shepherd(r);
    if (r.forgetting) return removal_->remove(r);
    if (r.over_told) return;
    r.over_told = true;
    if (j.ended) {
      ports::program_ended ended{j.ended->exit_status, r.meter.so_far()};
      ended.usage.cpu_seconds = std::max(ended.usage.cpu_seconds, j.ended->cpu_ms / 1000);
      ended.usage.mem_kb = std::max(ended.usage.mem_kb, j.ended->mem_kb);
      ended.usage.vmem_kb = std::max(ended.usage.vmem_kb, j.ended->vmem_kb);
      ended.usage.wall_seconds = j.ended->wall_ms / 1000;
      ended.usage.ncpus = r.order.ncpus;
      ended.why = j.killed;
      news_.tell([key = r.key, ended](const events& e) {
        if (e.ended) e.ended(key, ended);
      });
    } else {
      news_.failed(r.key, j.failed->code, j.failed->text);
    }
  }

  // The journal is open-ended and no shepherd is watched: either one lives (of an earlier MoM), or there will be none.
  void find_shepherd(host_run& r) {
    const bool this_boot = r.journal.claimed && r.journal.claimed->boot == boot_;
    const int pidfd = this_boot ? open_pidfd(static_cast<pid_t>(r.journal.claimed->pid)) : -1;
    // The number may be another process's by now. The lock can't: it dies with the shepherd.
    if (const auto held = held_run::take(files_.run(r.key), true)) {
      if (pidfd >= 0) close(pidfd);
      r.journal = parse_journal(held->text(r.journal_at), r.mark);
      if (r.journal.over()) return tell_about(r);
      return close_journal(r, *held);
    }
    if (pidfd >= 0) {
      watch_shepherd(r, pidfd);
      return tell_about(r);
    }
    recheck(r);
  }

  // The shepherd is dead and did not say how the run ended. What it left is killed, then we say it.
  void close_journal(host_run& r, const held_run& held) {
    const auto cgroup = cgroup_of(r.order);
    if (r.journal.started) r.meter.sample(cgroup.usage(), r.journal.started->boottime_ms, boottime_ms());
    const auto verdict = verdict_on(r.journal, {boot_, boottime_ms(), r.meter.so_far().cpu_seconds * 1000, r.why_not});
    if (verdict.may_have_left_processes && kill_leftovers(r) && ++r.leftover_tries < leftover_tries_max)
      return recheck(r);
    cgroup.remove();
    if (!held.append(marked(verdict.line, r.mark))) return recheck(r);  // a full disk: nothing is told that is not on it
    r.journal = parse_journal(held.text(r.journal_at), r.mark);
    tell_about(r);
  }

  bool kill_leftovers(const host_run& r) {
    const auto text = read_file(files_.run(r.key)).value_or("");
    const auto order = parts_of(text, print(r.key)).order;
    return order && kill_leftovers_of(*order, r.journal.started);
  }

  // What an earlier MoM could not clean up: its run files are gone, or it was killed in the middle.
  void sweep_cgroups(unsigned tries) {
    const auto known = [this](const values::program_key& key) { return runs_.in_file(key); };
    if (cgroups_.sweep(known) || tries == 0) return;
    loop_->after(recheck_delay, [this, tries] { sweep_cgroups(tries - 1); });
  }

  void recheck(const host_run& r) {
    loop_->after(recheck_delay, [this, key = r.key] {
      news_.guarded([&] {
        if (auto* const there = runs_.find(key)) examine(*there, false);
      });
    });
  }

  void watch_shepherd(host_run& r, int pidfd) {
    r.pidfd = pidfd;
    if (pidfd < 0) return recheck(r);
    loop_->watch(pidfd, [this, key = r.key] { news_.guarded([&] { shepherd_ended(key); }); });
    if (r.forgetting) stop(r);
    carry_out_asked(r);
  }

  void stop(host_run& r) {
    r.alone = true;
    stop_shepherd(r.pidfd);
  }

  // It has written the last line of this run, and may have the next one.
  void keep_shepherd(host_run& r) {
    if (r.files < 0) return;
    if (r.alone) return r.close_files();
    loop_->unwatch(r.pidfd);
    kept_->keep(r.crew, {{r.child, r.pidfd}, r.files});
    r.child = 0;
    r.pidfd = r.files = -1;
  }

  void shepherd_ended(const values::program_key& key) {
    auto* const r = runs_.find(key);
    if (!r) return;
    unwatch_shepherd(*r);
    // One that had nothing to do may have died before it read of this run.
    const bool unheard = std::exchange(r->handed_over, false) && !r->forgetting;
    examine(*r, unheard);
  }

  void unwatch_shepherd(host_run& r) {
    if (r.pidfd >= 0) {
      loop_->unwatch(r.pidfd);
      close(r.pidfd);
      r.pidfd = -1;
    }
    r.close_files();
    if (r.child > 0) reap(r.child);
    r.child = 0;
  }

  // -- forget

  void forget(const values::program_key& key) {
    if (!names_a_file(key)) return;
    for (const auto what : {work::copying, work::output}) {
      later_->forget({key, what});
      user_work_->stop({key, what});
    }
    if (key.is_own()) copies_->forget(key.run());
    auto* const r = runs_.look_up(key);
    if (!r) return;
    r->forgetting = true;
    if (r->pidfd >= 0 && !r->journal.over()) stop(*r);
    examine(*r, false);
  }

  void forget_others(const std::set<values::run_key>& keys) {
    std::set<std::string> jobs;
    for (const auto& key : keys) jobs.insert(key.job);
    std::vector<std::string> strange;
    std::vector<values::program_key> others;
    for (auto& key : files_.keys(strange)) {
      jobs.insert(key.run().job);                     // those that are forgotten still need their run files, which tell of the rest
      if (keys.contains(key.run())) runs_.load(key);  // so that it is seen to share its job's files
      else others.push_back(std::move(key));
    }
    for (const auto& key : others) forget(key);
    removal_->remove_unknown_but(jobs, options_.tmpdir, options_.mark);
    for (const auto& path : strange)
      if (options_.complain) options_.complain(path + " is of no run: it is left alone");
  }

  // Out of memory. A shepherd that has told its end needs a moment to exit: it is reaped when it does.
  void drop(host_run& r) {
    if (r.pidfd >= 0) {
      loop_->unwatch(r.pidfd);
      if (r.child > 0)
        user_work_->reap_later({r.child, r.pidfd});
      else
        close(r.pidfd);
    }
    runs_.drop(r.key);
  }

  // -- files of the run's owner

  void append(const values::run_key& key, std::string shepherd_order::*file, const std::string& text) {
    const auto* const r = runs_.find(key);
    if (!r || (r->order.*file).empty()) return;
    output_->append(r->order, r->order.*file, text);
  }

  void append_output(const values::run_key& key, bool errors, const std::string& bytes) {
    const auto* const r = runs_.look_up(key);
    if (!r) return news_.appended(key);
    output_->append_surely(key, r->order, errors ? r->order.stderr_file : r->order.stdout_file, bytes);
  }

  void stage_in(const values::run_key& key, const ports::stage_in_order& order) { copies_->stage_in(key, order); }
  void unstage(const values::run_key& key, const ports::stage_in_order& order) { copies_->unstage(key, order); }
  void deliver(const values::run_key& key, const ports::delivery_order& order) {
    const auto* const r = runs_.look_up(key);
    copies_->deliver(key, order, r ? r->order.jobdir : "");
  }

  void keep_jobdir(const values::run_key& key) {
    if (auto* const r = runs_.look_up(key)) r->keep_jobdir = true;
  }

  // -- signals and usage

  void signal(const values::program_key& key, int number) {
    if (auto* const r = runs_.find(key)) ask(*r, number);
  }

  void confirm(const values::run_key& key) {
    auto* const r = runs_.find(key);
    if (!r) return news_.acted(key);
    ask(*r, {});
  }

  void ask(host_run& r, std::optional<int> what) {
    r.asked.push_back(what);
    if (r.pidfd >= 0 || r.journal.over()) carry_out_asked(r);
  }

  // A shepherd that an earlier MoM began may have to be found first.
  void carry_out_asked(host_run& r) {
    for (const auto& signal : std::exchange(r.asked, {})) {
      if (!signal) {
        news_.acted(r.key.run());
      } else if (r.pidfd >= 0 && !r.journal.over()) {
        r.alone = true;
        ask_shepherd(r.pidfd, *signal);
      }
    }
  }

  void confine(const values::run_key& key, const ports::host_share& share) {
    for (auto& [program, r] : runs_) r.alone = r.alone || program.run() == key;
    const auto wrong = cgroups_.confine(key, share);
    if (wrong.empty()) return;
    news_.tell([key, wrong](const events& e) {
      if (e.log) e.log(key, "cgroup: " + wrong);
    });
  }

  std::optional<ports::run_usage> usage(const values::program_key& key) {
    const auto lock = news_.lock();
    auto* const there = runs_.find(key);
    if (!there || !there->journal.started || there->journal.over() || !there->journal.claimed) return {};
    host_run& r = *there;
    const auto session = r.order.attached_pid == 0 ? 0 : r.journal.started->session;
    sampler_.sample(r.meter, cgroup_of(r.order),
                    {r.journal.claimed->pid, session, r.journal.started->boottime_ms, r.journal.started->cpu_ms_before});
    ports::run_usage u = r.meter.so_far();
    u.ncpus = r.order.ncpus;
    u.wall_seconds = (boottime_ms() - r.journal.started->boottime_ms) / 1000;
    return u;
  }

 private:
  const host_options options_;
  const run_files files_;
  const run_cgroups cgroups_;
  const std::string boot_;
  host_news news_;  // its lock is of all below
  accounts accounts_;
  host_runs runs_{files_};
  std::optional<recycled_files> run_store_, copy_store_, node_store_;
  usage_sampler sampler_;
  int inotify_ = -1;
  std::unique_ptr<event_loop> loop_;
  std::unique_ptr<later_tasks> later_;
  std::unique_ptr<user_work> user_work_;
  std::unique_ptr<kept_shepherds> kept_;
  std::unique_ptr<run_copies> copies_;
  std::unique_ptr<run_output> output_;
  std::optional<run_removal> removal_;
};

real_process_host::real_process_host(host_options options) : impl_(std::make_unique<impl>(std::move(options))) {}
real_process_host::~real_process_host() = default;
void real_process_host::listen(events e) { impl_->listen(std::move(e)); }
void real_process_host::start(const ports::run_order& order) {
  impl_->work([this, order] { impl_->start(order); });
}
bool real_process_host::has_order(const values::program_key& key) const { return impl_->has_order(key); }
void real_process_host::adopt(const values::program_key& key) {
  impl_->work([this, key] { impl_->adopt(key); });
}
void real_process_host::signal(const values::program_key& key, int number) {
  impl_->work([this, key, number] { impl_->signal(key, number); });
}
void real_process_host::confirm(const values::run_key& key) {
  impl_->work([this, key] { impl_->confirm(key); });
}
void real_process_host::confine(const values::run_key& key, const ports::host_share& share) {
  impl_->work([this, key, share] { impl_->confine(key, share); });
}
void real_process_host::append_stderr(const values::run_key& key, const std::string& text) {
  impl_->work([this, key, text] { impl_->append(key, &shepherd_order::stderr_file, text); });
}
void real_process_host::append_stdout(const values::run_key& key, const std::string& text) {
  impl_->work([this, key, text] { impl_->append(key, &shepherd_order::stdout_file, text); });
}
void real_process_host::append_output(const values::run_key& key, bool errors, const std::string& bytes) {
  impl_->work([this, key, errors, bytes] { impl_->append_output(key, errors, bytes); });
}
std::optional<ports::run_usage> real_process_host::usage(const values::program_key& key) { return impl_->usage(key); }
void real_process_host::stage_in(const values::run_key& key, const ports::stage_in_order& order) {
  impl_->work([this, key, order] { impl_->stage_in(key, order); });
}
void real_process_host::unstage(const values::run_key& key, const ports::stage_in_order& order) {
  impl_->work([this, key, order] { impl_->unstage(key, order); });
}
void real_process_host::deliver(const values::run_key& key, const ports::delivery_order& order) {
  impl_->work([this, key, order] { impl_->deliver(key, order); });
}
void real_process_host::keep_jobdir(const values::run_key& key) {
  impl_->work([this, key] { impl_->keep_jobdir(key); });
}
void real_process_host::forget(const values::program_key& key) {
  impl_->work([this, key] { impl_->forget(key); });
}
void real_process_host::forget_others(const std::set<values::run_key>& keys) {
  impl_->work([this, keys] { impl_->forget_others(keys); });
}

}  // namespace annals::mom
