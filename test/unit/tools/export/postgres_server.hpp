// A PostgreSQL server of a test's own: a directory with its files and its socket, and no port. It ends with the test.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "test/support/temporary_directory.hpp"

namespace annals::test {

class postgres_server {
 public:
  // The newest one that is installed; nothing: none is, or there is nobody who may run it.
  static std::optional<std::string> programs() {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none))
      if (::access((version.path() / "bin/initdb").c_str(), X_OK) == 0) found.push_back(version.path() / "bin");
    if (found.empty() || (::geteuid() == 0 && !::getpwnam("postgres"))) return std::nullopt;
    return *std::max_element(found.begin(), found.end());
  }

  postgres_server() : bin_(*programs()) {
    ::chmod(files_.path.c_str(), 0711);
    std::filesystem::create_directory(files_.at("pg"));
    if (const auto* user = user_of_server(); user && ::chown(files_.at("pg").c_str(), user->pw_uid, user->pw_gid) != 0)
      throw_error("chown");
    const auto made = wait_for(run({bin_ + "/initdb", "-D", data(), "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"}));
    if (made != 0) throw_error("initdb");
    start();
  }
  ~postgres_server() { kill(); }
  postgres_server(const postgres_server&) = delete;

  std::string url() const { return "postgresql://test@/postgres?host=" + files_.at("pg"); }

  // The processes of one that was killed end a moment after it, and until then a new one refuses to start.
  void start() {
    for (int i = 0; i < 200; ++i)
      if (started()) return;
    throw_error("postgres");
  }
  // As kill -9 of its first process: the others end when they notice.
  void kill() {
    if (server_ <= 0) return;
    ::kill(server_, SIGKILL);
    (void)wait_for(std::exchange(server_, 0));
  }

 private:
  // It answers when its recovery is over, or it has ended.
  bool started() {
    server_ = run({bin_ + "/postgres", "-D", data(), "-k", files_.at("pg"), "-c", "listen_addresses=", "-c", "fsync=off"});
    while (PQping(url().c_str()) != PQPING_OK) {
      int status = 0;
      if (::waitpid(server_, &status, WNOHANG) != server_) continue;
      server_ = 0;
      return false;
    }
    return true;
  }
  std::string data() const { return files_.at("pg/data"); }
  static const passwd* user_of_server() { return ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr; }
  [[noreturn]] void throw_error(const std::string& what) const { throw std::runtime_error(what + ": see " + files_.at("pg")); }
  static int wait_for(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return status;
  }

  // As the user that a root's server runs as, in a process group of its own, which ends with this process.
  pid_t run(const std::vector<std::string>& words) const {
    const auto* user = user_of_server();
    const auto parent = ::getpid();
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setpgid(0, 0);
    if (user && (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)) ::_exit(126);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || ::chdir(files_.at("pg").c_str()) != 0) ::_exit(126);
    const int quiet = ::open("/dev/null", O_WRONLY);
    ::dup2(quiet, 1);
    ::dup2(quiet, 2);
    std::vector<char*> argv;
    for (const auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  std::string bin_;
  temporary_directory files_;
  pid_t server_ = 0;
};

}  // namespace annals::test
