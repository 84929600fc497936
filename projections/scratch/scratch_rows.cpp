#include "projections/scratch/scratch_rows.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "events/log/unnamed_file.hpp"

namespace annals::projections {

namespace {

constexpr std::uint64_t in_memory = ~std::uint64_t{0};
constexpr unsigned size_bits = 24;
constexpr std::uint64_t size_max = (std::uint64_t{1} << size_bits) - 1;
constexpr std::uint64_t end_max = (std::uint64_t{1} << (64 - size_bits)) - 1;
constexpr std::uint64_t stretch = std::uint64_t{1} << 20;

std::uint64_t begin_of(std::uint64_t place) { return place >> size_bits; }
std::size_t size_of(std::uint64_t place) { return place & size_max; }

}  // namespace

scratch_rows::descriptor::~descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::string scratch_rows::use_directory(const std::string& directory) {
  file_ = descriptor(log::open_unnamed(directory));
  if (file_.get() < 0) return "a temporary file in " + directory + ": " + std::strerror(errno);
  directory_ = directory;
  return {};
}

void scratch_rows::put(std::uint64_t key, std::string_view row) {
  erase(key);
  if (file_.get() < 0 || row.size() > size_max || end_ + row.size() > end_max || !write(end_, row)) {
    in_memory_[key] = row;
    places_.put(key, in_memory);
    return;
  }
  places_.put(key, end_ << size_bits | row.size());
  count(end_, row.size(), +1);
  end_ += row.size();
}

bool scratch_rows::write(std::uint64_t at, std::string_view row) const {
  while (!row.empty()) {
    const auto n = ::pwrite(file_.get(), row.data(), row.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    row.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

std::optional<std::string> scratch_rows::get(std::uint64_t key) const {
  const auto place = places_.find(key);
  if (!place) return std::nullopt;
  if (*place == in_memory) return in_memory_.at(key);
  std::string row(size_of(*place), '\0');
  for (std::size_t got = 0; got < row.size();) {
    const auto n = ::pread(file_.get(), row.data() + got, row.size() - got, static_cast<off_t>(begin_of(*place) + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw scratch_unreadable("a temporary file in " + directory_ +
                               " can't be read: " + (n < 0 ? std::strerror(errno) : "it is too short"));
    got += static_cast<std::size_t>(n);
  }
  return row;
}

void scratch_rows::erase(std::uint64_t key) {
  const auto place = places_.find(key);
  if (!place) return;
  if (*place == in_memory) in_memory_.erase(key);
  else let_go(*place);
  places_.erase(key);
}

void scratch_rows::count(std::uint64_t at, std::size_t size, int by) {
  if (size == 0) return;
  const auto last = (at + size - 1) / stretch;
  if (used_.size() <= last) used_.resize(last + 1);
  for (auto s = at / stretch; s <= last; ++s) used_[s] += static_cast<std::uint32_t>(by);
}

// What is written next follows what was written last, so a stretch that lies before it gets nothing any more.
void scratch_rows::let_go(std::uint64_t place) {
  count(begin_of(place), size_of(place), -1);
  if (size_of(place) == 0) return;
  for (auto s = begin_of(place) / stretch; s <= (begin_of(place) + size_of(place) - 1) / stretch; ++s) {
    if (used_[s] > 0 || (s + 1) * stretch > end_) continue;
    // A file system that can't do it keeps the room until the process ends.
    (void)::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(s * stretch),
                      static_cast<off_t>(stretch));
  }
}

std::uint64_t scratch_rows::bytes_on_disk() const {
  struct stat is {};
  if (file_.get() < 0 || ::fstat(file_.get(), &is) != 0) return 0;
  return static_cast<std::uint64_t>(is.st_blocks) * 512;
}

}  // namespace annals::projections
