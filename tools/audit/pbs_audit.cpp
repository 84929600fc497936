// pbs_audit: reads, explains and verifies the event log of a server or a MoM, beside the live daemon or from a copy.
// Exit status: 0 all is well, 1 damage or no such job, 2 usage, 3 the log can't be opened.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <string>

#include "events/log/log_copy.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "hooks-runtime/pool/worker_pool.hpp"
#include "tools/audit/accounting_check.hpp"
#include "tools/audit/command_line.hpp"
#include "tools/audit/cycle_report.hpp"
#include "tools/audit/efficiency_report.hpp"
#include "tools/audit/hook_story.hpp"
#include "tools/audit/host_report.hpp"
#include "tools/audit/listing.hpp"
#include "tools/audit/log_status.hpp"
#include "tools/audit/marks_beside.hpp"
#include "tools/audit/moment.hpp"
#include "tools/audit/replay.hpp"
#include "tools/audit/salvage_rounds.hpp"
#include "tools/audit/scan.hpp"
#include "tools/audit/start_check.hpp"
#include "tools/audit/startup_report.hpp"
#include "tools/audit/story.hpp"
#include "tools/audit/usage_report.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/printed.hpp"
#include "tools/daemons/daemon_process.hpp"

using namespace annals;
using audit::asked;
using audit::word;

namespace {

constexpr int all_well = 0, damage_or_unknown = 1, bad_usage = 2, not_opened = 3;
constexpr useconds_t follow_interval_us = 200'000;  // how often --follow looks: soon enough for a reader's eye

// Ends every loop, so that destructors run: the store keeps a temporary directory.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void end_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // the reader has gone: print() says so
}

// Whether to go on.
bool print(const std::string& text) {
  return client::print_whole(text) && !interrupted;
}

int fail(int code, const std::string& why) {
  std::fflush(stdout);
  client::print_error("pbs_audit: %s\n", why.c_str());
  return code;
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Why a log could not be opened, and what the administrator may do.
std::string advice(const std::string& directory, const ports::store_status& why) {
  if (::access(directory.c_str(), R_OK | X_OK) != 0 && errno == EACCES)
    return why.text + ": run pbs_audit as the owner of PBS_HOME (root)";
  if (::access((directory + "/CURRENT").c_str(), F_OK) != 0)
    return why.text + ": name the directory of a log with --log (a server's is $PBS_HOME/server_priv/log, a MoM's $PBS_HOME/mom_priv/log)";
  return why.text;
}

// -- log -------------------------------------------------------------------------------------------------------------------

bool fill_filter(const asked& a, audit::event_filter& filter, std::string& why) {
  if (!a.job.empty()) {
    filter.job = values::parse_job_id(a.job);
    if (!filter.job) why = "illegally formed job identifier: " + a.job;
  }
  filter.user = a.user;
  for (const auto& k : a.kinds)
    if (!audit::add_kinds(filter, k)) {
      why = "no kind of event or object is called " + k + "; there are:";
      for (const auto name : audit::stream_kind_names()) why.append(" ").append(name);
      for (const auto& name : audit::kind_names()) why += " " + name;
    }
  return why.empty();
}

// From and to where --since and --until reach.
bool read_range(const log::audit_store& store, const asked& a, std::uint64_t& from, std::uint64_t& to, std::string& why) {
  const auto range = audit::read_range(store, a.since, a.until, now_ns());
  from = range.from;
  to = range.to;
  why = range.wrong.empty() ? std::string() : "not a time or sequence: " + range.wrong + " (a moment is " + values::moment_forms + ")";
  return why.empty();
}

class log_command {
 public:
  log_command(log::audit_store& store, const asked& a, audit::event_filter filter, std::uint64_t from, std::uint64_t to)
      : store_(store),
        asked_(a),
        reader_(store),
        names_(reader_),
        lines_(std::move(filter), names_, store.last_sequence(), a.json),
        next_(from),
        to_(to) {}

  int run() {
    take(to_);
    for (const auto& line : kept_) go_on_ = go_on_ && print(line);
    keep_last_ = 0;
    while (asked_.follow && go_on_) {
      std::fflush(stdout);
      ::usleep(follow_interval_us);
      if (auto ok = store_.catch_up(); !ok) return fail(damage_or_unknown, ok.text);
      go_on_ = !interrupted && !std::ferror(stdout);
      take(store_.last_sequence());
    }
    return sound_ ? all_well : damage_or_unknown;
  }

 private:
  void take(std::uint64_t to) {
    if (next_ > to || !go_on_) return;
    const auto put = [&](std::string line) {
      if (line.empty()) return !interrupted.load();
      if (keep_last_ == 0) return go_on_ = print(line);
      kept_.push_back(std::move(line));
      if (kept_.size() > keep_last_) kept_.pop_front();
      return !interrupted.load();
    };
    sound_ &= audit::scan(store_, next_, to,
                          {[&](const log::record_ptr& r) { return put(lines_.line(*r)); },
                           [&](std::uint64_t sequence, const std::string& what) { (void)put(lines_.damaged_line(sequence, what)); }});
    next_ = to + 1;
  }

  log::audit_store& store_;
  const asked& asked_;
  log::log_reader reader_;
  audit::stream_names names_;
  audit::listing lines_;
  std::uint64_t next_, to_;
  std::uint64_t keep_last_ = asked_.last;  // 0: print at once
  std::deque<std::string> kept_;
  bool sound_ = true, go_on_ = true;
};

int show_log(log::audit_store& store, const asked& a) {
  audit::event_filter filter;
  std::string why;
  if (!fill_filter(a, filter, why)) return fail(bad_usage, why);
  std::uint64_t from = 1, to = 0;
  if (!read_range(store, a, from, to, why)) return fail(bad_usage, why);
  const bool everything = a.job.empty() && a.user.empty() && a.kinds.empty();
  if (a.last > 0 && everything && to >= a.last) from = std::max(from, to - a.last + 1);
  return log_command(store, a, std::move(filter), from, to).run();
}

// -- the others ------------------------------------------------------------------------------------------------------------

constexpr const char* what_to_do =
    "; keep a copy of the directory, and restore the log from the last sound one or `pbs_audit salvage` it\n";

// Whatever would keep a server from starting, and whatever it could not read later.
int verify(const asked& a) {
  end_on_signals();
  const auto beside = audit::read_marks_beside(a.directory);  // before the log is opened: a live server writes on
  const auto start = audit::try_to_start(a.directory);        // before there are threads: it forks
  auto opened = log::open_to_verify(a.directory);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) {
    if (why->error != ports::store_error::damaged) return fail(not_opened, advice(a.directory, *why));
    print(audit::harmless(why->text) + "\n" + a.directory + ": DAMAGED: a server would not start on it" + what_to_do);
    return damage_or_unknown;
  }
  auto report = log::verify(*std::get<0>(opened), 1, [](std::uint64_t) { return !interrupted.load(); });
  // What can't be read the report tells better.
  if (start.refused > 0 || (!start.trouble.empty() && report.ok())) report.faults.push_back(start.trouble);
  const auto last = std::get<0>(opened)->last_sequence();
  if (const auto known = audit::known_sequence(beside, audit::names_of(*std::get<0>(opened))); known > last)
    report.faults.push_back("the log ends with record " + std::to_string(last) + ", but record " + std::to_string(known) +
                            " was written to it: see " + std::filesystem::path(log::check_notes_file(a.directory)).parent_path().string());
  if (interrupted) return fail(damage_or_unknown, "interrupted: the log was not read to its end");
  for (const auto& fault : report.faults) print(audit::harmless(fault) + "\n");
  for (const auto& lost : report.lost) print(audit::harmless(lost) + "\n");
  const auto what = std::to_string(report.records) + " records, " + std::to_string(report.blobs) + " blobs" +
                    (report.lost_count > 0 ? " (" + std::to_string(report.lost_count) + " lost since a salvage)" : "");
  if (report.ok()) {
    const auto copy = log::is_copy(*std::get<0>(opened)) ? std::string("; ") + log::copy_has_no_blobs : std::string();
    print(a.directory + ": sound: " + what + ", head " + audit::hex(report.head) + copy + "\n");
    return all_well;
  }
  const bool more = report.faults.size() >= log::faults_max;
  print(a.directory + ": DAMAGED: " + (more ? "at least " : "") + std::to_string(report.faults.size()) + " faults in " + what +
        what_to_do);
  return damage_or_unknown;
}

// 0: nothing is missing; 1: the new log is there, and the account says what it lacks; 3: it could not be made.
int do_salvage(const asked& a) {
  const auto end = audit::salvage_in_rounds(a.from, a.to, now_ns());
  if (!end.trouble.empty()) return fail(not_opened, end.trouble);
  print(end.account);
  print(a.to + ": a server can start on it; the account is in " + a.to + ".account\n");
  return end.result.whole() ? all_well : damage_or_unknown;
}

int show_status(log::audit_store& store, const asked& a) {
  const auto status = audit::status_of(store, a.directory);
  print(a.json ? audit::status_json(status) : audit::status_text(status));
  return status.sound() ? all_well : damage_or_unknown;
}

int show_job(log::audit_store& store, const asked& a) {
  const auto id = values::parse_job_id(a.job);
  if (!id) return fail(bad_usage, "illegally formed job identifier: " + a.job);
  const auto end = audit::tell_story(store, *id, a.json, print);
  if (end.told == 0) return fail(damage_or_unknown, "the log knows no job " + a.job);
  return end.sound ? all_well : damage_or_unknown;
}

// Damage stands between the records where there is a line for it, else beside them.
audit::beside_jobs beside(const asked& a) {
  return {[] { return !interrupted.load(); },
          [&a](std::uint64_t sequence, const std::string& what) {
            const auto line = audit::damage_line(sequence, what, a.json);
            if (a.csv) client::print_whole_error(line);
            else print(line);
          }};
}

int show_usage(log::audit_store& store, const asked& a) {
  const auto id = values::parse_job_id(a.job);
  if (!id) return fail(bad_usage, "illegally formed job identifier: " + a.job);
  using form = audit::usage_form;
  audit::usage_wanted wanted{.job = *id, .by_host = a.by_host, .resources = a.resources, .drawn_on = audit::page_of_output()};
  wanted.form = a.json ? form::json : a.csv ? form::csv
                                  : a.plot  ? form::plot
                                            : form::text;
  std::string why;
  if (!read_range(store, a, wanted.from, wanted.to, why)) return fail(bad_usage, why);
  const auto end = audit::tell_usage(store, wanted, print, beside(a));
  if (interrupted) return fail(damage_or_unknown, "interrupted");
  if (end.told.jobs == 0) return fail(damage_or_unknown, "the log knows no job " + a.job);
  if (!end.not_drawn.empty()) return fail(bad_usage, "words can't be drawn: " + audit::harmless(end.not_drawn));
  if (!end.without_value.empty()) return fail(damage_or_unknown, "job " + a.job + " has no value of " + end.without_value);
  return end.told.sound ? all_well : damage_or_unknown;
}

int show_efficiency(log::audit_store& store, const asked& a) {
  using form = audit::efficiency_form;
  audit::efficiency_wanted wanted;
  wanted.user = a.user;
  wanted.queue = a.queue;
  wanted.form = a.json ? form::json : a.csv ? form::csv
                                            : form::text;
  for (const auto& job : a.jobs) {
    const auto id = values::parse_job_id(job);
    if (!id) return fail(bad_usage, "illegally formed job identifier: " + job);
    wanted.jobs.push_back(*id);
  }
  std::string why;
  if (!read_range(store, a, wanted.from, wanted.to, why)) return fail(bad_usage, why);
  const auto end = audit::tell_efficiency(store, wanted, print, beside(a));
  if (interrupted) return fail(damage_or_unknown, "interrupted");
  if (!end.unknown.empty()) return fail(damage_or_unknown, "the log knows no job " + a.jobs[end.unknown.front()]);
  return end.sound ? all_well : damage_or_unknown;
}

int show_startup(log::audit_store& store, const asked& a) {
  const auto id = values::parse_job_id(a.job);
  if (!id) return fail(bad_usage, "illegally formed job identifier: " + a.job);
  const auto end = audit::tell_startup(store, *id, a.json, print, [] { return !interrupted.load(); });
  if (interrupted) return fail(damage_or_unknown, "interrupted");
  if (end.jobs == 0) return fail(damage_or_unknown, "the log knows no job " + a.job);
  return end.sound ? all_well : damage_or_unknown;
}

int show_cycle(log::audit_store& store, const asked& a) {
  const auto end = audit::tell_cycle(store, {.scheduler = a.scheduler, .number = a.cycle, .json = a.json}, print,
                                     [] { return !interrupted.load(); });
  if (interrupted) return fail(damage_or_unknown, "interrupted");
  if (!end.found) return fail(damage_or_unknown, "the log knows no cycle " + std::to_string(a.cycle) + " of scheduler " + a.scheduler);
  return end.sound ? all_well : damage_or_unknown;
}

int show_hosts(log::audit_store& store, const asked& a) {
  audit::hosts_wanted wanted{.all = a.all, .json = a.json};
  std::string why;
  if (!read_range(store, a, wanted.from, wanted.to, why)) return fail(bad_usage, why);
  const bool sound = audit::tell_hosts(store, wanted, print, [] { return !interrupted.load(); });
  if (interrupted) return fail(damage_or_unknown, "interrupted");
  return sound ? all_well : damage_or_unknown;
}

int show_replay(log::audit_store& store, const asked& a) {
  std::uint64_t first = 1, last = 0;
  std::string why;
  if (!read_range(store, a, first, last, why)) return fail(bad_usage, why);
  audit::replayed state;
  if (const auto ok = audit::replay(log::log_reader(store), last, state, [] { return !interrupted.load(); }); !ok)
    return fail(damage_or_unknown, ok.text);
  if (interrupted) return fail(damage_or_unknown, "interrupted");
  print(a.json ? audit::replay_json(state) : audit::replay_text(state));
  return all_well;
}

int show_accounting(log::audit_store& store, const asked& a) {
  const std::set<std::string> days(a.days.begin(), a.days.end());
  const auto go_on = [] { return !interrupted.load(); };
  const auto end = a.compare ? audit::check_accounting(store, a.directory, days, go_on)
                             : audit::rebuild_accounting(store, a.directory, a.to, days, go_on);
  if (!end.trouble.empty()) return fail(damage_or_unknown, end.trouble);
  const auto what = std::to_string(end.lines) + " lines of " + std::to_string(end.days) + " days";
  if (!a.compare) {
    print(a.to + ": " + what + "\n");
    if (!end.being_written.empty())
      print("the server writes on the file of " + end.being_written + ": put that one in place only when the next day's has begun\n");
    return all_well;
  }
  for (const auto& d : end.differences) print(d + "\n");
  if (end.differences.empty()) print("accounting: as the log says: " + what + "\n");
  else print("accounting: DIFFERS: " + std::to_string(end.differences.size()) + " of " + std::to_string(end.days) +
             " days; `pbs_audit accounting --rebuild DIRECTORY` writes them from the log\n");
  return end.differences.empty() ? all_well : damage_or_unknown;
}

// As the daemons set up theirs.
hooks::pool_settings hook_settings(const audit::hook_place& place, const std::string& scratch) {
  const auto conf = client::read_pbs_conf();
  hooks::pool_settings settings;
  settings.worker_program = conf.pbs_exec + "/libexec/pbs_hook_worker";
  settings.on_mom = place.on_mom;
  settings.local_node = place.host;
  settings.pbs_conf = {{"PBS_EXEC", conf.pbs_exec}, {"PBS_HOME", conf.pbs_home}, {"PBS_SERVER", conf.pbs_server}};
  if (!place.on_mom) settings.hidden = {conf.pbs_home};
  settings.debug_directory = settings.scratch = scratch;
  return settings;
}

int rerun_hook(log::audit_store& store, std::uint64_t sequence) {
  std::string scratch = (std::filesystem::temp_directory_path() / "pbs_audit.XXXXXX").string();
  if (!::mkdtemp(scratch.data())) return fail(damage_or_unknown, "cannot make the directory " + scratch + ": " + std::strerror(errno));
  const auto make = [&](const audit::hook_place& place) { return std::make_unique<hooks::worker_pool>(hook_settings(place, scratch)); };
  const auto end = audit::rerun_hooks(store, sequence, make, print);
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  if (end == audit::rerun_end::no_hooks) return fail(damage_or_unknown, "no hook ran at #" + std::to_string(sequence));
  return end == audit::rerun_end::same ? all_well : damage_or_unknown;
}

int show_hook(log::audit_store& store, const asked& a) {
  if (a.rerun > 0) return rerun_hook(store, a.rerun);
  if (a.job.empty()) return fail(bad_usage, "name a job or a hook, or --rerun a sequence");
  const auto end = audit::tell_hook_story(store, a.job, a.json, print);
  if (end.told == 0) return fail(damage_or_unknown, "the log knows no run of a hook named or at a job named " + a.job);
  return end.sound ? all_well : damage_or_unknown;
}

using command = int (*)(log::audit_store&, const asked&);

int end_output(int code) {
  if (std::fflush(stdout) != 0 && errno != EPIPE) return fail(damage_or_unknown, std::string("standard output: ") + std::strerror(errno));
  return code;
}

int run(command what, asked& a) {
  auto opened = log::open_for_audit(a.directory);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) {
    const bool by_user = a.word == word::efficiency && ::access(a.directory.c_str(), R_OK | X_OK) != 0 && errno == EACCES;
    return fail(not_opened, advice(a.directory, *why) + (by_user ? "; pbs_efficiency tells of your own jobs" : ""));
  }
  end_on_signals();
  return end_output(what(*std::get<0>(opened), a));
}

}  // namespace

int main(int argc, char** argv) {
  asked a;
  if (const auto end = audit::read_command_line(argc, argv, a)) return *end == 0 ? all_well : bad_usage;
  if (a.directory.empty()) a.directory = client::read_pbs_conf().pbs_home + "/server_priv/log";
  daemons::raise_open_files();  // a long log has thousands of files
  switch (a.word) {
    case word::log: return run(show_log, a);
    case word::verify: return end_output(verify(a));
    case word::salvage: return end_output(do_salvage(a));
    case word::status: return run(show_status, a);
    case word::accounting: return run(show_accounting, a);
    case word::job: return run(show_job, a);
    case word::cycle: return run(show_cycle, a);
    case word::startup: return run(show_startup, a);
    case word::hosts: return run(show_hosts, a);
    case word::usage: return run(show_usage, a);
    case word::efficiency: return run(show_efficiency, a);
    case word::replay: return run(show_replay, a);
    case word::hook: return run(show_hook, a);
  }
  return bad_usage;
}
