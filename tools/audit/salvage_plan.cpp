#include "tools/audit/salvage_plan.hpp"

#include <algorithm>

#include "events/model/vnodes/amounts.hpp"
#include "events/values/job_id.hpp"
#include "tools/audit/event_text.hpp"
#include "tools/audit/stream_names.hpp"

namespace annals::audit {

using schema::StreamKind;

namespace {

std::string name_of(const log::record& first) {
  const auto kind = first.kind();
  if (kind == StreamKind::SERVER) return "the server";
  return std::string(stream_kind_name(kind)) + " " + harmless(subject_of(first).name);
}

}  // namespace

std::uint64_t begin_of_known(const log::record& r) {
  return schema::is(r.event(), schema::LogEvent::LOSS_ACCEPTED) ? r.event().getLog().getLossAccepted().getLastSequence() + 1 : r.sequence();
}

// -- first: what there is ------------------------------------------------------------------------------------------------

void salvage_plan::learn(const log::record& r) {
  const auto sequence = r.sequence(), version = r.get().getStreamVersion();
  const auto from = begin_of_known(r);
  if (from > next_) gaps_.emplace_back(next_, from - 1);
  skipped_ += sequence - std::max(from, next_);
  next_ = sequence + 1;
  last_stream_ = std::max(last_stream_, r.get().getStream());
  const auto event = r.event();
  if (schema::is(event, schema::JobEvent::QUEUED)) learn_number(values::array_of(event.getJob().getQueued().getNumber()));
  if (schema::is(event, schema::LogEvent::LOSS_ACCEPTED) && event.getLog().getLossAccepted().getNextNumber() > 0)
    learn_number(event.getLog().getLossAccepted().getNextNumber() - 1);
  if (schema::is(event, schema::LogEvent::SALVAGED) && event.getLog().getSalvaged().getNextJobNumber() > 0)
    learn_number(event.getLog().getSalvaged().getNextJobNumber() - 1);

  auto& s = streams_[r.get().getStream()];
  s.kind = r.kind();
  if (version == 1) {
    s.began = true;
    s.name = name_of(r);
  }
  const bool job = s.kind == StreamKind::JOB;
  if (version != s.last + 1) {
    s.holes = true;
    if (job) s.kept_to = std::min(s.kept_to, s.last);
  }
  if (job && refused_.contains(sequence)) s.kept_to = std::min(s.kept_to, version - 1);
  s.last = version;
  if (version <= s.kept_to) s.last_sequence = sequence;
}

// What it is after this record, which is kept.
void salvage_plan::learn_job(stream_plan& s, const log::record& r) {
  const auto event = r.event().getJob();
  if (event.isQueued() || event.isRequeued()) s.state = 'Q';
  if (event.isAssigned()) s.state = 'R';
  if (event.isStartFailed() || event.isExited()) s.state = 'E';
  if (event.isEnded() || event.isForgotten()) s.state = 'F';
}

void salvage_plan::learn_index(std::uint64_t stream, std::uint64_t, std::uint64_t sequence) {
  last_stream_ = std::max(last_stream_, stream);
  const auto gap = std::lower_bound(gaps_.begin(), gaps_.end(), sequence, [](const auto& g, std::uint64_t s) { return g.second < s; });
  const bool lost = sequence >= next_ || (gap != gaps_.end() && gap->first <= sequence);
  if (!lost) return;
  indexed_[sequence] = stream;
  learn_end(sequence);
}

void salvage_plan::settle(bool doubtful_end) {
  learn_end(next_ - 1);
  if (end_ >= next_) gaps_.emplace_back(next_, end_);
  for (const auto& [first, last] : gaps_) {
    lost_ += last - first + 1;
    for (auto sequence = first; sequence <= last; ++sequence)
      if (!indexed_.contains(sequence)) doubt_to_ = sequence + 1;
  }
  if (doubtful_end) doubt_to_ = UINT64_MAX;
  for (const auto& [sequence, stream] : indexed_) {
    auto& s = streams_[stream];
    s.lost.push_back(sequence);
    if (s.kind == StreamKind::JOB && sequence > s.last_sequence) s.kept_to = std::min(s.kept_to, s.last);
  }
}

std::uint64_t salvage_plan::stream_of_lost(std::uint64_t sequence) const {
  const auto at = indexed_.find(sequence);
  return at == indexed_.end() ? 0 : at->second;
}

// -- then: what is kept of it --------------------------------------------------------------------------------------------

bool salvage_plan::vnodes_exist(const log::record& r) const {
  const auto event = r.event();
  const auto named = schema::is(event, schema::JobEvent::ASSIGNED)       ? schema::text(event.getJob().getAssigned().getExecVnode())
                     : schema::is(event, schema::JobEvent::VNODES_TAKEN) ? schema::text(event.getJob().getVnodesTaken().getExecVnode())
                                                                         : std::string_view();
  const auto parts = model::parts_of(named);
  return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return vnodes_.contains(part.vnode); });
}

void salvage_plan::note_vnodes(const log::record& r) {
  const auto event = r.event();
  if (schema::is(event, schema::HostEvent::VNODE_CREATED))
    vnodes_[schema::str(event.getHost().getVnodeCreated().getName())] = r.get().getStream();
  if (schema::is(event, schema::HostEvent::VNODE_DELETED)) vnodes_.erase(schema::str(event.getHost().getVnodeDeleted().getName()));
  if (schema::is(event, schema::HostEvent::REMOVED)) std::erase_if(vnodes_, [&](const auto& v) { return v.second == r.get().getStream(); });
}

std::string salvage_plan::why_not(const log::record& r) {
  auto& s = streams_.at(r.get().getStream());
  const auto version = r.get().getStreamVersion();
  std::string why;
  if (const auto refused = refused_.find(r.sequence()); refused != refused_.end()) why = refused->second;
  else if (version > s.kept_to) why = "it follows a hole in its stream";
  else if (!s.began && s.kind != StreamKind::SERVER) why = "the record that began its stream is lost";
  else if (!vnodes_exist(r)) why = "a vnode it names is lost";
  if (why.empty()) {
    note_vnodes(r);
    s.last_sequence = r.sequence();
    if (s.kind == StreamKind::JOB) learn_job(s, r);
    return why;
  }
  if (s.kind == StreamKind::JOB) s.kept_to = std::min(s.kept_to, version - 1);
  s.left_out.push_back("#" + std::to_string(r.sequence()) + " " + kind_name(r.event()));
  return why;
}

}  // namespace annals::audit
