#include "projections/accounting/accounting_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "events/values/date_time.hpp"
#include "projections/accounting/written_days.hpp"

namespace annals::projections {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot(const std::string& what, const fs::path& path) {
  throw std::runtime_error("cannot " + what + " " + path.string() + ": " + std::strerror(errno));
}

int open_or_throw(const fs::path& path, int flags, mode_t mode = 0) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) cannot("open", path);
  return fd;
}

}  // namespace

// -- the checkpoint ------------------------------------------------------------------------------------------------------

std::optional<checkpoint_mark> accounting_files::read_checkpoint() const {
  std::string bytes(2 * checkpoint_slot_bytes, '\0');
  const auto got = ::pread(checkpoint_fd_, bytes.data(), bytes.size(), 0);
  if (got < 0) cannot("read", checkpoint_);
  bytes.resize(static_cast<std::size_t>(got));
  return newest_mark(bytes);
}

accounting_files::result accounting_files::keep(checkpoint_mark m) {
  m.generation = kept_.generation + 1;
  m.log = kept_.log;
  const auto slot = print(m);
  const auto at = static_cast<off_t>((m.generation % 2) * checkpoint_slot_bytes);
  if (::pwrite(checkpoint_fd_, slot.data(), slot.size(), at) != static_cast<ssize_t>(slot.size()))
    return fail(result::no_space, "write " + checkpoint_.string());
  if (::fdatasync(checkpoint_fd_) != 0) return fail(result::sync_failed, "sync " + checkpoint_.string());
  kept_ = std::move(m);
  return result::done;
}

accounting_files::result accounting_files::fail(result r, const std::string& what) {
  why_ = "accounting: cannot " + what + ": " + std::strerror(errno);
  return r;
}

// -- opening -------------------------------------------------------------------------------------------------------------

accounting_files::accounting_files(fs::path directory, fs::path checkpoint, std::string log)
    : directory_(std::move(directory)), checkpoint_(std::move(checkpoint)), days_(checkpoint_.string() + "_days") {
  fs::create_directories(checkpoint_.parent_path());
  directory_fd_ = open_or_throw(directory_, O_RDONLY | O_DIRECTORY);
  checkpoint_fd_ = open_or_throw(checkpoint_, O_RDWR | O_CREAT, 0600);
  const auto before = read_checkpoint();
  if (!before) set_aside_files();
  kept_ = before.value_or(checkpoint_mark());
  if (kept_.log != log) {
    kept_ = checkpoint_mark{.generation = kept_.generation, .log = std::move(log), .sequence = 0, .day = "", .length = 0};
    if (keep(kept_) != result::done) throw std::runtime_error(why_);
    if (const int parent = ::open(checkpoint_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); parent >= 0) {
      ::fsync(parent);
      ::close(parent);
    }
  }
  reached_ = kept_.sequence;
  check_days(before ? before->day : "");
  if (kept_.day.empty()) return;
  const auto there = length_of(directory_ / kept_.day);
  if (there.value_or(0) < kept_.length) differences_.push_back(length_fault(kept_.day, kept_.length, there));
  if (open_day(kept_.day) != result::done) throw std::runtime_error(why_);
  // A shorter file was changed by somebody: what is missing is his, and the next line goes to its end.
  if (written_ > kept_.length) {
    if (::ftruncate(day_fd_, static_cast<off_t>(kept_.length)) != 0) cannot("cut", directory_ / day_);
    written_ = kept_.length;
  }
}

accounting_files::~accounting_files() {
  for (const int fd : {directory_fd_, checkpoint_fd_, day_fd_})
    if (fd >= 0) ::close(fd);
}

// What differs is told by this start, and is what is known from now on: files that were put right, or taken away on purpose,
// are not told of for ever.
void accounting_files::check_days(const std::string& open) {
  auto days = read_written_days(days_);
  for (auto at = days.begin(); at != days.end();) {
    const auto& [day, written] = *at;
    const auto there = length_of(directory_ / day);
    if (day == open || there == written) {
      ++at;
      continue;
    }
    differences_.push_back(length_fault(day, written, there));
    if (there) (at++)->second = *there;
    else at = days.erase(at);
  }
  if (!differences_.empty()) keep_written_days(days_, days);
}

void accounting_files::set_aside_files() const {
  fs::remove(days_);
  std::vector<fs::path> days;
  for (const auto& entry : fs::directory_iterator(directory_))
    if (is_day(entry.path().filename().string())) days.push_back(entry.path());
  for (const auto& day : days) {
    fs::path to = day.string() + ".replaced";
    for (int n = 2; fs::exists(to); ++n) to = day.string() + ".replaced" + std::to_string(n);
    fs::rename(day, to);
  }
}

// -- writing -------------------------------------------------------------------------------------------------------------

void accounting_files::add(std::int64_t wall_s, std::string_view line) {
  auto day = values::print_day(wall_s);
  if (waiting_.empty() || waiting_.back().day != day) waiting_.push_back({std::move(day), reached_, {}});
  waiting_.back().text += line;
  waiting_.back().text += '\n';
}

std::size_t accounting_files::waiting_bytes() const {
  std::size_t n = 0;
  for (const auto& s : waiting_) n += s.text.size();
  return n;
}

accounting_files::result accounting_files::open_day(const std::string& day) {
  const auto path = directory_ / day;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return fail(result::no_space, "open " + path.string());
  struct stat now {};
  if (::fchmod(fd, 0644) != 0 || ::fstat(fd, &now) != 0 || ::fsync(directory_fd_) != 0) {
    ::close(fd);
    return fail(result::no_space, "use " + path.string());
  }
  if (day_fd_ >= 0) ::close(day_fd_);
  day_fd_ = fd;
  day_ = day;
  written_ = static_cast<std::uint64_t>(now.st_size);
  return result::done;
}

// The former day's file is complete and the checkpoint says so, and where the new one begins, before anything is added.
accounting_files::result accounting_files::begin_day(const segment& s) {
  if (day_fd_ >= 0 && unsynced_ && ::fdatasync(day_fd_) != 0) return fail(result::sync_failed, "sync " + (directory_ / day_).string());
  unsynced_ = false;
  if (!day_.empty() && !add_written_day(days_, day_, written_)) return fail(result::no_space, "write " + days_.string());
  if (const auto opened = open_day(s.day); opened != result::done) return opened;
  const auto kept = keep({.generation = 0, .log = "", .sequence = s.before, .day = day_, .length = written_});
  if (kept != result::done) day_.clear();  // begun again with the next try
  return kept;
}

accounting_files::result accounting_files::write_front() {
  auto& s = waiting_.front();
  std::size_t done = 0;
  while (done < s.text.size()) {
    const auto n = ::pwrite(day_fd_, s.text.data() + done, s.text.size() - done, static_cast<off_t>(written_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
    written_ += static_cast<std::uint64_t>(n);
    unsynced_ = true;
  }
  if (done < s.text.size()) {
    s.text.erase(0, done);
    return fail(result::no_space, "write " + (directory_ / day_).string());
  }
  waiting_.pop_front();
  return result::done;
}

accounting_files::result accounting_files::write_waiting() {
  while (!waiting_.empty()) {
    if (waiting_.front().day != day_)
      if (const auto begun = begin_day(waiting_.front()); begun != result::done) return begun;
    if (const auto written = write_front(); written != result::done) return written;
  }
  return result::done;
}

accounting_files::result accounting_files::write() { return write_waiting(); }

accounting_files::result accounting_files::sync() {
  if (const auto written = write_waiting(); written != result::done) return written;
  if (!behind()) return result::done;
  if (unsynced_ && ::fdatasync(day_fd_) != 0) return fail(result::sync_failed, "sync " + (directory_ / day_).string());
  unsynced_ = false;
  return keep({.generation = 0, .log = "", .sequence = reached_, .day = day_, .length = written_});
}

}  // namespace annals::projections
