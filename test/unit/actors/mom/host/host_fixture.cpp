#include "host_fixture.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "test/support/paths.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;
constexpr auto patience = 120s;

constexpr auto last_patience = 60s;  // of a test that is over, for all its runs together

template <class Condition>
bool comes_true(const Condition& condition, std::chrono::steady_clock::time_point until) {
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(2ms);  // a condition outside of this process: it can only be looked at again
  }
  return true;
}

// All processes whose command line or environment has the name of the directory: shepherds and their jobs.
int kill_those_of(const std::string& name) {
  int found = 0;
  const auto table = mom::process_table::now();
  for (const auto& p : table.all()) {
    const auto of = "/proc/" + std::to_string(p.pid);
    if (p.pid == getpid() || (read_whole(of + "/cmdline") + read_whole(of + "/environ")).find(name) == std::string::npos) continue;
    kill(static_cast<pid_t>(p.pid), SIGKILL);
    ++found;
  }
  return found;
}

}  // namespace

named::named(const char* text) {
  const auto read = values::parse_program_key(text);
  BOOST_REQUIRE_MESSAGE(read, text << " is no key");
  key = *read;
}

values::program_key program_of(const named& text) { return text.key; }
values::run_key run_of(const named& text) { return text.key.run(); }

host_fixture::host_fixture() {
  chmod(root_.path.c_str(), 0755);  // jobs of other users pass through it
  std::filesystem::create_directories(home());
  std::filesystem::create_directories(work());
  chmod(work().c_str(), 01777);
  options.pbs_home = home();
  options.shepherd = annals::test::stage_dir() + "/libexec/pbs_shepherd";
  options.delivery_pauses_s = {0, 0};
  options.usage_age_max = std::chrono::milliseconds(0);
  options.complain = [this](const std::string& text) {
    const std::lock_guard lock(mutex_);
    complaints_ += text + '\n';
  };
  new_mom();
}

host_fixture::~host_fixture() {
  end_runs();
  host.reset();
  const std::lock_guard lock(mutex_);
  BOOST_CHECK_MESSAGE(complaints_.empty(), complaints_);
}

void host_fixture::end_runs() try {
  const auto until = std::chrono::steady_clock::now() + last_patience;
  if (!host) new_mom();
  for (const auto& key : keys_) host->forget(key);
  for (const auto& key : keys_)
    BOOST_CHECK_MESSAGE(comes_true([&] { return !std::filesystem::exists(run_file(key)); }, until), "left running: " << print(key));
  keys_.clear();
  const bool all_dead = comes_true([&] { return kill_those_of(name()) == 0; }, until + last_patience);
  BOOST_CHECK_MESSAGE(all_dead, "processes that can't be killed: " << name());
} catch (const std::exception& e) {
  BOOST_ERROR("the runs of the test could not be ended: " << e.what());
}

void host_fixture::crash_mom() {
  host.reset();
  const std::lock_guard lock(mutex_);
  told_.clear();
}

void host_fixture::new_mom() {
  host = std::make_unique<mom::real_process_host>(options);
  listen();
}

void host_fixture::listen() {
  const auto note = [this](const values::program_key& key, const std::function<void(told&)>& add) {
    const std::lock_guard lock(mutex_);
    add(told_[key]);
    changed_.notify_all();
  };
  ports::process_host::events e;
  e.started = [note](const auto& key, const auto& x) { note(key, [&](told& t) { t.started.push_back(x); }); };
  e.failed = [note](const auto& key, const auto& x) { note(key, [&](told& t) { t.failed.push_back(x); }); };
  e.ended = [note](const auto& key, const auto& x) { note(key, [&](told& t) { t.ended.push_back(x); }); };
  e.delivered = [note](const auto& key, const auto& x) { note(key, [&](told& t) { t.delivered.push_back(x); }); };
  e.staged_in = [note](const auto& key, const auto& x) { note(key, [&](told& t) { t.staged_in.push_back(x); }); };
  e.appended = [note](const auto& key) { note(key, [&](told& t) { ++t.appended; }); };
  e.acted = [note](const auto& key) { note(key, [&](told& t) { ++t.acted; }); };
  e.log = [note](const auto& key, const auto& x) { note(key, [&](told& t) { t.log.push_back(x); }); };
  host->listen(std::move(e));
}

ports::run_order host_fixture::order(const named& key, std::vector<std::string> program) const {
  ports::run_order o;
  o.key = key.key;
  o.job_id = key.key.run().job;
  o.user = own_user();
  o.environment = {"PATH=/usr/bin:/bin", "PBS_JOBID=" + o.job_id, "PBS_JOBCOOKIE=" + name() + print(key.key)};
  o.shell = "/bin/sh";
  o.program = std::move(program);
  o.script = home() + "/mom_priv/jobs/" + o.job_id + ".SC";
  o.stdout_file = home() + "/spool/" + o.job_id + ".OU";
  o.stderr_file = home() + "/spool/" + o.job_id + ".ER";
  o.jobdir = work();
  o.ncpus = 1;
  return o;
}

ports::run_order host_fixture::script(const named& key, const std::string& text) const {
  auto o = order(key);
  o.script_text = "#!/bin/sh\n" + text;
  return o;
}

void host_fixture::start(const ports::run_order& o) {
  keys_.push_back(o.key);
  host->start(o);
}

ports::program_ended host_fixture::run(const ports::run_order& o) {
  start(o);
  const told t = wait_ended(o.key);
  if (t.ended.empty()) BOOST_FAIL("not started: " << t.failed.front().code << ' ' << t.failed.front().text);
  return t.ended.front();
}

ports::start_failed host_fixture::run_failing(const ports::run_order& o) {
  start(o);
  return wait_failed(o.key).failed.front();
}

told host_fixture::wait(const named& key, const std::function<bool(const told&)>& until) {
  std::unique_lock lock(mutex_);
  const bool good = changed_.wait_for(lock, patience, [&] { return until(told_[key.key]); });
  BOOST_REQUIRE_MESSAGE(good, "waited in vain for " << print(key.key) << "; journal: " << journal_of(key));
  return told_[key.key];
}

told host_fixture::wait_started(const named& key) {
  return wait(key, [](const told& t) { return !t.started.empty(); });
}
told host_fixture::wait_ended(const named& key) {
  return wait(key, [](const told& t) { return !t.ended.empty() || !t.failed.empty(); });
}
told host_fixture::wait_failed(const named& key) {
  return wait(key, [](const told& t) { return !t.failed.empty(); });
}
told host_fixture::so_far(const named& key) {
  const std::lock_guard lock(mutex_);
  return told_[key.key];
}

void host_fixture::forget_and_wait(const named& key) {
  host->forget(key.key);
  wait_until([&] { return !std::filesystem::exists(run_file(key)); }, "the run's file to go");
}

std::string host_fixture::stdout_of(const named& key) const {
  return read_whole(home() + "/spool/" + key.key.run().job + ".OU");
}
std::string host_fixture::stderr_of(const named& key) const {
  return read_whole(home() + "/spool/" + key.key.run().job + ".ER");
}
std::string host_fixture::run_file(const named& key) const { return home() + "/mom_priv/jobs/" + print(key.key) + ".run"; }
std::string host_fixture::journal_of(const named& key) const {
  const auto text = read_whole(run_file(key));
  return text.substr(mom::order_size(text));
}

std::string own_user() {
  const passwd* const entry = getpwuid(geteuid());
  return entry ? entry->pw_name : std::to_string(geteuid());
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_whole(const std::string& path, const std::string& text, unsigned mode) {
  std::ofstream(path, std::ios::binary) << text;
  chmod(path.c_str(), mode);
}

bool alive(long pid) {
  const auto p = mom::read_process(pid);
  return p && p->state != 'Z';
}

void wait_until(const std::function<bool()>& condition, const char* what) {
  BOOST_REQUIRE_MESSAGE(comes_true(condition, std::chrono::steady_clock::now() + patience), "waited in vain for " << what);
}

}  // namespace annals::test
