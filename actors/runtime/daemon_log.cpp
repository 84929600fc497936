#include "actors/runtime/daemon_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/daily_file_sink.h>

#include <chrono>
#include <ctime>
#include <mutex>

namespace annals::actors {

namespace {

// The day's file has no name but the day.
struct day_name {
  static spdlog::filename_t calc_filename(const spdlog::filename_t& directory, const tm& now) {
    return fmt::format("{}/{:%Y%m%d}", directory, now);
  }
};
using day_sink = spdlog::sinks::daily_file_sink<std::mutex, day_name>;

std::unique_ptr<spdlog::logger> open_log(const std::string& directory) {
  auto logger = std::make_unique<spdlog::logger>("annals", std::make_shared<day_sink>(directory, 0, 0));
  logger->set_pattern("%v");
  logger->flush_on(spdlog::level::info);
  return logger;
}

}  // namespace

struct daemon_log::sink {
  std::mutex guard;                 // reopen() replaces the logger under the writers
  std::unique_ptr<spdlog::logger> logger;
};

daemon_log::daemon_log(std::string directory, std::string daemon, std::uint32_t mask, bool microseconds)
    : directory_(std::move(directory)), daemon_(std::move(daemon)), mask_(mask), microseconds_(microseconds),
      sink_(std::make_unique<sink>()) {
  try {
    sink_->logger = open_log(directory_);
  } catch (const std::exception& e) {
    throw std::runtime_error("cannot write the log in " + directory_ + ": " + e.what());
  }
  write(log_event::force | log_event::system, "Svr", "Log", "Log opened");
}

daemon_log::~daemon_log() { write(log_event::force | log_event::system, "Svr", "Log", "Log closed"); }

void daemon_log::write(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text) {
  if (!(event & log_event::force) && !(event & mask_)) return;
  const auto now = std::chrono::system_clock::now();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(us / 1'000'000);
  tm local{};
  localtime_r(&seconds, &local);
  std::string time = fmt::format("{:%m/%d/%Y %H:%M:%S}", local);
  if (microseconds_) time += fmt::format(".{:06d}", us % 1'000'000);
  std::lock_guard held(sink_->guard);
  sink_->logger->info("{};{:04x};{};{};{};{}", time, event & 0xffff & ~log_event::force, daemon_, cls, object, text);
}

void daemon_log::reopen() {
  write(log_event::force | log_event::system, "Svr", "Log", "Log closed");
  {
    std::lock_guard held(sink_->guard);
    sink_->logger = open_log(directory_);
  }
  write(log_event::force | log_event::system, "Svr", "Log", "Log opened");
}

}  // namespace annals::actors
