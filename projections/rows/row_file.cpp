#include "projections/rows/row_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>

#include "events/log/checksum.hpp"
#include "events/log/unnamed_file.hpp"
#include "events/model/outcome.hpp"

namespace annals::projections {

namespace {

constexpr std::uint64_t in_memory = ~std::uint64_t{0};
constexpr std::uint64_t stretch_bytes = std::uint64_t{1} << 20;
// A job's row has some 2 KB: most are read at once.
constexpr std::uint64_t read_at_once = 4096;
constexpr std::uint64_t read_of_all = 256 << 10;

// A kept file begins with it.
constexpr std::string_view kind_of_file = "annrows1";
constexpr std::size_t id_bytes = 16;
constexpr std::size_t file_head_bytes = kind_of_file.size() + id_bytes;

// Stands before each row; the checksum covers everything behind itself.
struct row_head {
  std::uint32_t crc = 0;
  std::uint32_t size = 0;  // of the row
  std::uint64_t key = 0;
};
static_assert(sizeof(row_head) == 16 && std::is_trivially_copyable_v<row_head>, "written as it is");

std::uint32_t checksum_of(std::string_view row_with_head) {
  const auto covered = row_with_head.substr(sizeof(row_head::crc));
  return log::crc32c(std::as_bytes(std::span(covered.data(), covered.size())));
}

std::string with_head(std::uint64_t key, std::string_view row) {
  row_head head{0, static_cast<std::uint32_t>(row.size()), key};
  std::string bytes(sizeof head + row.size(), '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, row.data(), row.size());
  head.crc = checksum_of(bytes);
  std::memcpy(bytes.data(), &head.crc, sizeof head.crc);
  return bytes;
}

struct stat look_at(int fd) {
  struct stat is {};
  ANNALS_INVARIANT(::fstat(fd, &is) == 0, "an open file can be looked at");
  return is;
}
std::uint64_t length_of(int fd) { return static_cast<std::uint64_t>(look_at(fd).st_size); }

bool sync_directory_of(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  const int fd = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = ::fsync(fd) == 0;
  const int why = errno;
  ::close(fd);
  errno = why;
  return synced;
}

}  // namespace

// -- files ---------------------------------------------------------------------------------------------------------------

row_file::open_file::~open_file() {
  if (fd_ >= 0) ::close(fd_);
}

std::string row_file::open_file::why() const { return name_ + ": " + std::strerror(errno); }

void row_file::open_file::read(std::uint64_t at, char* to, std::size_t bytes) const {
  while (bytes > 0) {
    const auto n = ::pread(fd_, to, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw row_unreadable(name_ + " can't be read: " + (n < 0 ? std::strerror(errno) : "it is too short"));
    to += n;
    at += static_cast<std::uint64_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
}

bool row_file::open_file::write(std::uint64_t at, std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool row_file::open_file::punch(std::uint64_t from, std::uint64_t to) const {
  return ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0;
}

std::string row_file::use_directory(const std::string& directory) {
  open_file fresh(log::open_unnamed(directory), "a temporary file in " + directory);
  if (!fresh) return fresh.why();
  file_ = std::move(fresh);
  return {};
}

// Without holes a kept file would grow for as long as there are jobs.
std::string row_file::keep_in(const std::string& path) {
  ::unlink(path.c_str());
  open_file fresh(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), path);
  std::string id(id_bytes, '\0');
  if (!fresh || ::getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) return fresh.why();
  if (!fresh.write(0, std::string(kind_of_file) + id) || !sync_directory_of(path)) return fresh.why();
  if (!fresh.punch(file_head_bytes, stretch_bytes)) return "a file that gives room back: " + fresh.why();
  file_ = std::move(fresh);
  id_ = std::move(id);
  begin_ = 0;
  end_ = file_head_bytes;
  return {};
}

row_file::open_file row_file::open_kept(const std::string& path, int flags) const {
  const auto refuse = [&](const std::string& why) -> void { throw stored::state_unreadable("rows of jobs: " + path + ": " + why); };
  if (id_.empty()) refuse("the checkpoint has no rows in a file");
  open_file kept(::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC), path);
  if (!kept) refuse(std::strerror(errno));
  if (length_of(kept.fd()) < end_) refuse("it is shorter than the checkpoint says");
  std::string head(file_head_bytes, '\0');
  try {
    kept.read(0, head.data(), head.size());
  } catch (const row_unreadable& why) {
    throw stored::state_unreadable(why.what());
  }
  if (head != std::string(kind_of_file) + id_) refuse("it is not the file of the checkpoint");
  return kept;
}

// A round that died may have left rows behind the end. They are written over, and not cut off: a server that began with a later checkpoint,
// which this round could not read, goes on finding its rows, for the same jobs give the same bytes at the same places.
void row_file::go_on_in(const std::string& path) {
  file_ = open_kept(path, O_RDWR);
  relied_on_ = length_of(file_.fd());
  for (const auto stretch : emptied_before_) give_back(stretch);
  emptied_before_ = std::exchange(emptied_, {});
}

void row_file::read_from(const std::string& path) {
  base_ = open_kept(path, O_RDONLY);
  begin_ = end_;
  used_ = {};
  emptied_.clear();
  emptied_before_.clear();
}

std::string row_file::sync() const { return !file_ || ::fdatasync(file_.fd()) == 0 ? std::string() : file_.why(); }

void row_file::store(stored::writer& to) const {
  ANNALS_INVARIANT(id_.empty() ? end_ == 0 : begin_ == 0, "a checkpoint names no rows that are gone with their process");
  to(id_, end_, places_, in_memory_, used_, emptied_, emptied_before_);
}

void row_file::restore(stored::reader& from) { from(id_, end_, places_, in_memory_, used_, emptied_, emptied_before_); }

// -- rows ----------------------------------------------------------------------------------------------------------------

void row_file::put(std::uint64_t key, std::string_view row) {
  if (contains(key)) take(key);
  if (append(key, row)) return;
  in_memory_[key] = row;
  places_.put(key, in_memory);
}

bool row_file::append(std::uint64_t key, std::string_view row) {
  if (!file_ || row.size() > UINT32_MAX) return false;
  const auto bytes = with_head(key, row);
  if (!file_.write(end_ - begin_, bytes)) return false;
  places_.put(key, end_);
  const auto last = (end_ - begin_ + bytes.size() - 1) / stretch_bytes;
  for (auto s = (end_ - begin_) / stretch_bytes; s <= last; ++s) used_.put(s, used_.find(s).value_or(0) + 1);
  end_ += bytes.size();
  return true;
}

// The bytes of a file that were read last.
class row_file::window {
 public:
  explicit window(std::uint64_t bytes) : bytes_(bytes) {}
  // `bytes` at `at`, of which the file has `left` more. Throws row_unreadable.
  std::string_view of(const open_file& file, std::uint64_t at, std::uint64_t bytes, std::uint64_t left) {
    if (&file != file_ || at < begin_ || at + bytes > begin_ + read_.size()) {
      read_.resize(std::min(left, std::max(bytes, bytes_)));
      file.read(at, read_.data(), read_.size());
      file_ = &file;
      begin_ = at;
    }
    return std::string_view(read_).substr(at - begin_, bytes);
  }

 private:
  const std::uint64_t bytes_;
  const open_file* file_ = nullptr;
  std::uint64_t begin_ = 0;
  std::string read_;
};

std::optional<std::string> row_file::get(std::uint64_t key) const {
  const auto place = places_.find(key);
  if (!place) return std::nullopt;
  if (*place == in_memory) return in_memory_.at(key);
  window near(read_at_once);
  return read(key, *place, near);
}

void row_file::each(const std::function<void(std::uint64_t key, std::string row)>& visit) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_place;  // place, key
  by_place.reserve(size());
  for (auto at = places_.begin(); at; at.next()) by_place.emplace_back(places_.at(at.key()), at.key());
  std::sort(by_place.begin(), by_place.end());
  window near(read_of_all);
  for (const auto& [place, key] : by_place) visit(key, place == in_memory ? in_memory_.at(key) : read(key, place, near));
}

std::string row_file::read(std::uint64_t key, std::uint64_t place, window& near) const {
  const bool of_base = place < begin_;
  const auto& file = of_base ? base_ : file_;
  const auto at = of_base ? place : place - begin_;
  const auto end = of_base ? begin_ : end_;
  const auto check = [&](bool sound) {
    if (!sound) throw row_unreadable(file.name() + " can't be read: the row at byte " + std::to_string(at) + " is damaged");
  };
  check(place < end && end - place >= sizeof(row_head));
  const auto left = end - place;
  row_head head;
  std::memcpy(&head, near.of(file, at, sizeof head, left).data(), sizeof head);
  check(head.key == key && head.size <= left - sizeof head);
  const auto row = near.of(file, at, sizeof head + head.size, left);
  check(checksum_of(row) == head.crc);
  return std::string(row.substr(sizeof head));
}

std::optional<std::string> row_file::take(std::uint64_t key) {
  auto row = get(key);
  if (!row) return row;
  const auto place = places_.at(key);
  places_.erase(key);
  if (place == in_memory) in_memory_.erase(key);
  else if (place >= begin_) let_go(place - begin_, sizeof(row_head) + row->size());
  return row;
}

// The next row follows the last one, so a stretch before it gets no more rows.
void row_file::let_go(std::uint64_t at, std::size_t bytes) {
  for (auto s = at / stretch_bytes; s <= (at + bytes - 1) / stretch_bytes; ++s) {
    const auto rows = used_.find(s).value_or(1);
    if (rows > 1) {
      used_.put(s, rows - 1);
      continue;
    }
    used_.erase(s);
    if ((s + 1) * stretch_bytes > end_ - begin_) continue;
    if (s * stretch_bytes < relied_on_) emptied_.push_back(s);
    else give_back(s);
  }
}

// The head of a kept file stays. If the file system can't do it, the room of a file without a name is kept until the process ends.
void row_file::give_back(std::uint64_t stretch) const {
  (void)file_.punch(std::max<std::uint64_t>(stretch * stretch_bytes, file_head_bytes), (stretch + 1) * stretch_bytes);
}

std::uint64_t row_file::bytes_on_disk() const {
  return file_ ? static_cast<std::uint64_t>(look_at(file_.fd()).st_blocks) * 512 : 0;
}

}  // namespace annals::projections
