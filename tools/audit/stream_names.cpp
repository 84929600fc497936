#include "tools/audit/stream_names.hpp"

#include "tools/audit/event_text.hpp"

namespace annals::audit {
namespace {

// Streams remembered: 10 MB. A log is mostly read in order, so what was dropped is seldom wanted again.
constexpr std::size_t known_max = 100'000;

}  // namespace

stream_subject subject_of(const log::record& first) {
  const auto event = first.event();
  if (schema::is(event, schema::JobEvent::QUEUED))
    return {schema::str(event.getJob().getQueued().getId()), schema::str(event.getJob().getQueued().getOwner())};
  if (const auto name = schema::name_given(event)) return {schema::str(*name), {}};
  if (schema::is(event, schema::RunEvent::RECEIVED))
    return {schema::str(event.getRun().getReceived().getJob()) + "." + std::to_string(event.getRun().getReceived().getRun()), {}};
  if (event.isServer()) return {"server", {}};
  if (event.isLog()) return {"log", {}};
  return {std::string(stream_kind_name(first.kind())) + " stream " + std::to_string(first.get().getStream()), {}};
}

void stream_names::learn(const log::record& first) {
  if (known_.size() >= known_max) known_.clear();
  known_.insert_or_assign(first.get().getStream(), subject_of(first));
}

const stream_subject& stream_names::of(const log::record& record) {
  const auto stream = record.get().getStream();
  if (record.get().getStreamVersion() == 1) learn(record);
  if (const auto at = known_.find(stream); at != known_.end()) return at->second;
  (void)reader_.read_stream(stream, 1, [&](const log::record_ptr& first) {
    learn(*first);
    return false;
  });
  if (!known_.contains(stream)) known_[stream] = {"stream " + std::to_string(stream), {}};
  return known_[stream];
}

}  // namespace annals::audit
