#include "actors/server/log_checker.hpp"

#include <algorithm>
#include <ctime>

#include "actors/runtime/thread_share.hpp"

namespace annals::actors {

namespace {

using std::chrono::nanoseconds;

// A clock that is set while it waits is noticed after this.
constexpr std::chrono::hours longest_wait{1};

nanoseconds cpu_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
}

}  // namespace

// -- what is done --------------------------------------------------------------------------------------------------------

log_checking::log_checking(log_checker_parts parts) : parts_(std::move(parts)) {
  if (auto kept = log::read_check_notes(parts_.file)) notes_ = std::move(*kept);
  if (!same_log()) notes_ = {.log = log::name_of_log(*parts_.store.log), .last = {}, .began_ns = 0, .present = {}};
  if (notes_.present) check_.emplace(*parts_.store.log, parts_.store.blobs, *notes_.present, limits::check_findings_max);
}

// The log may have been put back from a copy: what was reached counts only if the record there is still the one it was.
bool log_checking::same_log() const {
  if (notes_.log.empty() || notes_.log != log::name_of_log(*parts_.store.log)) return false;
  if (!notes_.present) return true;
  const auto& s = *notes_.present;
  if (s.upto > parts_.store.log->last_sequence()) return false;
  if (!s.head_known || s.next < 2) return true;
  bool same = false;
  (void)parts_.store.log->read(s.next - 1, [&](std::uint64_t sequence, ports::byte_span bytes) {
    const auto decoded = log::decode(bytes);
    const auto* r = std::get_if<log::record_ptr>(&decoded);
    same = sequence == s.next - 1 && r && (*r)->hash() == s.head;
    return false;
  });
  return same;
}

nanoseconds log_checking::wait() const {
  if (check_ || !notes_.last) return nanoseconds(0);
  const nanoseconds due = nanoseconds(notes_.last->ended_ns) + limits::check_interval;
  return std::clamp<nanoseconds>(due - nanoseconds(parts_.clock->now_ns()), nanoseconds(0), limits::check_interval);
}

void log_checking::begin() {
  notes_.began_ns = parts_.clock->now_ns();
  check_.emplace(*parts_.store.log, parts_.store.blobs, log::log_check::whole(*parts_.store.log), limits::check_findings_max);
}

void log_checking::step(const std::function<bool()>& go_on) {
  if (!check_) begin();
  const auto count = check_->state().fault_count;
  const auto texts = check_->state().faults.size();
  const bool more = check_->step([&](std::uint64_t) { return go_on(); });
  notes_.present = check_->state();
  if (!more) end();
  const auto since = nanoseconds(parts_.clock->now_ns() - kept_ns_);
  const bool found = more ? check_->state().fault_count > count : notes_.last->fault_count > count;
  if (found || !more || since >= limits::check_keep_interval || since < nanoseconds(0)) keep();
  tell(texts);
}

void log_checking::end() {
  const auto& s = check_->state();
  notes_.last =
      log::check_result{notes_.began_ns, parts_.clock->now_ns(), s.upto, s.records, s.blobs, s.fault_count, s.faults, s.lost_count, s.lost};
  notes_.present.reset();
  notes_.began_ns = 0;
  check_.reset();
}

// Each finding has a line; when there are too many of them one says how many.
void log_checking::tell(std::size_t texts_before) {
  const auto& faults = check_ ? check_->state().faults : notes_.last->faults;
  const auto count = check_ ? check_->state().fault_count : notes_.last->fault_count;
  const auto advice = "; run `pbs_audit verify`, keep a copy of " + parts_.log + ", and see `pbs_audit salvage` in pbs_audit(8)";
  for (auto i = texts_before; i < faults.size(); ++i) parts_.note("the event log is damaged: " + faults[i] + advice);
  if (!check_ && count > faults.size())
    parts_.note("the event log is damaged: " + std::to_string(count - faults.size()) + " faults more than were told" + advice);
}

void log_checking::keep() {
  const auto why = log::keep_check_notes(parts_.file, notes_);
  if (!why.empty() && !told_of_file_) parts_.note("verification of the event log: " + why + "; a restart will begin it anew");
  told_of_file_ = !why.empty();
  kept_ns_ = parts_.clock->now_ns();
}

// -- the thread ----------------------------------------------------------------------------------------------------------

log_checker::log_checker(log_checker_parts parts)
    : checking_(parts), core_percent_(parts.core_percent), busy_percent_(parts.busy_percent), thread_([this] { run(); }) {}

log_checker::~log_checker() { stop(); }

void log_checker::stop() {
  {
    std::lock_guard held(guard_);
    stop_ = true;
  }
  told_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool log_checker::rest(nanoseconds how_long) {
  std::unique_lock held(guard_);
  told_.wait_for(held, how_long, [&] { return stop_; });
  return !stop_;
}

void log_checker::run() {
  set_thread_share(yielding_share);
  const auto go_on = [this] {
    std::lock_guard held(guard_);
    return !stop_;
  };
  while (true) {
    if (const auto wait = checking_.wait(); wait > nanoseconds(0)) {
      if (!rest(std::min<nanoseconds>(wait, longest_wait))) break;
      continue;
    }
    const auto cpu = cpu_time();
    const auto began = std::chrono::steady_clock::now();
    checking_.step(go_on);
    const nanoseconds took = std::chrono::steady_clock::now() - began;
    const nanoseconds whole = std::max((cpu_time() - cpu) * 100 / core_percent_, took * 100 / busy_percent_);
    if (!rest(whole - took)) break;
  }
  checking_.keep();
}

}  // namespace annals::actors
