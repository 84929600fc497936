#include "actors/mom/shepherd/copying.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "actors/mom/shepherd/indexed_output.hpp"
#include "actors/mom/shepherd/reaping.hpp"
#include "actors/mom/shepherd/staging.hpp"

namespace annals::shepherd {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool exists(const std::string& path) {
  struct stat st {};
  return lstat(path.c_str(), &st) == 0;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat sa {
  }, sb{};
  return stat(a.c_str(), &sa) == 0 && stat(b.c_str(), &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
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

// Like `cp -p`: the file's content and mode, and on disk, since the source goes. Empty: done; else what cp would have said.
std::string copy_content(const std::string& from, const std::string& to, int flags = O_TRUNC) {
  const int in = open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (in < 0) return "/bin/cp: cannot stat '" + from + "': " + strerror(errno);
  struct stat st {};
  if (fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {  // the user put something else in its place
    close(in);
    return "/bin/cp: '" + from + "' is not a regular file";
  }
  const mode_t mode = st.st_mode & 0777;
  const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags, mode);
  std::string wrong;
  if (out < 0) {
    wrong = "/bin/cp: cannot create regular file '" + to + "': " + strerror(errno);
  } else {
    struct stat target {};
    const bool plain = fstat(out, &target) == 0 && S_ISREG(target.st_mode);
    if (plain) fchmod(out, mode);
    if (!copy_bytes(in, out) || (plain && fsync(out) != 0)) wrong = "/bin/cp: error writing '" + to + "': " + strerror(errno);
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
  if (same_file(task.from, to)) return {};  // an earlier request came so far
  // The usual case by one rename, or a link if the spool is the MoM's: a new file on the same file system. It can't be told from a copy.
  if (rename_to_new_name(task.from, to) || link(task.from.c_str(), to.c_str()) == 0) return {};
  std::string wrong = copy_content(task.from, to);
  if (wrong.empty()) unlink(task.from.c_str());
  return wrong;
}

attempt copy_output(const mom::copy_task& task, const copy_request& request) {
  attempt a;
  if (!task.local) {
    a = run_copy(request.words.scp, {task.from, remote_name(request.words, task.to_host, task.to_path)}, request);
    if (a.wrong.empty()) unlink(task.from.c_str());
    return a;
  }
  a.wrong = copy_locally(task);
  a.status = a.wrong.empty() ? 0 : 1;
  a.command = "/bin/cp -rp " + task.from + ' ' + task.to_path;  // what it stands for
  return a;
}

// To a directory where others may make files: nothing of theirs is followed or written to.
bool move_to(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return true;
  const bool ours_to_write = errno == EXDEV;
  unlink(to.c_str());
  if (!ours_to_write && link(from.c_str(), to.c_str()) == 0) return true;
  if (!ours_to_write && errno != EXDEV) return false;
  if (!copy_content(from, to, O_EXCL | O_NOFOLLOW).empty()) return false;
  unlink(from.c_str());
  return true;
}

// Out of the spool directory, to a place where it stays until its owner takes it. Returns where it is now.
std::string retain(const mom::copy_task& task) {
  if (move_to(task.from, task.retained)) return task.retained;
  std::string other = task.retained + ".XXXXXX";  // somebody has planted something under the first name
  const int fd = mkstemp(other.data());
  if (fd < 0) return task.from;
  close(fd);
  if (move_to(task.from, other)) return other;
  unlink(other.c_str());
  return task.from;
}

// "Unable to copy file a to q1:/b", and why (pbs guide: "Job files not copied").
std::string failure_text(const std::string& what, const attempt& last) {
  return "Unable to copy file " + what + "\n>>> error from copy\n" + last.wrong + "\n>>> end error output\n";
}

std::string place_text(const std::string& host, const std::string& path) { return (host.empty() ? "" : host + ':') + path; }

// The copies of a request, each tried until it is done or there is no hope.
class copying {
 public:
  copying(const mom::user_request& request, copy_lock& lock)
      : request_(request), copies_{request, monotonic_ms() + std::int64_t{request.copying_s} * 1000}, lock_(lock) {}

  mom::user_answer run() {
    find_open();
    for (const auto pause : request_.pauses_s) {
      ++tries_;
      if (open_.empty()) break;
      if (pause > 0) sleep(pause);
      std::vector<item> again;
      for (auto& i : open_)
        if (!try_one(i)) again.push_back(i);
      open_ = again;
    }
    failed_.insert(failed_.end(), open_.begin(), open_.end());
    if (request_.first_try) answer_.tries.clear();  // another request makes them again
    else
      for (const auto& i : failed_) answer_.text += text_of(i);
    for (const auto n : settled_)
      if (exists(request_.copies[n].from)) answer_.settled.push_back(n);
    if (failed_.empty() && answer_.text.empty())
      for (const auto& t : request_.stages)
        if (t.what == kind::drop) drop_staged(t, request_);
    return std::move(answer_);
  }

 private:
  using kind = mom::stage_task::kind;
  struct item {
    const mom::copy_task* output = nullptr;
    const mom::stage_task* stage = nullptr;
    std::size_t number = 0;  // of the copy, or of the stage
    attempt last = {};
  };

  void find_open() {
    for (std::size_t i = 0; i < request_.copies.size(); ++i) {
      const auto& task = request_.copies[i];
      if (lock_.is_done(number_of_copy(i))) settle(i, true);
      else if (exists(task.from)) open_.push_back({.output = &task, .number = i});
      else if (!exists(task.retained)) ++answer_.delivered;
      else
        answer_.text += failure_text(task.from + " to " + place_text(task.to_host, task.to_path),
                                     {.wrong = "an earlier delivery failed", .command = {}}) +
                        retained_text(task.retained);
    }
    for (std::size_t i = 0; i < request_.stages.size(); ++i) {
      if (request_.stages[i].what == kind::drop) continue;
      if (lock_.is_done(i)) ++answer_.delivered;
      else open_.push_back({.stage = &request_.stages[i], .number = i});
    }
  }

  // True: it is where other subjobs' output is.
  bool put_among_others(item& i) {
    constexpr std::int64_t short_patience_ms = 200, patience_ms = 60'000;  // with who else writes there
    const auto& t = *i.output;
    const auto wrong = append_record(t.from, *t.record,
                                     std::min(copies_.until_ms, monotonic_ms() + (request_.first_try ? short_patience_ms : patience_ms)));
    if (wrong.empty()) {
      settle(i.number, true);
      unlink(t.from.c_str());
      return true;
    }
    add_try("append " + t.from + " to " + wrong, 1);
    return false;
  }

  void add_try(const std::string& command, int status) {
    answer_.tries.push_back("command: " + command + " status=" + std::to_string(status) + ", try=" + std::to_string(tries_));
  }

  // True: it needs no other try.
  bool try_one(item& i) {
    if (i.output && i.output->record) {
      if (put_among_others(i)) return true;
      if (request_.first_try) return false;  // the next request has more patience, and makes a file of its own
    }
    std::vector<std::string> copied;
    i.last = i.output                    ? copy_output(*i.output, copies_)
             : i.stage->what == kind::in ? stage_in(*i.stage, copies_)
                                         : stage_out(*i.stage, copies_, copied);
    if (i.last.wrong.empty()) {
      if (i.output) settle(i.number, true);
      else ++answer_.delivered;
      if (i.stage && i.stage->what == kind::out) lock_.set_done(i.number);
      for (const auto& file : copied) unlink(file.c_str());  // a directory stays
      return true;
    }
    if (!i.last.command.empty()) add_try(i.last.command, i.last.status);
    if (i.last.hopeless) failed_.push_back(i);
    return i.last.hopeless;
  }

  // Behind the stages.
  std::size_t number_of_copy(std::size_t copy) const { return request_.stages.size() + copy; }

  void settle(std::size_t copy, bool delivered) {
    if (delivered) {
      ++answer_.delivered;
      lock_.set_done(number_of_copy(copy), false);
    }
    settled_.push_back(static_cast<std::uint32_t>(copy));
  }

  std::string text_of(const item& i) {
    if (i.output) {
      const auto& t = *i.output;
      const auto where = retain(t);
      if (where != t.from) settle(i.number, false);
      return failure_text(t.from + " to " + place_text(t.to_host, t.to_path), i.last) + retained_text(where);
    }
    const auto& t = *i.stage;
    if (t.what == kind::in) return failure_text(t.here + " from " + place_text(t.local ? "" : t.host, t.there), i.last);
    return failure_text(t.here + " to " + place_text(t.host, t.there), i.last);
  }

  static std::string retained_text(const std::string& where) { return "Output retained on that host in: " + where + '\n'; }

  const mom::user_request& request_;
  const copy_request copies_;
  copy_lock& lock_;
  mom::user_answer answer_;
  std::vector<item> open_, failed_;
  std::vector<std::uint32_t> settled_;  // copies
  unsigned tries_ = 0;
};

}  // namespace

mom::user_answer bring_files(const mom::user_request& request, copy_lock& lock) { return copying(request, lock).run(); }

}  // namespace annals::shepherd
