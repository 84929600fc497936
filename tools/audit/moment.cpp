#include "tools/audit/moment.hpp"

#include <algorithm>
#include <string>

#include "events/log/clock_step.hpp"

namespace annals::audit {
namespace {

std::uint64_t last_not_after(const ports::event_store& store, std::int64_t wall_ns) {
  ports::store_status read;
  return log::last_not_after(store, wall_ns, read);
}

}  // namespace

std::uint64_t first_since(const ports::event_store& store, const moment& m) {
  return m.sequence > 0 ? std::min(m.sequence, store.last_sequence() + 1) : last_not_after(store, m.wall_ns - 1) + 1;
}

std::uint64_t last_until(const ports::event_store& store, const moment& m) {
  return m.sequence > 0 ? std::min(m.sequence, store.last_sequence()) : last_not_after(store, m.wall_ns);
}

sequence_range read_range(const ports::event_store& store, const std::string& since, const std::string& until, std::int64_t now_ns) {
  sequence_range range{1, store.last_sequence(), {}};
  const auto first = parse_moment(since, now_ns), last = parse_moment(until, now_ns);
  if (!since.empty() && !first) range.wrong = since;
  else if (!until.empty() && !last) range.wrong = until;
  if (!since.empty() && first) range.from = first_since(store, *first);
  if (!until.empty() && last) range.to = last_until(store, *last);
  return range;
}

}  // namespace annals::audit
