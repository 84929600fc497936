#include "actors/runtime/daemon_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/daily_file_sink.h>

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "events/model/limits.hpp"
#include "events/values/shown_text.hpp"

namespace annals::actors {

namespace {

// The day's file has no name but the day.
struct day_name {
  static spdlog::filename_t calc_filename(const spdlog::filename_t& directory, const tm& now) {
    return fmt::format("{}/{:%Y%m%d}", directory, now);
  }
};
using day_sink = spdlog::sinks::daily_file_sink<std::mutex, day_name>;

std::unique_ptr<spdlog::logger> open_log(const std::string& path, bool one_file) {
  spdlog::sink_ptr to;
  if (one_file) to = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  else to = std::make_shared<day_sink>(path, 0, 0);
  auto logger = std::make_unique<spdlog::logger>("annals", std::move(to));
  logger->set_pattern("%v");
  logger->flush_on(spdlog::level::info);
  return logger;
}

}  // namespace

struct daemon_log::sink {
  std::mutex guard;  // reopen() replaces the logger under the writers
  std::unique_ptr<spdlog::logger> logger;
  std::time_t second = 0;  // of `clock`
  std::string clock;       // "MM/DD/YYYY HH:MM:SS": most lines of a busy daemon share it
  int gathering = 0;
  std::string gathered;  // lines, each ended by a newline

  const std::string& clock_at(std::time_t now) {
    if (now != second || clock.empty()) {
      tm local{};
      localtime_r(&now, &local);
      clock = fmt::format("{:%m/%d/%Y %H:%M:%S}", local);
      second = now;
    }
    return clock;
  }
  // Writes what came soon, when 20 ms have gone by.
  std::condition_variable_any came;
  bool soon = false;
  std::jthread flusher;  // begun with the first such line

  void begin_to_flush() {
    if (flusher.joinable()) return;
    flusher = std::jthread([this](const std::stop_token& stop) {
      pthread_setname_np(pthread_self(), "log.flush");
      std::unique_lock held(guard);
      while (came.wait(held, stop, [this] { return soon; })) {
        came.wait_for(held, stop, std::chrono::milliseconds(limits::patience_ms), [] { return false; });
        soon = false;
        if (gathering == 0) flush();
      }
    });
  }

  void flush() {
    if (gathered.empty()) return;
    gathered.pop_back();  // the logger ends the last line
    logger->info("{}", gathered);
    gathered.clear();
  }
};

namespace {
constexpr std::size_t gathered_bytes_max = 64u << 10;  // then they are written whoever still gathers
}

daemon_log::daemon_log(std::string directory, std::string daemon, std::uint32_t mask, bool microseconds, bool one_file)
    : directory_(std::move(directory)),
      daemon_(std::move(daemon)),
      mask_(mask),
      microseconds_(microseconds),
      one_file_(one_file),
      sink_(std::make_unique<sink>()) {
  try {
    sink_->logger = open_log(directory_, one_file_);
  } catch (const std::exception& e) {
    throw std::runtime_error((one_file_ ? "cannot write the log " : "cannot write the log in ") + directory_ + ": " + e.what());
  }
  write(log_event::force | log_event::system, "Svr", "Log", "Log opened");
}

daemon_log::~daemon_log() {
  sink_->flusher = {};
  write(log_event::force | log_event::system, "Svr", "Log", "Log closed");
}

void daemon_log::write(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text) {
  std::unique_lock held(sink_->guard, std::defer_lock);
  if (put(held, event, cls, object, text) && (sink_->gathering == 0 || sink_->gathered.size() > gathered_bytes_max)) sink_->flush();
}

void daemon_log::write_soon(std::uint32_t event, std::string_view cls, std::string_view object, std::string_view text) {
  std::unique_lock held(sink_->guard, std::defer_lock);
  if (!put(held, event, cls, object, text)) return;
  if (sink_->gathered.size() > gathered_bytes_max) return sink_->flush();
  sink_->begin_to_flush();
  if (!std::exchange(sink_->soon, true)) sink_->came.notify_one();
}

// False: such lines are not wanted.
bool daemon_log::put(std::unique_lock<std::mutex>& held, std::uint32_t event, std::string_view cls, std::string_view object,
                     std::string_view text) {
  if (!(event & log_event::force) && !(event & mask_)) return false;
  const auto now = std::chrono::system_clock::now();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  held.lock();
  auto& lines = sink_->gathered;
  const auto time = sink_->clock_at(static_cast<std::time_t>(us / 1'000'000));
  do {
    const auto end = std::min(text.find('\n'), text.size());
    fmt::format_to(std::back_inserter(lines), "{}", time);
    if (microseconds_) fmt::format_to(std::back_inserter(lines), ".{:06d}", us % 1'000'000);
    fmt::format_to(std::back_inserter(lines), ";{:04x};{};{};", event & 0xffff & ~log_event::force, daemon_, cls);
    values::put_shown(lines, object);
    lines.push_back(';');
    values::put_shown(lines, text.substr(0, end));
    lines.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  } while (!text.empty());
  return true;
}

daemon_log::gathering::gathering(daemon_log& log) : log_(log) {
  std::lock_guard held(log_.sink_->guard);
  ++log_.sink_->gathering;
}

daemon_log::gathering::~gathering() {
  std::lock_guard held(log_.sink_->guard);
  if (--log_.sink_->gathering == 0) log_.sink_->flush();
}

void daemon_log::write_gathered() {
  std::lock_guard held(sink_->guard);
  sink_->flush();
}

bool daemon_log::move_to(const std::string& directory) {
  std::unique_ptr<spdlog::logger> opened;
  try {
    opened = open_log(directory, one_file_);
  } catch (const std::exception&) {
    return false;
  }
  write(log_event::force | log_event::system, "Svr", "Log", "Log closed");
  {
    std::lock_guard held(sink_->guard);
    sink_->flush();
    sink_->logger = std::move(opened);
    directory_ = directory;
  }
  write(log_event::force | log_event::system, "Svr", "Log", "Log opened");
  return true;
}

void daemon_log::reopen() {
  write(log_event::force | log_event::system, "Svr", "Log", "Log closed");
  {
    std::lock_guard held(sink_->guard);
    sink_->flush();
    sink_->logger = open_log(directory_, one_file_);
  }
  write(log_event::force | log_event::system, "Svr", "Log", "Log opened");
}

}  // namespace annals::actors
