#include "projections/status/past.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "projections/status/eligible_time.hpp"

namespace annals::projections {

namespace {

constexpr std::uint32_t format = 6;  // of checkpoints and of what decides which records they name
constexpr const char* directory_name = "past";

std::string name_of(std::uint64_t sequence) {
  char text[32];
  std::snprintf(text, sizeof text, "past/%020llu", static_cast<unsigned long long>(sequence));
  return text;
}

// Sequences of the checkpoints there are.
std::vector<std::uint64_t> read_directory(const log::snapshot_store& index) {
  std::vector<std::uint64_t> made;
  const auto saved = index.load(directory_name, format);
  if (!saved || saved->payload.size() % sizeof(std::uint64_t) != 0) return made;
  made.resize(saved->payload.size() / sizeof(std::uint64_t));
  if (!made.empty()) std::memcpy(made.data(), saved->payload.data(), saved->payload.size());
  return made;
}

void put_amounts(capnp::List<schema::PastAmount>::Builder to, const model::amounts& from) {
  unsigned i = 0;
  for (const auto& [resource, a] : from) {
    to[i].setResource(resource);
    to[i].setValue(a.value);
    to[i++].setIsSize(a.is_size);
  }
}

model::amounts amounts_of(capnp::List<schema::PastAmount>::Reader from) {
  model::amounts all;
  for (auto a : from) all[schema::str(a.getResource())] = {a.getValue(), a.getIsSize()};
  return all;
}

void put_vnode(schema::PastVnode::Builder to, const std::string& name, const model::vnode_use& use) {
  to.setName(name);
  to.setLastUsed(use.last_used_s);
  to.setStateChanged(use.state_changed_s);
  put_amounts(to.initAssigned(static_cast<unsigned>(use.assigned.size())), use.assigned);
  auto maintenance = to.initMaintenance(static_cast<unsigned>(use.maintenance.size()));
  for (unsigned i = 0; i < use.maintenance.size(); ++i) maintenance.set(i, use.maintenance[i]);
  auto jobs = to.initJobs(static_cast<unsigned>(use.jobs.size()));
  for (unsigned i = 0; i < use.jobs.size(); ++i) {
    const auto& j = use.jobs[i];
    jobs[i].setJob(j.job);
    jobs[i].setId(j.id);
    auto slots = jobs[i].initSlots(static_cast<unsigned>(j.slots.size()));
    for (unsigned s = 0; s < j.slots.size(); ++s) slots.set(s, j.slots[s]);
    put_amounts(jobs[i].initHeld(static_cast<unsigned>(j.held.size())), j.held);
    jobs[i].setExclusive(j.exclusive);
  }
}

}  // namespace

// -- read ----------------------------------------------------------------------------------------------------------------

std::optional<checkpoint> checkpoint_before(const log::snapshot_store& index, std::uint64_t sequence) {
  const auto made = read_directory(index);
  auto at = std::upper_bound(made.begin(), made.end(), sequence);
  while (at != made.begin()) {
    --at;
    const auto saved = index.load(name_of(*at), format);
    if (!saved || saved->sequence != *at) continue;
    if (auto message = schema::sealed_message::from_bytes(saved->payload))
      return checkpoint{*at, schema::sealed<schema::PastCheckpoint>(std::move(*message))};
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, model::vnode_use>> uses_of(schema::PastCheckpoint::Reader content) {
  std::vector<std::pair<std::string, model::vnode_use>> uses;
  for (auto v : content.getVnodes()) {
    model::vnode_use use;
    use.last_used_s = v.getLastUsed();
    use.state_changed_s = v.getStateChanged();
    use.assigned = amounts_of(v.getAssigned());
    for (auto id : v.getMaintenance()) use.maintenance.push_back(schema::str(id));
    for (auto from : v.getJobs()) {
      model::vnode_job j{from.getJob(), schema::str(from.getId()), {}, amounts_of(from.getHeld()), from.getExclusive()};
      for (auto slot : from.getSlots()) j.slots.push_back(slot);
      use.jobs.push_back(std::move(j));
    }
    uses.emplace_back(schema::str(v.getName()), std::move(use));
  }
  return uses;
}

// -- make ----------------------------------------------------------------------------------------------------------------

past_writer::past_writer(ports::storage store, checkpoint_spacing spacing)
    : index_(store), made_(read_directory(index_)), spacing_(spacing), next_(spacing.records_min) {}

void past_writer::fold(const log::record& record, const status& now) {
  note(record, now);
  if (record.sequence() >= next_) close(record, now);
}

void past_writer::note(const log::record& record, const status& now) {
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
past_writer::stream& past_writer::stream_to_change(std::uint64_t serial, schema::StreamKind kind) {
  const auto [at, fresh] = streams_.try_emplace(serial);
  auto& to = at->second;
  if (!fresh) return to;
  to.kind = kind;
  if (const auto row = ended_.get(serial)) {
    to = ended_job(*row);
    ended_.erase(serial);
  }
  return to;
}

void past_writer::put_aside(std::uint64_t serial) {
  const auto at = streams_.find(serial);
  const auto& s = at->second;
  static_assert(std::is_trivially_copyable_v<entry>);
  std::string row(reinterpret_cast<const char*>(&s.number), sizeof s.number);
  row.append(reinterpret_cast<const char*>(s.entries.data()), s.entries.size() * sizeof(entry));
  ended_.put(serial, row);
  streams_.erase(at);
}

past_writer::stream past_writer::ended_job(const std::string& row) const {
  stream s{schema::StreamKind::JOB, 0, {}};
  std::memcpy(&s.number, row.data(), sizeof s.number);
  s.entries.resize((row.size() - sizeof s.number) / sizeof(entry));
  std::memcpy(s.entries.data(), row.data() + sizeof s.number, row.size() - sizeof s.number);
  return s;
}

// What a cycle says of jobs matters until it says something else of the kind, and only to jobs that wait (status::fold_reasons).
// Reasons and estimates come in records of their own.
void past_writer::note_reasons(const log::record& record, const status& now) {
  const auto said = record.event().getScheduler().getCycleReasons();
  for (auto told : said.getJobs()) note_reason(told.getJob(), record.sequence(), now);
  for (auto told : said.getEstimates())
    if (auto* entries = entries_of_waiting(told.getJob(), now)) {
      drop_last(*entries, entry_class::estimate);
      entries->push_back({record.sequence(), entry_class::estimate});
    }
}

// The one that was told first with its text says since when; it is told from the one before it, which stays too.
void past_writer::note_reason(std::uint64_t job, std::uint64_t sequence, const status& now) {
  auto* entries = entries_of_waiting(job, now);
  const auto* why = now.why(job);
  if (!entries || !why) return;
  const bool begins = why->since_ns == why->said->wall_ns;
  if (begins) keep_last_reason(*entries);
  else drop_last(*entries, entry_class::reasons);
  // A reason that began or ended eligible time is never superfluous.
  const bool counts = accrual_changed_at(*now.job(job), now.wall_ns() / 1'000'000'000);
  entries->push_back({sequence, counts ? entry_class::plain : begins ? entry_class::reason_began
                                                                     : entry_class::reasons});
}

std::vector<past_writer::entry>* past_writer::entries_of_waiting(std::uint64_t serial, const status& now) {
  const auto job = now.job(serial);
  const auto at = streams_.find(serial);
  return job && status::may_be_told(*job) && at != streams_.end() ? &at->second.entries : nullptr;
}

void past_writer::keep_last_reason(std::vector<entry>& entries) {
  const auto is_reason = [](const entry& e) { return e.what == entry_class::reasons || e.what == entry_class::reason_began; };
  const auto last = std::find_if(entries.rbegin(), entries.rend(), is_reason);
  if (last == entries.rend()) return;
  const auto kept = last->sequence;
  std::erase_if(entries, [&](const entry& e) { return is_reason(e) && e.sequence != kept; });
}

// Of this class among what cycles said last.
void past_writer::drop_last(std::vector<entry>& entries, entry_class what) {
  for (auto last = entries.rbegin(); last != entries.rend(); ++last) {
    if (last->what == what) {
      entries.erase(std::next(last).base());
      return;
    }
    // What stands before the beginning of a reason tells since when that one holds.
    const bool passes = last->what == entry_class::estimate ||
                        (what == entry_class::estimate && (last->what == entry_class::reasons || last->what == entry_class::reason_began));
    if (!passes) return;
  }
}

void past_writer::add(stream& to, const log::record& record) {
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

schema::sealed<schema::PastCheckpoint> past_writer::content(std::uint64_t sequence, const status& now) const {
  return schema::make<schema::PastCheckpoint>([&](schema::PastCheckpoint::Builder c) {
    auto streams = c.initStreams(static_cast<unsigned>(streams_.size() + ended_.size()));
    unsigned i = 0;
    const auto put = [&](std::uint64_t serial, const stream& s) {
      auto to = streams[i++];
      to.setSerial(serial);
      to.setNumber(s.number);
      to.setKind(static_cast<std::uint16_t>(s.kind));
      auto back = to.initBack(static_cast<unsigned>(s.entries.size()));
      for (unsigned e = 0; e < s.entries.size(); ++e) back.set(e, static_cast<std::uint32_t>(sequence - s.entries[e].sequence));
    };
    for (const auto& [serial, s] : streams_) put(serial, s);
    for (auto at = ended_.begin(); at; at.next()) put(at.key(), ended_job(*ended_.get(at.key())));
    unsigned used = 0;
    now.holdings().each_used([&](const std::string&, const model::vnode_use&) { ++used; });
    auto vnodes = c.initVnodes(used);
    i = 0;
    now.holdings().each_used([&](const std::string& name, const model::vnode_use& use) { put_vnode(vnodes[i++], name, use); });
  });
}

void past_writer::close(const log::record& record, const status& now) {
  const auto sequence = record.sequence();
  // Made by an earlier run of the server, up to the last of these: only where the next one is has to be known.
  const auto later = std::upper_bound(made_.begin(), made_.end(), sequence);
  if (later != made_.end()) {
    next_ = *later;
    return;
  }
  if (sequence > UINT32_MAX) {  // distances no longer fit; the checkpoints there are go on serving
    next_ = UINT64_MAX;
    return;
  }
  const auto made = content(sequence, now);
  next_ = sequence + std::max(spacing_.records_min, made.bytes().size() / spacing_.bytes_per_record);
  if (!made_.empty() && made_.back() == sequence) return;
  // A cache: when it can't be written, questions take longer.
  if (!index_.save(name_of(sequence), format, sequence, record.hash(), made.bytes())) return;
  made_.push_back(sequence);
  (void)index_.save(directory_name, format, sequence, record.hash(), std::as_bytes(std::span(made_)));
}

}  // namespace annals::projections
