#include "projections/status/past_records.hpp"

#include <algorithm>

#include "projections/status/eligible_time.hpp"

namespace annals::projections {

namespace {

past_records::stream ended_job(const std::string& row) {
  past_records::stream s;
  stored::restore_whole(row, s);
  return s;
}

}  // namespace

void past_records::fold(const log::record& record, const status& now) {
  const auto r = record.get();
  if (schema::is(record.event(), schema::SchedulerEvent::CYCLE_REASONS)) return note_reasons(record, now);
  if (r.getEvent().isLog() && !r.getEvent().getLog().isClockSteppedBack()) return;
  auto& to = stream_to_change(r.getStream(), r.getEvent().which());
  if (schema::is(record.event(), schema::JobEvent::QUEUED)) to.number = record.event().getJob().getQueued().getNumber();
  add(to, record);
  if (!now.holds(to.kind, r.getStream())) streams_.erase(r.getStream());
  else if (now.in_history(r.getStream())) put_aside(r.getStream());
}

// A job that has ended comes back, for most of what happens to it makes it leave.
past_records::stream& past_records::stream_to_change(std::uint64_t serial, schema::StreamKind kind) {
  const auto [at, fresh] = streams_.try_emplace(serial);
  auto& to = at->second;
  if (!fresh) return to;
  to.kind = kind;
  if (const auto row = ended_.take(serial)) to = ended_job(*row);
  return to;
}

void past_records::put_aside(std::uint64_t serial) {
  const auto at = streams_.find(serial);
  stored::writer row;
  row(at->second);
  ended_.put(serial, row.written());
  streams_.erase(at);
}

void past_records::each(const std::function<void(std::uint64_t serial, const stream& s)>& visit) const {
  for (const auto& [serial, s] : streams_) visit(serial, s);
  ended_.each([&](std::uint64_t serial, const std::string& row) { visit(serial, ended_job(row)); });
}

// The words of a cycle about jobs matter until it says something else of the kind, and only to jobs that wait (status::fold_reasons).
// Reasons and estimates come in records of their own.
void past_records::note_reasons(const log::record& record, const status& now) {
  const auto said = record.event().getScheduler().getCycleReasons();
  for (auto told : said.getJobs()) note_reason(told.getJob(), record.sequence(), now);
  for (auto told : said.getEstimates())
    if (auto* entries = entries_of_waiting(told.getJob(), now)) {
      drop_last(*entries, entry_class::estimate);
      entries->push_back({record.sequence(), entry_class::estimate});
    }
}

// The one that was told first with its text says since when; it is told from the one before it, which stays too.
void past_records::note_reason(std::uint64_t job, std::uint64_t sequence, const status& now) {
  auto* entries = entries_of_waiting(job, now);
  const auto* why = now.why(job);
  if (!entries || !why) return;
  const bool begins = why->since_ns == why->said->wall_ns;
  if (begins) keep_last_reason(*entries);
  else drop_last(*entries, entry_class::reasons);
  // A reason that began or ended eligible time is never superfluous.
  const bool counts = accrual_changed_at(now.told_of(*now.job(job)).eligible, now.wall_ns() / 1'000'000'000);
  entries->push_back({sequence, counts ? entry_class::plain : begins ? entry_class::reason_began
                                                                     : entry_class::reasons});
}

std::vector<past_records::entry>* past_records::entries_of_waiting(std::uint64_t serial, const status& now) {
  const auto job = now.job(serial);
  const auto at = streams_.find(serial);
  return job && status::may_be_told(*job) && at != streams_.end() ? &at->second.entries : nullptr;
}

void past_records::keep_last_reason(std::vector<entry>& entries) {
  const auto is_reason = [](const entry& e) { return e.what == entry_class::reasons || e.what == entry_class::reason_began; };
  const auto last = std::find_if(entries.rbegin(), entries.rend(), is_reason);
  if (last == entries.rend()) return;
  const auto kept = last->sequence;
  std::erase_if(entries, [&](const entry& e) { return is_reason(e) && e.sequence != kept; });
}

// Drops the last one of this class among those that cycles said last.
void past_records::drop_last(std::vector<entry>& entries, entry_class what) {
  for (auto last = entries.rbegin(); last != entries.rend(); ++last) {
    if (last->what == what) {
      entries.erase(std::next(last).base());
      return;
    }
    // An entry before the beginning of a reason tells since when that one holds.
    const bool passes = last->what == entry_class::estimate ||
                        (what == entry_class::estimate && (last->what == entry_class::reasons || last->what == entry_class::reason_began));
    if (!passes) return;
  }
}

void past_records::add(stream& to, const log::record& record) {
  const auto event = record.event();
  auto what = entry_class::plain;
  if (schema::is(event, schema::JobEvent::USAGE_REPORTED)) {
    // One that says everything makes the one just before it superfluous.
    const auto e = event.getJob().getUsageReported();
    what = entry_class::usage;
    const bool whole = e.getSession() > 0 && e.getJobdir().size() > 0;
    if (whole && !to.entries.empty() && to.entries.back().what == what) to.entries.pop_back();
  } else if (schema::is(event, schema::SchedulerEvent::CYCLE_BEGAN) || schema::is(event, schema::SchedulerEvent::CYCLE_ENDED) ||
             schema::is(event, schema::SchedulerEvent::PROPOSAL_REFUSED)) {
    what = entry_class::cycle;
    if (schema::is(event, schema::SchedulerEvent::CYCLE_BEGAN))
      while (!to.entries.empty() && to.entries.back().what == what) to.entries.pop_back();
  } else if (schema::is(event, schema::HookEvent::RAN)) {
    // A run changes nothing of its hook: the last one stands for all, or a busy hook's would pile up.
    what = entry_class::hook_run;
    if (!to.entries.empty() && to.entries.back().what == what) to.entries.pop_back();
  }
  to.entries.push_back({record.sequence(), what});
}

}  // namespace annals::projections
