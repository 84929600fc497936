#include "actors/mom/hooks/hook_outbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "events/schema/readable.hpp"

namespace annals::actors {

namespace fs = std::filesystem;

namespace {

std::string report_file(const std::string& directory, std::uint64_t position) { return directory + "/" + std::to_string(position); }

bool write_whole(int fd, schema::byte_span bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

// A new file is on the disk when its directory is.
bool sync_names(const std::string& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool synced = ::fsync(fd) == 0;
  const int why = errno;
  ::close(fd);
  errno = why;
  return synced;
}

}  // namespace

std::optional<schema::sealed<schema::FromMom>> read_hook_report(schema::byte_span file) {
  auto message = schema::sealed_message::from_bytes(file);
  if (!message) return std::nullopt;
  schema::sealed<schema::FromMom> report(std::move(*message));
  if (!report.get().isHookReport() || !schema::is_readable(report)) return std::nullopt;
  return report;
}

std::string write_hook_report(const std::string& directory, std::uint64_t position, schema::byte_span report) {
  std::error_code wrong;
  fs::create_directories(directory, wrong);
  if (wrong) return directory + ": " + wrong.message();
  const auto path = report_file(directory, position);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return path + ": " + std::strerror(errno);
  const bool safe = write_whole(fd, report) && ::fdatasync(fd) == 0 && sync_names(directory);
  const int why = errno;
  ::close(fd);
  if (safe) return {};
  ::unlink(path.c_str());
  return path + ": " + std::strerror(why);
}

void remove_hook_report(const std::string& directory, std::uint64_t position) { ::unlink(report_file(directory, position).c_str()); }

hook_outbox::hook_outbox(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const auto name = entry.path().filename().string();
    std::uint64_t position = 0;
    const auto [after, error] = std::from_chars(name.data(), name.data() + name.size(), position);
    if (error != std::errc() || after != name.data() + name.size() || position > INT64_MAX) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    // One that was cut off by a crash was never told as done: it is dropped.
    auto report = read_hook_report(std::as_bytes(std::span(bytes)));
    last_ = std::max<std::uint64_t>(last_, position);
    if (report && report->get().getHookReport().getPosition() == position) reports_[position] = std::move(*report);
    else fs::remove(entry.path(), ignored);
  }
}

std::uint64_t hook_outbox::next_position(std::int64_t now_ns) {
  last_ = std::max<std::uint64_t>(last_ + 1, static_cast<std::uint64_t>(std::max<std::int64_t>(now_ns, 1)));
  return last_;
}

void hook_outbox::put(std::uint64_t position, schema::sealed<schema::FromMom> report) { reports_[position] = std::move(report); }

void hook_outbox::each(const std::function<void(const schema::sealed<schema::FromMom>&)>& tell) const {
  for (const auto& [position, report] : reports_) tell(report);
}

}  // namespace annals::actors
