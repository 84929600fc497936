#include "actors/mom/shepherd/copy_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "actors/mom/shepherd/launch.hpp"
#include "actors/mom/shepherd/reaping.hpp"
#include "events/model/host/host_limits.hpp"

namespace annals::shepherd {
namespace {

constexpr int last_reads_max = 8;  // of 16 KB: more than a pipe holds, less than somebody else may go on to write

std::string without_last_newlines(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Reads what is there; false: nothing more will come.
bool read_some(int pipe, std::string& said) {
  char buffer[16384];
  const ssize_t n = read(pipe, buffer, sizeof buffer);
  if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
  said.append(buffer, static_cast<std::size_t>(n));
  if (said.size() > limits::copy_text_bytes_max) said.erase(0, said.size() - limits::copy_text_bytes_max);
  return true;
}

// True when the process has ended, false at the end of our patience.
bool follow(pid_t pid, int pipe, std::int64_t until_ms, std::string& said) {
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd watched[2] = {{pipe, POLLIN, 0}, {ended, POLLIN, 0}};
  for (auto left = until_ms - monotonic_ms(); left > 0 && ended >= 0 && watched[1].revents == 0; left = until_ms - monotonic_ms()) {
    poll(watched, 2, static_cast<int>(std::min<std::int64_t>(left, INT_MAX)));
    if (watched[0].revents && !read_some(pipe, said)) watched[0].fd = -1;
  }
  for (int i = 0; i < last_reads_max && watched[0].fd >= 0; ++i)
    if (!read_some(pipe, said)) break;
  if (ended >= 0) close(ended);
  return watched[1].revents != 0;
}

void judge(attempt& a, top_process& top, bool in_time) {
  if (top.pid > 0 && !in_time) end_descendants(top, 0);
  while (top.pid > 0 && in_time && waitpid(top.pid, &top.status, 0) < 0 && errno == EINTR) {
  }
  const bool good = top.pid > 0 && in_time && top.status == 0;
  a.status = good ? 0 : top.pid > 0 && in_time && WIFEXITED(top.status) ? WEXITSTATUS(top.status)
                                                                        : 1;
  a.wrong = without_last_newlines(std::move(a.wrong));
  if (good) a.wrong.clear();
  else if (!in_time) a.wrong += (a.wrong.empty() ? "" : "\n") + std::string("it took too long and was ended");
  else if (a.wrong.empty()) a.wrong = "exit status " + std::to_string(a.status);
  a.hopeless = !in_time;
}

}  // namespace

std::string remote_name(const mom::user_request& request, const std::string& host, const std::string& path) {
  return (request.user.empty() ? "" : request.user + '@') + host + ':' + path;
}

attempt run_copy(const std::vector<std::string>& program_words, const std::vector<std::string>& operands, const copy_request& request) {
  if (program_words.empty()) return {.wrong = "no copy program", .command = {}};
  std::vector<std::string> arguments = program_words;
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  attempt a;
  for (const auto& word : arguments) a.command += (a.command.empty() ? "" : " ") + word;
  const auto& user = request.words.user;
  const std::vector<std::string> environment{"HOME=" + request.words.home, "USER=" + user, "LOGNAME=" + user,
                                             "PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/sh"};
  int said[2];
  if (pipe2(said, O_CLOEXEC) != 0) return {.wrong = strerror(errno), .command = a.command};
  fcntl(said[0], F_SETFL, O_NONBLOCK);
  program p;
  p.path = arguments.front().c_str();
  p.argv = pointers(arguments);
  p.envp = pointers(environment);
  p.directory = "/";
  p.own_session = false;  // who ends this process ends the copying with it
  p.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  p.out = said[1];
  p.err = said[1];
  top_process top{launch(p).pid};
  close(p.in);
  close(said[1]);
  const bool in_time = top.pid < 0 || follow(top.pid, said[0], request.until_ms, a.wrong);
  close(said[0]);
  judge(a, top, in_time);
  return a;
}

}  // namespace annals::shepherd
