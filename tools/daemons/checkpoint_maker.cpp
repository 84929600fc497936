#include "tools/daemons/checkpoint_maker.hpp"

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
#include <fstream>
#include <iterator>
#include <optional>
#include <variant>

#include "actors/server_system/checkpoint_round.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/model/limits.hpp"
#include "projections/accounting/checkpoint_mark.hpp"
#include "projections/mail/mail_spool.hpp"
#include "tools/client/printed.hpp"

namespace annals::daemons {

namespace {

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The server writes lines and sends mails behind the log; a checkpoint that is ahead of them would have to be read past.
std::uint64_t books_are_at(const std::string& priv) {
  const auto lines = projections::newest_mark(content_of(priv + "/views/accounting"));
  const auto mails = projections::newest_mail_mark(content_of(priv + "/mail/mark"));
  const auto mailed = mails.generation == 0 ? UINT64_MAX : mails.done.sequence - 1;
  return lines ? std::min(lines->sequence, mailed) : 0;
}

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

// Nothing: it could not be started; errno says why.
std::optional<pid_t> start_round(const std::string& home, int errors) {
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
  posix_spawn_file_actions_adddup2(&files, errors, 2);
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
  std::string words[] = {"pbs_server", "-d", home, "--checkpoint"};
  char* const pointers[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &files, &attributes, pointers, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  errno = error;
  return error == 0 ? std::optional(pid) : std::nullopt;
}

// What it says until it ends.
std::string read_all(int fd) {
  std::string text;
  for (char piece[1024];;) {
    const auto n = ::read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    if (text.size() < 4096) text.append(piece, static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string checkpoint_directory(const std::string& priv) { return priv + "/checkpoint"; }

int make_checkpoint(const std::string& home, const std::string& priv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a server that was killed is started again, and makes its own
  ::setpriority(PRIO_PROCESS, 0, 19);
  try {
    auto opened = log::open_for_audit(priv + "/log");
    if (const auto* failed = std::get_if<ports::store_status>(&opened)) throw std::runtime_error(failed->text);
    const auto& store = std::get<0>(opened);
    const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    (void)actors::make_checkpoint(log::log_reader(*store), {checkpoint_directory(priv), home, books_are_at(priv), now});
    return 0;
  } catch (const std::exception& why) {
    client::print_error("%s\n", why.what());
    return 1;
  }
}

checkpoint_maker::checkpoint_maker(checkpoint_maker_parts parts) : parts_(std::move(parts)) {
  if (parts_.interval.count() > 0) thread_ = std::thread([this] { run(); });
}

checkpoint_maker::~checkpoint_maker() {
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
  while (!changed_.wait_for(held, parts_.interval, [this] { return stops_; })) {
    held.unlock();
    if (is_worth_it()) make_one();
    held.lock();
  }
}

bool checkpoint_maker::is_worth_it() const {
  const auto last = actors::read_checkpoint_head(actors::checkpoint_file(checkpoint_directory(parts_.priv)));
  const bool usable = last && last->program == actors::program_name();
  return parts_.log->last_sequence() >= (usable ? last->sequence : 0) + limits::checkpoint_records_min;
}

// Trouble is told once.
void checkpoint_maker::make_one() {
  pipe_ends said;
  {
    const std::lock_guard held(guard_);
    if (stops_) return;
    round_ = start_round(parts_.home, said.writing()).value_or(0);
  }
  said.close_writing();
  std::string why = round_ > 0 ? read_all(said.reading()) : std::strerror(errno);
  int status = 0;
  while (round_ > 0 && ::waitpid(round_, &status, 0) < 0 && errno == EINTR) {}
  const std::lock_guard held(guard_);
  const bool made = std::exchange(round_, 0) > 0 && status == 0;
  if (made || stops_) return trouble_.clear();
  while (!why.empty() && why.back() == '\n') why.pop_back();
  if (why.empty()) why = "its process ended with status " + std::to_string(status);
  if (std::exchange(trouble_, why) != why) parts_.note("no checkpoint is made: " + why);
}

void checkpoint_maker::make_last() {
  if (parts_.interval.count() > 0 && is_worth_it()) make_one();
}

}  // namespace annals::daemons
