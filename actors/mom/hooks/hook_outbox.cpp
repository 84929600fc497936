#include "actors/mom/hooks/hook_outbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "events/schema/readable.hpp"

namespace annals::actors {

namespace fs = std::filesystem;

std::optional<schema::sealed<schema::FromMom>> read_hook_report(schema::byte_span file) {
  auto message = schema::sealed_message::from_bytes(file);
  if (!message) return std::nullopt;
  schema::sealed<schema::FromMom> report(std::move(*message));
  if (!report.get().isHookReport() || !schema::is_readable(report)) return std::nullopt;
  return report;
}

hook_outbox::hook_outbox(std::string directory) : directory_(std::move(directory)) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory_, ignored)) {
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

std::string hook_outbox::file_of(std::uint64_t position) const { return directory_ + "/" + std::to_string(position); }

std::uint64_t hook_outbox::next_position(std::int64_t now_ns) {
  last_ = std::max<std::uint64_t>(last_ + 1, static_cast<std::uint64_t>(std::max<std::int64_t>(now_ns, 1)));
  return last_;
}

void hook_outbox::put(std::uint64_t position, schema::sealed<schema::FromMom> report) {
  std::error_code ignored;
  fs::create_directories(directory_, ignored);
  const int fd = ::open(file_of(position).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto bytes = report.bytes();
  // A full disk costs the report its safety, not the report.
  if (fd >= 0) {
    if (::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) (void)::fdatasync(fd);
    ::close(fd);
  }
  reports_[position] = std::move(report);
}

void hook_outbox::acknowledged(std::uint64_t position) {
  if (reports_.erase(position) > 0) ::unlink(file_of(position).c_str());
}

void hook_outbox::each(const std::function<void(const schema::sealed<schema::FromMom>&)>& tell) const {
  for (const auto& [position, report] : reports_) tell(report);
}

}  // namespace annals::actors
