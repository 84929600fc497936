#include "tools/daemons/real_scheduler_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "actors/runtime/owned_path.hpp"
#include "actors/runtime/thread_share.hpp"
#include "events/model/limits.hpp"
#include "tools/daemons/sched_directories.hpp"

namespace annals::daemons {

namespace fs = std::filesystem;
using result = ports::scheduler_start_result;
using outcome = result::outcome;
using namespace std::chrono_literals;

namespace {

constexpr auto look_again = 10ms;
// A process that was killed keeps its lock until the kernel has taken its memory apart.
constexpr auto lock_patience = 1s;
// One that runs and is not connected for so long hears nobody: a daemon asks for its server every 5 s.
constexpr auto deaf_after = 30s;
// Starts are asked for every 10 s at least while they are owed; a longer pause is another story.
constexpr auto same_story = 15s;

std::runtime_error failed(const std::string& what) { return std::runtime_error(what + ": " + std::strerror(errno)); }

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

std::string lock_of(const std::string& priv) { return priv + "/sched.lock"; }

bool is_locked(const std::string& priv) {
  const descriptor file(open(lock_of(priv).c_str(), O_RDONLY | O_CLOEXEC));
  return file.get() >= 0 && flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

template <class Duration>
bool becomes_free(const std::string& priv, Duration patience) {
  for (const auto end = std::chrono::steady_clock::now() + patience; is_locked(priv); std::this_thread::sleep_for(look_again))
    if (std::chrono::steady_clock::now() >= end) return false;
  return true;
}

// Who holds the lock; nothing: nobody, or no scheduler that this process can see.
std::optional<pid_t> pid_of(const std::string& priv) {
  if (!is_locked(priv)) return std::nullopt;
  pid_t pid = 0;
  std::ifstream(lock_of(priv)) >> pid;
  std::string program;
  if (pid > 1) std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> program;
  return program == "pbs_sched" ? std::optional(pid) : std::nullopt;
}

// -- directories -------------------------------------------------------------------------------------------------------------

// The key of the scheduler stands there: nobody else may put files in it (MS-11).
std::string why_unfit(const ports::scheduler_start& what) {
  const auto& priv = what.priv;
  struct stat is {};
  if (stat(priv.c_str(), &is) != 0) return priv + ": " + std::strerror(errno);
  if (!S_ISDIR(is.st_mode)) return priv + " is no directory";
  if (is.st_uid != 0 && is.st_uid != geteuid()) return priv + " belongs to another user";
  if ((is.st_mode & 022) != 0) return priv + " may be written by others";
  return what.own_directories ? std::string() : actors::why_not_owned(priv, actors::owned_as::directory);
}

// The directories of its name are made where they are missing, also on a host whose PBS_HOME is another one.
result make_ready(const ports::scheduler_start& what, const std::string& defaults) {
  std::error_code unknown;
  if (what.own_directories && !fs::exists(what.priv, unknown)) make_priv_directory(what.priv, defaults);
  if (what.own_directories && !what.logs.empty()) make_log_directory(what.logs);
  if (auto why = why_unfit(what); !why.empty()) return {outcome::no_priv, std::move(why)};
  if (!what.own_directories && !what.logs.empty() && !fs::is_directory(what.logs, unknown))
    return {outcome::no_logs, what.logs + " is no directory"};
  return {outcome::started, {}};
}

// In one step: a scheduler that reads it has the old one or the new one.
void write_private(const std::string& path, const std::string& text) {
  const auto fresh = path + ".new";
  unlink(fresh.c_str());
  {
    const descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0 || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) || fsync(file.get()) != 0)
      throw failed(fresh);
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) throw failed(path);
}

// -- the process -------------------------------------------------------------------------------------------------------------

std::vector<std::string> environment_of(const ports::scheduler_start& what, std::uint16_t server_port) {
  std::vector<std::string> all;
  const auto set = [&](const std::string& name, const std::string& value) {
    std::erase_if(all, [&](const std::string& entry) { return entry.starts_with(name + "="); });
    all.push_back(name + "=" + value);
  };
  for (char** at = environ; *at; ++at) all.emplace_back(*at);
  set("PBS_LEAF_NAME", what.host);
  if (server_port != 0) set("PBS_BATCH_SERVICE_PORT", std::to_string(server_port));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& w : words) all.push_back(w.data());
  all.push_back(nullptr);
  return all;
}

// Signals as a program expects them, a session of its own, and no file of ours.
class spawn_setup {
 public:
  explicit spawn_setup(int errors) {
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, errors, 2);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
  }
  ~spawn_setup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  spawn_setup(const spawn_setup&) = delete;
  spawn_setup& operator=(const spawn_setup&) = delete;

  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t files;
};

// What it says until it is ready or has failed: it keeps the pipe until then. False: it took too long.
bool read_all(int fd, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limits::scheduler_start_s);
  for (char piece[1024];;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd waits{fd, POLLIN, 0};
    if (left <= 0 || (poll(&waits, 1, static_cast<int>(left)) == 0)) return false;
    const auto n = read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    if (text.size() < 4096) text.append(piece, static_cast<std::size_t>(n));
  }
}

// pbs_sched goes to the background itself: the process that is started here ends when the scheduler is ready, with 0, or has failed.
result run(const std::string& program, std::vector<std::string> words, std::vector<std::string> environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw failed("pipe");
  const descriptor reading(ends[0]);
  descriptor writing(ends[1]);
  actors::set_thread_share({0, 0});  // a scheduler does not inherit how this daemon's threads share processors
  pid_t pid = 0;
  {
    const spawn_setup setup(writing.get());
    const int error =
        posix_spawn(&pid, program.c_str(), &setup.files, &setup.attributes, pointers_to(words).data(), pointers_to(environment).data());
    if (error != 0) return {outcome::failed, program + ": " + std::strerror(error)};
  }
  writing.reset();
  std::string said;
  const bool in_time = read_all(reading.get(), said);
  if (!in_time) kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  if (!in_time) return {outcome::failed, "not ready after " + std::to_string(limits::scheduler_start_s) + " s"};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {outcome::started, {}};
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (said.find("another scheduler running") != std::string::npos) return {outcome::runs_already, said};
  return {outcome::failed, said.empty() ? "it ended at once" : said};
}

}  // namespace

// A process that is stopped, or hangs, has lost its connection and keeps its lock.
bool real_scheduler_processes::is_deaf(const std::string& priv) {
  const std::lock_guard held(guard_);
  const auto now = steady::now();
  auto [at, fresh] = found_running_.try_emplace(priv, now, now);
  auto& [since, last] = at->second;
  if (now - last > same_story) since = now;
  last = now;
  if (now - since < deaf_after) return false;
  found_running_.erase(at);
  return true;
}

result real_scheduler_processes::start(const ports::scheduler_start& what) {
  if (where_.after.valid()) where_.after.wait();
  if (auto ready = make_ready(what, where_.defaults); ready.what != outcome::started) return ready;
  if (!becomes_free(what.priv, lock_patience)) {
    if (!is_deaf(what.priv)) return {outcome::runs_already, {}};
    stop(what.name, what.priv);
  }
  if (what.is_wanted && !what.is_wanted()) return {outcome::unwanted, {}};  // while its place was waited for
  write_private(what.priv + "/daemon.pem", what.certificate);
  std::vector<std::string> words{where_.program};
  if (!where_.home.empty()) words.insert(words.end(), {"-d", where_.home});
  if (what.name != "default") words.insert(words.end(), {"-I", what.name, "-P", what.priv, "-l", what.logs});
  if (what.port != 0) words.insert(words.end(), {"-S", std::to_string(what.port)});
  return run(where_.program, std::move(words), environment_of(what, where_.server_port));
}

void real_scheduler_processes::stop(const std::string&, const std::string& priv) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    const auto pid = pid_of(priv);
    if (!pid || kill(*pid, signal) != 0 || becomes_free(priv, std::chrono::seconds(limits::scheduler_end_s))) return;
  }
}

}  // namespace annals::daemons
