#include "actors/mom/shepherd/journal_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "actors/mom/host/open_path.hpp"
#include "actors/mom/host/order_file.hpp"
#include "actors/mom/host/process_table.hpp"
#include "actors/mom/host/run_journal.hpp"
#include "actors/mom/shepherd/spare_cgroup.hpp"
#include "actors/mom/shepherd/text_file.hpp"

namespace annals::shepherd {
namespace {

constexpr int lock_tries_max = 1000;  // of 1 ms: a MoM that judges a run holds the lock for much less

bool sync_directory_of(const std::string& path) {
  const int fd = mom::open_path(path.substr(0, path.rfind('/')), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return false;
  const bool good = fsync(fd) == 0;
  close(fd);
  return good;
}

bool is_named(std::string_view path, const std::string& key) { return path.substr(path.rfind('/') + 1) == key + ".run"; }

bool anybody_had(std::string_view run_file) {
  const auto size = mom::order_size(run_file);
  const auto order = mom::parse_order(run_file.substr(0, size));
  const auto j = mom::parse_journal(run_file.substr(size), order ? mom::journal_mark(*order, run_file.substr(0, size)) : "");
  return j.claimed || j.over();
}

}  // namespace

journal_file::~journal_file() {
  if (fd_ >= 0) close(fd_);
}

bool journal_file::lock(const char* path) {
  fd_ = mom::open_path(path, O_RDWR | O_APPEND);
  if (fd_ < 0) return false;
  for (int i = 0; i < lock_tries_max; ++i) {
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
    if (anybody_had(read_text(path))) return false;  // its shepherd has the lock
    usleep(1000);
  }
  return false;
}

bool journal_file::claim(const char* path, const std::string& boot) {
  if (!lock(path)) return false;
  const auto text = read_text(fd_);
  const auto size = mom::order_size(text);
  order_ = mom::parse_order(std::string_view(text).substr(0, size));
  if (order_) mark_ = mom::journal_mark(*order_, std::string_view(text).substr(0, size));
  const bool ours = size > 0 && (!order_ || is_named(path, order_->key));  // see run_file_parts
  const auto before = mom::parse_journal(std::string_view(text).substr(size), mark_);
  if (!ours || before.claimed || before.over()) return false;
  struct stat st {};
  if (fstat(fd_, &st) != 0 || st.st_nlink == 0) return false;  // forgotten between our open and our lock
  if (append(mom::line_of(mom::journal_claimed{getpid(), boot})) && sync() && (!mark_.empty() || sync_directory_of(path))) return true;
  append(mom::line_of(mom::journal_failed{-3, "can't write the journal"}));
  return false;
}

void journal_file::append_with_next(std::string_view line) { waiting_ += mom::marked(line, mark_); }

bool journal_file::append(std::string_view line) {
  append_with_next(line);
  while (!waiting_.empty()) {
    const ssize_t n = write(fd_, waiting_.data(), waiting_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    waiting_.erase(0, static_cast<std::size_t>(n));  // a torn line is made whole by the next write: nobody else writes
  }
  return true;
}

void journal_file::append_last(std::string_view line) {
  bool written = append(line);
  while (!(written && sync())) {
    sleep(1);  // a full disk
    written = append({});
  }
}

// Who may run again loses nothing with the power but a run.
bool journal_file::sync() const { return !mark_.empty() || fdatasync(fd_) == 0; }

void make_cgroup(const mom::job_cgroup& cgroup, const mom::shepherd_order& order, journal_file& journal, spare_cgroup* spare) {
  const mom::cgroup_limits limits{order.cgroup_memory_bytes, order.cgroup_vmem_bytes, order.cgroup_ncpus, order.cgroup_cpu_quota};
  const auto wrong = spare ? spare->make(cgroup, limits) : cgroup.make(limits);
  if (!wrong.empty()) journal.append(mom::log_line("cgroup: " + wrong));
}

}  // namespace annals::shepherd
