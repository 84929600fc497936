#include "tools/audit/stream_names.hpp"

#include "tools/audit/event_text.hpp"

namespace annals::audit {
namespace {

// Streams remembered: 10 MB. A log is mostly read in order, so what was dropped is seldom wanted again.
constexpr std::size_t known_max = 100'000;

stream_subject subject_of(const log::record& first) {
  const auto event = first.event();
  switch (event.which()) {
    case which::JOB_QUEUED: return {schema::str(event.getJobQueued().getId()), schema::str(event.getJobQueued().getOwner())};
    case which::QUEUE_CREATED: return {schema::str(event.getQueueCreated().getName()), {}};
    case which::HOST_ADDED: return {schema::str(event.getHostAdded().getName()), {}};
    case which::SCHEDULER_CREATED: return {schema::str(event.getSchedulerCreated().getName()), {}};
    case which::HOOK_CREATED: return {schema::str(event.getHookCreated().getName()), {}};
    case which::RUN_RECEIVED:
      return {schema::str(event.getRunReceived().getJob()) + "." + std::to_string(event.getRunReceived().getRun()), {}};
    default: break;
  }
  if (first.get().getStreamKind() == schema::StreamKind::SERVER) return {"server", {}};
  return {std::string(stream_kind_name(first.get().getStreamKind())) + " stream " + std::to_string(first.get().getStream()), {}};
}

}  // namespace

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
