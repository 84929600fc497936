#include "events/log/losses.hpp"

#include <algorithm>

#include "events/model/limits.hpp"

namespace annals::log {

namespace {

constexpr std::uint64_t bootstrap_events_max = 10;  // records among which a log says who it is

std::string bytes_of(capnp::Data::Reader d) { return {reinterpret_cast<const char*>(d.begin()), d.size()}; }

// The log has another record in this place, or none. Damage is nobody's other record: whoever reads the log says it.
bool differs(const ports::record_log& log, const log_mark& m) {
  bool other = false;
  (void)log.read(m.sequence, [&](std::uint64_t sequence, ports::byte_span bytes) {
    const auto decoded = decode(bytes);
    const auto* r = std::get_if<record_ptr>(&decoded);
    other = sequence != m.sequence || (r && (*r)->hash() != m.head);
    return false;
  });
  return other;
}

// A salvage has written the log anew from this record or an earlier one on, and knew that it went as far: what is not there any
// more stands in its account.
bool salvaged_since(const ports::record_log& log, std::uint64_t from) {
  bool found = false;
  (void)log.read(from, [&](std::uint64_t, ports::byte_span bytes) {
    const auto decoded = decode(bytes);
    const auto* r = std::get_if<record_ptr>(&decoded);
    found = r && schema::is((*r)->event(), schema::LogEvent::SALVAGED) && (*r)->event().getLog().getSalvaged().getLastSequence() >= from;
    return !found;
  });
  return found;
}

}  // namespace

void accepted_losses::fold(const record& r) {
  if (schema::is(r.event(), schema::LogEvent::SALVAGED)) return fold_salvage(r);
  if (!schema::is(r.event(), schema::LogEvent::LOSS_ACCEPTED)) return;
  const auto e = r.event().getLog().getLossAccepted();
  loss l{r.sequence() - 1, e.getLastStream(), r.get().getStream(), {}};
  for (auto w : e.getWitnesses()) l.logs.push_back(bytes_of(w.getLogUuid()));
  losses_.push_back(std::move(l));
}

// Any stream may have lost its records.
void accepted_losses::fold_salvage(const record& r) {
  const auto e = r.event().getLog().getSalvaged();
  if (e.getLost() > 0) losses_.push_back({e.getLastSequence(), 0, r.get().getStream(), {}});
}

bool accepted_losses::cover(const log_mark& m, const std::string& own) const {
  return std::any_of(losses_.begin(), losses_.end(), [&](const loss& l) {
    return m.sequence <= l.known_to && (m.log == own || std::find(l.logs.begin(), l.logs.end(), m.log) != l.logs.end());
  });
}

bool accepted_losses::may_have_given_stream(std::uint64_t serial) const {
  return std::any_of(losses_.begin(), losses_.end(), [&](const loss& l) { return l.last_stream < serial && serial < l.next_stream; });
}

bool explains_gap(const record& r, std::uint64_t expected) {
  return schema::is(r.event(), schema::LogEvent::LOSS_ACCEPTED) && r.event().getLog().getLossAccepted().getLastSequence() < expected &&
         expected < r.sequence();
}

std::string identity_of(const ports::record_log& log) {
  std::string found;
  std::uint64_t seen = 0;
  (void)log.read(1, [&](std::uint64_t, ports::byte_span bytes) {
    const auto decoded = decode(bytes);
    const auto* r = std::get_if<record_ptr>(&decoded);
    if (!r) return false;
    if (schema::is((*r)->event(), schema::ServerEvent::STARTED)) found = bytes_of((*r)->event().getServer().getStarted().getLogUuid());
    if (schema::is((*r)->event(), schema::LogEvent::RECORD_LOST)) return true;
    return found.empty() && ++seen < bootstrap_events_max;
  });
  return found;
}

// An empty `own`: the log's first record can't be read, and identities are not compared.
std::optional<std::string> lacking(const ports::record_log& log, const std::string& own, const witness& w) {
  const auto last = log.last_sequence();
  const auto knows = w.name + " knows record " + std::to_string(w.mark.sequence);
  const bool knows_log = !w.mark.log.empty();
  if (last == 0) return knows + ", the log is empty: " + std::to_string(w.mark.sequence) + " records are missing";
  if (knows_log && !own.empty() && w.mark.log != own)
    return knows + " of log " + hex(w.mark.log) + ", but this is log " + hex(own) + ", which ends with record " + std::to_string(last);
  if (w.mark.sequence > last)
    return knows + ", the log ends with record " + std::to_string(last) + ": " + std::to_string(w.mark.sequence - last) +
           " records are missing";
  if (knows_log && w.mark.sequence > 0 && differs(log, w.mark) && !salvaged_since(log, w.mark.sequence))
    return knows + " as another one than the log has, which ends with record " + std::to_string(last) +
           ": the log is a copy that went on by itself";
  return std::nullopt;
}

numbers_after_loss numbers_after(const log_mark& found, const std::vector<witness>& witnesses) {
  numbers_after_loss n{found.sequence, found.last_stream, found.next_number};
  for (const auto& w : witnesses) {
    n.sequence = std::max(n.sequence, w.mark.sequence);
    n.stream = std::max(n.stream, w.mark.last_stream);
    n.next_number = std::max(n.next_number, w.mark.next_number);
  }
  n.sequence += limits::lost_sequences_max;
  n.stream += limits::lost_sequences_max;
  n.next_number += limits::lost_job_numbers_max;
  n.next_number = (n.next_number + 999) / 1000 * 1000;  // a number that shows what happened
  return n;
}

}  // namespace annals::log
