#include "projections/status/past.hpp"

#include <algorithm>
#include <cstdio>

namespace annals::projections {

namespace {

constexpr std::uint32_t format = 7;  // of checkpoints and of what decides which records they name
constexpr const char* directory_name = "past";

std::string name_of(std::uint64_t sequence) {
  char text[32];
  std::snprintf(text, sizeof text, "past/%020llu", static_cast<unsigned long long>(sequence));
  return text;
}

made_checkpoints read_directory(const log::snapshot_store& index) {
  made_checkpoints made;
  const auto saved = index.load(directory_name, format);
  if (!saved) return made;
  try {
    stored::restore_whole({reinterpret_cast<const char*>(saved->payload.data()), saved->payload.size()}, made);
  } catch (const stored::state_unreadable&) {
    return {};  // a cache: as if there were none
  }
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
  const auto made = read_directory(index).sequences;
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
    : index_(store), made_(read_directory(index_)), spacing_(spacing) {
  if (made_.sequences.empty()) made_.due = spacing.records_min;
}

void past_writer::fold(const log::record& record, const status& now) {
  records_.fold(record, now);
  if (record.sequence() >= next_) close(record, now);
}

schema::sealed<schema::PastCheckpoint> past_writer::content(std::uint64_t sequence, const status& now) const {
  return schema::make<schema::PastCheckpoint>([&](schema::PastCheckpoint::Builder c) {
    auto streams = c.initStreams(static_cast<unsigned>(records_.size()));
    unsigned i = 0;
    records_.each([&](std::uint64_t serial, const past_records::stream& s) {
      auto to = streams[i++];
      to.setSerial(serial);
      to.setNumber(s.number);
      to.setKind(static_cast<std::uint16_t>(s.kind));
      auto back = to.initBack(static_cast<unsigned>(s.entries.size()));
      for (unsigned e = 0; e < s.entries.size(); ++e) back.set(e, static_cast<std::uint32_t>(sequence - s.entries[e].sequence));
    });
    unsigned used = 0;
    now.holdings().each_used([&](const std::string&, const model::vnode_use&) { ++used; });
    auto vnodes = c.initVnodes(used);
    i = 0;
    now.holdings().each_used([&](const std::string& name, const model::vnode_use& use) { put_vnode(vnodes[i++], name, use); });
  });
}

void past_writer::close(const log::record& record, const status& now) {
  const auto sequence = record.sequence();
  // An earlier run of the server has made those up to the last, and has left word where the next one is due.
  const auto later = std::upper_bound(made_.sequences.begin(), made_.sequences.end(), sequence);
  if (later != made_.sequences.end() || sequence < made_.due) {
    next_ = later != made_.sequences.end() ? *later : made_.due;
    return;
  }
  if (sequence > UINT32_MAX) {  // distances no longer fit; the checkpoints there are go on serving
    next_ = UINT64_MAX;
    return;
  }
  const auto made = content(sequence, now);
  made_.due = next_ = sequence + std::max(spacing_.records_min, made.bytes().size() / spacing_.bytes_per_record);
  // A cache: when it can't be written, questions take longer.
  if (!index_.save(name_of(sequence), format, sequence, record.hash(), made.bytes())) return;
  made_.sequences.push_back(sequence);
  stored::writer directory;
  directory(made_);
  (void)index_.save(directory_name, format, sequence, record.hash(), std::as_bytes(std::span(directory.written())));
}

}  // namespace annals::projections
