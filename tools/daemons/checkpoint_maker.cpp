#include "tools/daemons/checkpoint_maker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <variant>

#include "actors/replica/checkpoint_round.hpp"
#include "actors/replica/status_folds.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/model/limits.hpp"
#include "events/values/number.hpp"
#include "tools/client/printed.hpp"
#include "tools/daemons/daemon_process.hpp"
#include "tools/daemons/home.hpp"

namespace annals::daemons {

namespace {

class pipe_ends {
 public:
  pipe_ends() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~pipe_ends() {
    close_writing();
    if (ends_[0] >= 0) ::close(ends_[0]);
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
};

// Its process; 0: it could not be started, and `why` says it.
pid_t start_round(std::vector<std::string> words, const pipe_ends& said, std::string& why) {
  if (said.writing() < 0) return why = std::strerror(errno), 0;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, said.writing(), 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &files, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error == 0) return pid;
  why = std::strerror(error);
  return 0;
}

// What is said until the other end is closed, or it is that time. False: it was not closed by then.
bool read_until(std::chrono::steady_clock::time_point until, int fd, std::string& text) {
  for (char piece[1024];;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000))) <= 0) continue;
    const auto n = ::read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    if (text.size() < 4096) text.append(piece, static_cast<std::size_t>(n));
  }
}

// How a process ended, which is not yet collected: until then its pid is nobody else's. Empty: well.
std::string how_ended(pid_t pid) {
  siginfo_t how{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  if (how.si_code != CLD_EXITED) return "its process was killed by signal " + std::to_string(how.si_status);
  return how.si_status == 0 ? "" : "its process ended with status " + std::to_string(how.si_status);
}

std::string without_line_end(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// A number of annals.conf.
std::int64_t number_in(const client::annals_conf& conf, const std::function<void(const std::string&)>& wrong, const char* key,
                       std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const auto wanted = conf.get(key);
  if (wanted.empty()) return otherwise;
  const auto number = values::parse_integer(wanted);
  if (number && *number >= least && *number <= most) return *number;
  wrong(std::string(key) + ": not a number from " + std::to_string(least) + " to " + std::to_string(most) + ": " + wanted + "; it is " +
        std::to_string(otherwise));
  return otherwise;
}

}  // namespace

std::string checkpoint_directory(const std::string& priv) { return priv + "/checkpoint"; }

checkpoint_pace read_checkpoint_pace(const client::annals_conf& conf, const std::function<void(const std::string&)>& wrong) {
  const auto interval =
      number_in(conf, wrong, "checkpoint_interval", limits::checkpoint_interval_s, 0, limits::checkpoint_interval_s_max);
  const auto records = number_in(conf, wrong, "checkpoint_records", limits::checkpoint_records_min, 1, limits::checkpoint_records_max);
  return {std::chrono::seconds(interval), static_cast<std::uint64_t>(records)};
}

int make_checkpoint(const checkpoint_call& call) {
  ::prctl(PR_SET_NAME, "pbs_checkpoint");  // who looks for the daemon does not find this
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);      // a daemon that was killed is started again, and makes its own
  ::setpriority(PRIO_PROCESS, 0, 19);
  raise_open_files();  // a long log has thousands of files
  try {
    const auto directory = checkpoint_directory(call.priv);
    if (std::filesystem::create_directory(directory)) std::filesystem::permissions(directory, std::filesystem::perms(0700));
    const lock_file alone(directory + "/lock", 0600, "another process makes a checkpoint in " + directory);
    if (!has_space(call.priv)) throw std::runtime_error("too little room on the disk of " + call.priv);
    auto opened = log::open_for_audit(call.priv + "/log");
    if (const auto* failed = std::get_if<ports::store_status>(&opened)) throw std::runtime_error(failed->text);
    const auto& store = std::get<0>(opened);
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    const auto made = actors::make_checkpoint(log::log_reader(*store), {directory, call.make_folds, call.up_to(), now});
    if (made) client::print_text("checkpoint of record %llu\n", static_cast<unsigned long long>(made->sequence));
    else client::print_text("no checkpoint: %s\n", call.nothing_came.c_str());
    return 0;
  } catch (const std::exception& why) {
    client::print_error("%s\n", why.what());
    return 1;
  }
}

checkpoint_maker::checkpoint_maker(checkpoint_maker_parts parts)
    : parts_(std::move(parts)),
      file_(actors::checkpoint_file(checkpoint_directory(parts_.priv))),
      at_start_(actors::read_checkpoint_head(file_)) {
  if (parts_.pace.interval.count() > 0) thread_ = std::thread([this] { run(); });
}

checkpoint_maker::~checkpoint_maker() { end_thread(); }

void checkpoint_maker::end_thread() {
  {
    const std::lock_guard held(guard_);
    stops_ = true;
    if (round_ > 0) ::kill(round_, SIGKILL);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void checkpoint_maker::run() {
  std::unique_lock held(guard_);
  while (!changed_.wait_for(held, parts_.pace.interval, [this] { return stops_; })) {
    held.unlock();
    if (is_due()) make_one(steady::time_point::max());
    held.lock();
  }
}

bool checkpoint_maker::is_due() const {
  const auto begins = actors::next_round_begins(actors::read_checkpoint_head(file_), at_start_, log::log_reader(*parts_.log));
  return begins && parts_.up_to() >= *begins + parts_.pace.records_min;
}

// Trouble is told once.
void checkpoint_maker::make_one(steady::time_point until) {
  pipe_ends said;
  std::string why, text;
  pid_t round = 0;
  {
    const std::lock_guard held(guard_);
    if (stops_) return;
    round = round_ = start_round(parts_.command, said, why);
  }
  said.close_writing();
  if (round > 0) {
    const bool in_time = read_until(until, said.reading(), text);
    if (!in_time) ::kill(round, SIGKILL);
    why = how_ended(round);
    if (!in_time) why = "it would have taken too long at the daemon's end";
    else if (!why.empty() && !text.empty()) why = without_line_end(text);
  }
  const std::lock_guard held(guard_);
  if (round > 0) ::waitpid(round, nullptr, 0);
  round_ = 0;
  if (stops_) return;
  if (!why.empty() && why != trouble_) parts_.note("no checkpoint is made: " + why);
  trouble_ = why;
}

void checkpoint_maker::make_last() {
  if (parts_.pace.interval.count() == 0) return;
  end_thread();
  stops_ = false;  // nobody else looks any more
  if (is_due()) make_one(steady::now() + std::chrono::seconds(limits::last_checkpoint_s));
}

}  // namespace annals::daemons
