#include "projections/accounting/written_days.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <stdexcept>

#include "projections/accounting/checkpoint_mark.hpp"

namespace annals::projections {

namespace fs = std::filesystem;

namespace {

std::string print_day_length(const std::string& day, std::uint64_t length) { return day + ' ' + std::to_string(length) + '\n'; }

}  // namespace

day_lengths read_written_days(const fs::path& file) {
  day_lengths days;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line) && !in.eof();) {  // eof: the newline is missing, the line is torn
    if (line.size() < 10 || line[8] != ' ' || !is_day(line.substr(0, 8))) continue;
    std::uint64_t length = 0;
    const auto* end = line.data() + line.size();
    if (const auto [at, error] = std::from_chars(line.data() + 9, end, length); error == std::errc() && at == end)
      days[line.substr(0, 8)] = length;
  }
  return days;
}

bool add_written_day(const fs::path& file, const std::string& day, std::uint64_t length) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const auto line = print_day_length(day, length);
  const bool done = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fdatasync(fd) == 0;
  ::close(fd);
  return done;
}

void keep_written_days(const fs::path& file, const day_lengths& days) {
  const fs::path fresh = file.string() + ".new";
  std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
  for (const auto& [day, length] : days) out << print_day_length(day, length);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + fresh.string());
  fs::rename(fresh, file);
}

std::string length_fault(const std::string& day, std::uint64_t written, std::optional<std::uint64_t> there) {
  if (there == written) return "";
  if (!there) return day + " is missing";
  return day + " has " + std::to_string(*there) + " bytes, " + std::to_string(written) + " were written";
}

std::optional<std::uint64_t> length_of(const fs::path& file) {
  std::error_code gone;
  const auto bytes = fs::file_size(file, gone);
  return gone ? std::nullopt : std::optional<std::uint64_t>(bytes);
}

}  // namespace annals::projections
