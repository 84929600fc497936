#include "tools/daemons/pbs_shepherd/copying.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/daemons/pbs_shepherd/launch.hpp"
#include "tools/daemons/pbs_shepherd/text_file.hpp"

namespace annals::shepherd {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool exists(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0;
}

bool copy_bytes(int from, int to) {
  for (;;) {
    const ssize_t n = sendfile(to, from, nullptr, 1u << 30);
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) break;
  }
  if (errno != EINVAL && errno != ENOSYS) return false;
  char buffer[65536];  // this pair of file systems can't sendfile
  for (ssize_t n; (n = read(from, buffer, sizeof buffer)) != 0;) {
    if (n < 0) return false;
    for (ssize_t done = 0; done < n;) {
      const ssize_t w = write(to, buffer + done, static_cast<std::size_t>(n - done));
      if (w < 0) return false;
      done += w;
    }
  }
  return true;
}

// Like `cp -p`: the file's content and mode. Empty: done; else what cp would have said.
std::string copy_content(const std::string& from, const std::string& to) {
  const int in = open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (in < 0) return "/bin/cp: cannot stat '" + from + "': " + strerror(errno);
  struct stat st {};
  fstat(in, &st);
  const mode_t mode = st.st_mode & 0777;
  const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, mode);
  std::string wrong;
  if (out < 0) {
    wrong = "/bin/cp: cannot create regular file '" + to + "': " + strerror(errno);
  } else {
    struct stat target {};
    if (fstat(out, &target) == 0 && S_ISREG(target.st_mode)) fchmod(out, mode);
    if (!copy_bytes(in, out)) wrong = "/bin/cp: error writing '" + to + "': " + strerror(errno);
    if (close(out) != 0 && wrong.empty()) wrong = "/bin/cp: failed to close '" + to + "': " + strerror(errno);
  }
  close(in);
  return wrong;
}

bool rename_to_new_name(const std::string& from, const std::string& to) {
  constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE, which not every C library declares
  return syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), no_replace) == 0;
}

// A directory target gets the spool file's own name (pbs guide: <jobid>.OU).
std::string local_target(const mom::copy_task& task) {
  struct stat st {};
  if (task.to_path.back() != '/' && (stat(task.to_path.c_str(), &st) != 0 || !S_ISDIR(st.st_mode))) return task.to_path;
  return task.to_path + (task.to_path.back() == '/' ? "" : "/") + base_name(task.from);
}

std::string copy_locally(const mom::copy_task& task) {
  if (task.to_path.empty()) return "/bin/cp: missing destination file operand";
  const std::string to = local_target(task);
  // The usual case by one rename: a new file on the same file system. It can't be told from a copy.
  if (rename_to_new_name(task.from, to)) return {};
  std::string wrong = copy_content(task.from, to);
  if (wrong.empty()) unlink(task.from.c_str());
  return wrong;
}

// Everything scp said, if it failed; "exit status 1" if it said nothing.
std::string copy_remotely(const mom::copy_task& task, const mom::user_request& request) {
  if (request.scp.empty()) return "no scp program";
  std::vector<std::string> arguments = request.scp;
  arguments.push_back(task.from);
  arguments.push_back((request.user.empty() ? "" : request.user + '@') + task.to_host + ':' + task.to_path);
  const std::vector<std::string> environment{"HOME=" + request.home, "USER=" + request.user, "LOGNAME=" + request.user,
                                             "PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/sh"};
  int said[2];
  if (pipe2(said, O_CLOEXEC) != 0) return strerror(errno);
  program p;
  p.path = arguments.front().c_str();
  p.argv = pointers(arguments);
  p.envp = pointers(environment);
  p.directory = "/";
  p.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  p.out = said[1];
  p.err = said[1];
  const launched l = launch(p);
  close(p.in);
  close(said[1]);
  std::string text = read_text(said[0]);
  close(said[0]);
  int status = 0;
  while (waitpid(l.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (l.pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    unlink(task.from.c_str());
    return {};
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "exit status " + std::to_string(WEXITSTATUS(status)) : text;
}

// Out of the spool directory, to a place where it stays until its owner takes it.
bool retain(const mom::copy_task& task) {
  if (rename(task.from.c_str(), task.retained.c_str()) == 0) return true;
  if (errno != EXDEV || !copy_content(task.from, task.retained).empty()) return false;
  unlink(task.from.c_str());
  return true;
}

// The words of the mail and the log (pbs guide: "Job files not copied").
std::string failure_text(const mom::copy_task& task, const std::string& wrong, bool retained) {
  return "Unable to copy file " + task.from + " to " + (task.to_host.empty() ? "" : task.to_host + ':') + task.to_path +
         "\n>>> error from copy\n" + wrong +
         "\n>>> end error output\nOutput retained on that host in: " + (retained ? task.retained : task.from) + '\n';
}

}  // namespace

mom::user_answer copy_files(const mom::user_request& request) {
  struct open_task {
    const mom::copy_task* task;
    std::string wrong;
  };
  std::vector<open_task> left;
  mom::user_answer answer;
  for (const auto& task : request.copies) {
    if (exists(task.from))
      left.push_back({&task, {}});
    else if (!exists(task.retained))
      ++answer.delivered;
    else
      answer.text += failure_text(task, "an earlier delivery failed", true);
  }
  for (const auto pause : request.pauses_s) {
    if (left.empty()) break;
    if (pause > 0) sleep(pause);
    for (auto& t : left) t.wrong = t.task->local ? copy_locally(*t.task) : copy_remotely(*t.task, request);
    for (std::size_t i = left.size(); i-- > 0;) {
      if (!left[i].wrong.empty()) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      ++answer.delivered;
    }
  }
  for (const auto& t : left) answer.text += failure_text(*t.task, t.wrong, retain(*t.task));
  return answer;
}

}  // namespace annals::shepherd
