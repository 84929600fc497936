#include "tools/replay/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "actors/scheduler/cycle/policy.hpp"
#include "events/log/log_copy.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "tools/client/option_error.hpp"
#include "tools/client/printed.hpp"
#include "tools/client/version.hpp"
#include "tools/replay/comparison.hpp"
#include "tools/replay/repeat.hpp"

namespace annals::replay {

namespace {

constexpr int all_well = 0, differs = 1, bad_usage = 2, not_opened = 3;

std::atomic<bool> interrupted{false};
void interrupt(int) { interrupted = true; }

int fail(int code, const std::string& why) {
  client::print_error("pbs_sched: %s\n", why.c_str());
  return code;
}

struct asked {
  std::string log, resource_group, holidays, scheduler;
  std::optional<std::string> policy;  // nothing: the recorded ones
  std::uint64_t since = 1, until = 0;
  bool json = false;
};

std::optional<int> read_arguments(int argc, char** argv, asked& a) {
  CLI::App app("Runs the scheduling cycles of a recorded history again: with the policy of then, or with another one.",
               "pbs_sched --replay");
  app.add_option("--replay", a.log, "directory of the event log, also of a running server")->required();
  auto* policy = app.add_option("--policy", a.policy, "a sched_config: what would have happened with it");
  app.add_option("--resource-group", a.resource_group, "with --policy: a resource_group (else the recorded one)")->needs(policy);
  app.add_option("--holidays", a.holidays, "with --policy: a holidays file (else the recorded one)")->needs(policy);
  app.add_option("--scheduler", a.scheduler, "the scheduler object (else with --policy default, without it all)");
  auto* since = app.add_option("--since", a.since, "without --policy: cycles from this sequence on");
  since->excludes(policy);
  app.add_option("--until", a.until, "up to this sequence");
  app.add_flag("--json", a.json, "one JSON object");
  app.set_version_flag("--version", client::version_line());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return client::print_option_error(app, e) == 0 ? all_well : bad_usage;
  }
  return std::nullopt;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// The last policy that was recorded; empty: none is there.
std::string recorded_policy(const log::log_reader& reader, const std::string& hash) {
  const auto bytes = hash.empty() ? std::nullopt : reader.blobs().read_blob(hash);
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : std::string();
}

bool go_on() { return !interrupted.load(); }

int no_cycle_of(const std::string& scheduler) { return fail(bad_usage, "the log knows no cycle of scheduler " + scheduler); }

int show_repeat(const log::log_reader& reader, const asked& a, std::uint64_t last) {
  const auto outcome = repeat(reader, {a.since, last}, a.scheduler, go_on);
  if (interrupted) return fail(differs, "interrupted");
  if (outcome.cycles == 0 && !a.scheduler.empty()) return no_cycle_of(a.scheduler);
  client::print_whole(a.json ? repeat_json(outcome) : repeat_text(outcome));
  if (!outcome.trouble.empty()) return fail(differs, outcome.trouble);
  return outcome.differing == 0 && outcome.not_repeated == 0 ? all_well : differs;
}

// Puts the content of `path` in the place of a recorded file; an empty path leaves that as it is.
bool replace(std::string_view& file, const std::string& path, std::string& content) {
  if (path.empty()) return true;
  auto read = read_file(path);
  if (!read) return false;
  content = std::move(*read);
  file = content;
  return true;
}

void complain(const asked& a, const cycle::parsed_policy& parsed) {
  for (const auto& complaint : parsed.complaints) client::print_error("pbs_sched: %s: %s\n", a.policy->c_str(), complaint.c_str());
  for (const auto& complaint : parsed.group_complaints)
    client::print_error("pbs_sched: resource_group: %s %d%s %s\n", complaint.counts ? "line" : "error on line", complaint.line,
                        complaint.counts ? ":" : ".", complaint.why.c_str());
  const auto tell = [](const char* file, const std::vector<cycle::file_complaint>& complaints) {
    for (const auto& c : complaints) client::print_error("pbs_sched: %s: error on line %d: %s\n", file, c.line, c.why.c_str());
  };
  tell("holidays", parsed.holiday_complaints);
  tell("dedicated_time", parsed.dedicated_complaints);
}

int show_simulation(const log::log_reader& reader, const asked& a, std::uint64_t last) {
  const auto config = read_file(*a.policy);
  if (!config) return fail(bad_usage, "can't read " + *a.policy);
  simulation_wanted wanted;
  if (!a.scheduler.empty()) wanted.scheduler = a.scheduler;
  histories recorded;
  if (const auto read = read_histories(reader, last, wanted.scheduler, go_on, recorded); !read) return fail(differs, read.text);
  if (recorded.policy.empty() && !a.scheduler.empty()) return no_cycle_of(a.scheduler);
  const auto then = recorded_policy(reader, recorded.policy);
  auto files = cycle::split_policy_text(then);
  files.sched_config = *config;
  std::string groups, holidays;
  if (!replace(files.resource_group, a.resource_group, groups)) return fail(bad_usage, "can't read " + a.resource_group);
  if (!replace(files.holidays, a.holidays, holidays)) return fail(bad_usage, "can't read " + a.holidays);
  wanted.policy = cycle::policy_text(files);
  complain(a, cycle::parse_policy(wanted.policy));
  const auto outcome = simulate(reader, recorded, wanted, go_on);
  if (interrupted) return fail(differs, "interrupted");
  if (!outcome.trouble.empty()) return fail(differs, outcome.trouble);
  for (const auto& what : outcome.names_without_meaning) client::print_error("pbs_sched: %s: %s\n", a.policy->c_str(), what.c_str());
  const auto compared = compare(recorded, outcome);
  client::print_whole(a.json ? comparison_json(compared) : comparison_text(compared));
  return all_well;
}

}  // namespace

bool is_replay(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](const char* word) {
    const std::string_view w(word);
    return w == "--replay" || w.starts_with("--replay=");
  });
}

int run_replay(int argc, char** argv) {
  asked a;
  if (const auto end = read_arguments(argc, argv, a)) return *end;
  auto opened = log::open_for_audit(a.log);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) return fail(not_opened, why->text);
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  const auto& store = *std::get<0>(opened);
  if (log::is_copy(store)) return fail(not_opened, a.log + ": " + log::copy_has_no_blobs);
  const log::log_reader reader(store);
  const auto last = a.until > 0 ? std::min(a.until, store.last_sequence()) : store.last_sequence();
  const auto status = !a.policy ? show_repeat(reader, a, last) : show_simulation(reader, a, last);
  if (std::fflush(stdout) != 0) return fail(differs, "standard output can't be written");
  return status;
}

}  // namespace annals::replay
