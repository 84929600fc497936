#include "tools/audit/command_line.hpp"

#include <CLI/CLI.hpp>

#include "events/values/number.hpp"
#include "projections/accounting/checkpoint_mark.hpp"
#include "tools/client/option_error.hpp"
#include "tools/client/version.hpp"

namespace annals::audit {
namespace {

// What is wrong with a number of events or a sequence; empty: nothing.
std::string from_one(const std::string& given) {
  const auto n = values::parse_integer(given);
  return n && *n >= 1 ? std::string() : "must be a whole number from 1 on, not " + given;
}

std::string a_day(const std::string& given) {
  return projections::is_day(given) ? std::string() : "must be a day as YYYYMMDD, not " + given;
}

CLI::App* add_word(CLI::App& app, asked& a, word what, const std::string& name, const std::string& says) {
  auto* added = app.add_subcommand(name, says);
  added->callback([&a, what] { a.word = what; });
  return added;
}

void add_job_words(CLI::App& app, asked& a) {
  const auto add = [&](word what, const char* name, const char* says, const char* json_says) {
    auto* of_job = add_word(app, a, what, name, says);
    of_job->add_option("id", a.job, "the job, with or without its server")->required();
    of_job->add_flag("--json", a.json, json_says);
  };
  add(word::job, "job", "the whole story of one job", "one JSON object per event");
  add(word::startup, "startup", "how each start of one job went, host by host", "one JSON object");

  auto* cycle = add_word(app, a, word::cycle, "cycle", "one scheduling cycle: what it started, what it said, what was refused");
  cycle->add_option("number", a.cycle, "of the cycle, as `log --kind SchedulerCycleBegan` prints it")->required()->check(from_one);
  cycle->add_option("--scheduler", a.scheduler, "whose cycle (default: default)");
  cycle->add_flag("--json", a.json, "one JSON object");

  auto* hook = add_word(app, a, word::hook, "hook", "what hooks did at a job, or a hook everywhere");
  hook->add_option("job_or_hook", a.job, "the job, or the name of the hook");
  hook->add_option("--rerun", a.rerun, "run the hooks of this record again, with the scripts of today")->check(from_one);
  hook->add_flag("--json", a.json, "one JSON object per event");
}

void add_range(CLI::App* to, asked& a) {
  to->add_option("--since", a.since, "from this time or sequence on");
  to->add_option("--until", a.until, "up to this time or sequence");
}

// At most one of them.
void add_forms(CLI::App* to, asked& a, bool drawn) {
  auto* form = to->add_option_group("form");
  form->add_flag("--json", a.json, drawn ? "one JSON object for each job" : "one JSON object");
  form->add_flag("--csv", a.csv, "a table for spreadsheets, with every resource");
  if (drawn) form->add_flag("--plot", a.plot, "draw it");
  form->require_option(0, 1);
}

// --resource alone would choose nothing: the first form of usage shows what it always showed.
void add_words_about_usage(CLI::App& app, asked& a) {
  auto* usage = add_word(app, a, word::usage, "usage", "what one job used on each host, over time");
  usage->add_option("id", a.job, "the job, with or without its server")->required();
  usage->add_option_function<std::string>(
           "--by", [&a](const std::string&) { a.by_host = true; }, "host: every resource, also what hooks set")
      ->check(CLI::IsMember({"host"}));
  usage->add_option("--resource", a.resources, "these resources only, with commas; for --plot else cput,mem")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_forms(usage, a, true);
  add_range(usage, a);
  usage->parse_complete_callback([&a] {
    if (!a.resources.empty() && !a.by_host && !a.csv && !a.plot)
      throw CLI::ValidationError("--resource", "needs --by host, --csv or --plot");
  });
  auto* efficiency = add_word(app, a, word::efficiency, "efficiency", "how much runs used of what they were given and asked for");
  efficiency->add_option("id", a.jobs, "these jobs only");
  efficiency->add_option("--user", a.user, "of this user only");
  efficiency->add_option("--queue", a.queue, "of this queue only");
  add_forms(efficiency, a, false);
  add_range(efficiency, a);
}

void add_words_about_all(CLI::App& app, asked& a) {
  auto* log = add_word(app, a, word::log, "log", "one line per event");
  log->add_flag("--follow,-f", a.follow, "go on with what is written from now on");
  log->add_option("--job", a.job, "events of this job, and the scheduler's reasons for it");
  log->add_option("--user", a.user, "what this user asked for, and what happened to the user's jobs");
  log->add_option("--kind", a.kinds, "kinds of events (JobAssigned) or of objects (job), with commas");
  add_range(log, a);
  log->add_flag("--json", a.json, "one JSON object per event");
  log->add_option("-n", a.last, "the last so many events only")->check(from_one);
  auto* hosts = add_word(app, a, word::hosts, "hosts", "which hosts spoil starts of jobs or fail later, and how often");
  add_range(hosts, a);
  hosts->add_flag("--all", a.all, "also hosts that never failed");
  hosts->add_flag("--json", a.json, "one JSON object");
  auto* replay = add_word(app, a, word::replay, "replay", "the state at a moment, and its digest");
  replay->add_option("--until", a.until, "the time or sequence; else the end of the log");
  replay->add_flag("--json", a.json, "one JSON object");
}

void add_words_about_the_log(CLI::App& app, asked& a) {
  add_word(app, a, word::verify, "verify", "checksums, chain, indexes and blobs of the whole log");
  auto* salvage =
      add_word(app, a, word::salvage, "salvage", "copy what is sound out of a damaged log into a new one, and account for the rest");
  salvage->add_option("from", a.from, "directory of the damaged log, which is not changed")->required();
  salvage->add_option("to", a.to, "directory of the new log, which must not exist")->required();
  auto* status = add_word(app, a, word::status, "status", "how large the log is, and what its verification in the background has found");
  status->add_flag("--json", a.json, "one JSON object");
  auto* accounting = add_word(app, a, word::accounting, "accounting", "the accounting files against the log, or written anew from it");
  auto* one_of = accounting->add_option_group("what");
  one_of->add_flag("--check", a.compare, "which days' files are not as the log says");
  one_of->add_option("--rebuild", a.to, "write the files into this directory, which must not exist");
  one_of->require_option(1);
  accounting->add_option("day", a.days, "only these days (YYYYMMDD)")->check(a_day);
}

}  // namespace

std::optional<int> read_command_line(int argc, char** argv, asked& into) {
  CLI::App app("Reads, explains and verifies the event log of a server or a MoM.", "pbs_audit");
  app.set_version_flag("--version", client::version_line());
  app.require_subcommand(1);
  app.add_option("--log", into.directory, "directory of the log (the server's below PBS_HOME)");
  app.fallthrough();
  add_words_about_all(app, into);
  add_job_words(app, into);
  add_words_about_usage(app, into);
  add_words_about_the_log(app, into);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return client::print_option_error(app, e);
  }
  return std::nullopt;
}

}  // namespace annals::audit
