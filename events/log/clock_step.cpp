#include "events/log/clock_step.hpp"

#include <optional>

#include "events/model/limits.hpp"
#include "events/values/date_time.hpp"

namespace annals::log {

namespace {

std::string date(std::int64_t wall_ns) { return values::print_date(wall_ns / 1'000'000'000); }

struct place {
  std::uint64_t sequence = 0;
  std::int64_t wall_ns = 0;
  std::uint64_t stepped_at = 0;  // of the step before it
};

// The first record from here on, up to `end`, that can be read.
std::optional<place> place_from(const ports::record_log& log, std::uint64_t sequence, std::uint64_t end, ports::store_status& status) {
  std::optional<place> found;
  status = log.read(sequence, [&](std::uint64_t at, ports::byte_span bytes) {
    if (at > end) return false;
    const auto decoded = decode(bytes);
    if (const auto* r = std::get_if<record_ptr>(&decoded)) found = {at, (*r)->get().getWallNs(), (*r)->get().getSteppedAt()};
    return !found;
  });
  return found;
}

// The record with which the times that lead to `end` begin: a step, or 0 for the beginning of the log. Of a log whose end can't be read
// some earlier record has to tell.
std::uint64_t step_before(const ports::record_log& log, std::uint64_t end, ports::store_status& status) {
  for (std::uint64_t back = 0; back < end && status; back = 2 * back + 1)
    if (const auto last = place_from(log, end - back, end, status)) return last->stepped_at;
  return 0;
}

}  // namespace

clock_state time_behind(std::int64_t last_ns, std::int64_t now_ns) {
  if (now_ns >= last_ns) return clock_state::goes_on;
  const auto behind = last_ns - now_ns;
  if (behind <= limits::clock_held_ns) return clock_state::held;
  return behind <= limits::clock_step_back_ns_max ? clock_state::went_back : clock_state::wrong;
}

std::string stepped_back_text(schema::ClockSteppedBack::Reader step) {
  std::string text = "the clock went back from " + date(step.getFromNs()) + " to " + date(step.getToNs());
  if (step.getFurthestNs() > step.getFromNs()) text += "; earlier records are of up to " + date(step.getFurthestNs());
  return text;
}

std::string time_stands_text(std::int64_t last_ns, std::int64_t now_ns) {
  return "the clock says " + date(now_ns) + ", but the last record of the event log is of " + date(last_ns) +
         ": that is too far back to be right, so what is written has the time of that record until the clock is set";
}

std::uint64_t stepped_after(const record& r) {
  return schema::is(r.event(), schema::LogEvent::CLOCK_STEPPED_BACK) ? r.sequence() : r.get().getSteppedAt();
}

std::uint64_t last_not_after(const ports::record_log& log, std::int64_t wall_ns, ports::store_status& status) {
  const auto is_in_time = [&](std::uint64_t sequence, std::uint64_t end) {
    const auto found = place_from(log, sequence, end, status);
    return found && found->wall_ns <= wall_ns;
  };
  for (auto end = log.last_sequence(); end > 0 && status;) {
    const auto begin = step_before(log, end, status);
    auto low = begin, high = end;
    while (low < high && status) {
      const auto middle = low + (high - low + 1) / 2;
      if (is_in_time(middle, end)) low = middle;
      else high = middle - 1;
    }
    if (low > begin || begin == 0 || is_in_time(begin, begin)) return low;
    end = begin - 1;
  }
  return 0;
}

}  // namespace annals::log
