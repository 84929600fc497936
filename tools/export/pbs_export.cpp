// pbs_export: writes what a server's log says into a database or into files, each record once, beside the server that lives or from a
// follower's copy. docs/design/0070-exports.md.
// Exit status: 0 all is written, 1 the target can't be written to, 2 usage, 3 the log can't be read.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>

#include "events/log/rocksdb_event_store.hpp"
#include "tools/client/printed.hpp"
#include "tools/export/command_line.hpp"
#include "tools/export/exporter.hpp"
#include "tools/export/log_of_host.hpp"

using namespace annals;
using exporting::target_trouble;

namespace {

constexpr int all_well = 0, not_written = 1, bad_usage = 2, not_read = 3;
constexpr auto look_interval = std::chrono::milliseconds(500);  // how often a signal is looked for while the log does not grow
constexpr int looks_until_asked = 20;                           // then the log is asked why it does not grow: perhaps it can't be read
constexpr int retry_seconds = 5;                                // a target that is away or full is tried again after so long

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void end_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  for (const int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // a database that went away
}

class program {
 public:
  program(const exporting::asked& a, log::audit_store& store) : asked_(a), store_(store), reader_(store) {}

  int run() {
    if (asked_.rebuild) return rebuild();
    for (;;) {
      try {
        if (export_once(exporting::target_place::proper)) return all_well;
      } catch (const target_trouble& e) {
        if (e.which() == target_trouble::kind::moved) continue;
        if (!asked_.follow || e.which() == target_trouble::kind::lasting) throw;
        if (!is_away_) client::print_error("pbs_export: %s: trying again every %d s\n", e.what(), retry_seconds);
        is_away_ = true;
        wait_to_retry();
      }
      if (interrupted) return all_well;
    }
  }

 private:
  // Until the log's end, or with --follow until a signal comes. Returns false if it was interrupted before.
  bool export_once(exporting::target_place place) {
    const auto target =
        exporting::open_target(asked_, place, [](const std::string& line) { client::print_error("pbs_export: %s\n", line.c_str()); });
    exporting::exporter to(reader_, *target);
    for (int looks = 0;;) {
      while (!interrupted && step(to)) looks = 0;
      if (interrupted || !asked_.follow) break;
      (void)store_.wait_beyond(to.sequence(), look_interval);
      if (++looks % looks_until_asked == 0) catch_up();
    }
    if (place == exporting::target_place::beside && !interrupted) target->exchange();
    if (!asked_.quiet)
      client::print_text("%s: %llu rows written, up to record %llu\n", asked_.shown().c_str(),
                         static_cast<unsigned long long>(to.rows_written()), static_cast<unsigned long long>(to.sequence()));
    return !interrupted || asked_.follow;
  }

  // A target that is full can be opened: it is there again when it has taken rows, or there are none for it.
  bool step(exporting::exporter& to) {
    const bool wrote = to.step();
    if (is_away_) client::print_error("pbs_export: %s is there again\n", asked_.shown().c_str());
    is_away_ = false;
    return wrote;
  }

  int rebuild() {
    if (export_once(exporting::target_place::beside)) return all_well;
    client::print_error("pbs_export: interrupted: the rows are as they were\n");
    return not_written;
  }

  void catch_up() {
    if (const auto read = store_.catch_up(); !read) throw exporting::log_trouble(read.text);
  }

  void wait_to_retry() {
    for (int i = 0; i < retry_seconds * 10 && !interrupted; ++i) ::usleep(100'000);
  }

  const exporting::asked& asked_;
  log::audit_store& store_;
  log::log_reader reader_;
  bool is_away_ = false;
};

int fail(int status, const std::string& why) {
  client::print_error("pbs_export: %s\n", why.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  exporting::asked a;
  if (const auto end = exporting::read_command_line(argc, argv, a)) return *end == 0 ? all_well : bad_usage;
  ::umask(::umask(077) | 027);  // rows tell of every user's jobs
  if (a.log.empty()) a.log = exporting::log_of_this_host();
  auto opened = log::open_for_audit(a.log);
  if (const auto* why = std::get_if<ports::store_status>(&opened)) return fail(not_read, a.log + ": " + why->text);
  end_on_signals();
  try {
    return program(a, *std::get<0>(opened)).run();
  } catch (const target_trouble& e) {
    return fail(not_written, e.what());
  } catch (const exporting::log_trouble& e) {
    return fail(not_read, a.log + ": " + e.what());
  }
}
