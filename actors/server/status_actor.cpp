#include "actors/server/status_actor.hpp"

#include <deque>
#include <map>

#include "actors/server/replies.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/status/query.hpp"

namespace annals::actors {

namespace {

struct answering {
  std::shared_ptr<projections::status> now;
  const log::log_reader* reader;
  std::deque<query> early;                                        // asked for a position not folded yet
  std::multimap<std::uint64_t, std::pair<wire::connection_ptr, std::uint64_t>> waiters;   // job serial -> who waits for its end

  void fold(const committed& c) {
    for (const auto& record : *c.records) {
      now->fold(*record);
      if (record->event().which() == schema::Event::JOB_ENDED) tell_waiters(*record);
    }
    while (!early.empty() && early.front().min_sequence <= now->sequence()) {
      answer(early.front());
      early.pop_front();
    }
  }

  void receive(query& q) {
    if (q.min_sequence > now->sequence()) early.push_back(std::move(q));
    else answer(q);
  }

  void answer(const query& q) {
    const auto request = q.request.get();
    const auto send = [&](const schema::sealed<schema::Reply>& r) { q.peer->send(r); };
    switch (request.which()) {
      case schema::Request::STAT: return answer_stat(q, request, send);
      case schema::Request::SELECT_JOBS:
        return projections::answer_select(*now, request.getId(), request.getSelectJobs(), q.by, send);
      case schema::Request::WAIT_JOB: return wait(q, request);
      default: return send(refusal_reply(request.getId(), now->sequence(), {values::pbs_error::unknown_request, "Unknown request"}));
    }
  }

  void answer_stat(const query& q, schema::Request::Reader request, const projections::send_reply& send) {
    const auto asked = request.getStat();
    if (asked.getAt().isNow()) return projections::answer_stat(*now, request.getId(), asked, q.by, send);
    projections::answer_stat_at(*reader, *now, request.getId(), asked, q.by, send);
  }

  static schema::sealed<schema::Reply> ended_reply(std::uint64_t id, std::uint64_t sequence, std::int32_t status, bool has, const std::string& text) {
    return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      r.setId(id);
      r.setSequence(sequence);
      auto e = r.initJobEnded();
      e.setExitStatus(status);
      e.setHasExitStatus(has);
      e.setText(text);
    });
  }

  static std::string how_ended(const model::job_state& job) {
    return job.delete_requested ? "Job to be deleted at request of " + job.deleted_by : std::string();
  }

  void wait(const query& q, schema::Request::Reader request) {
    const auto* job = now->job_by_id(schema::text(request.getWaitJob().getJob()));
    if (!job)
      return q.peer->send(refusal_reply(request.getId(), now->sequence(),
                                        {values::pbs_error::unknown_job, std::string(values::pbs_error_text(values::pbs_error::unknown_job))}));
    if (job->ended())
      return q.peer->send(ended_reply(request.getId(), now->sequence(), job->exit_status, job->has_exit_status, how_ended(*job)));
    waiters.emplace(job->serial, std::pair(q.peer, request.getId()));
  }

  // Called before the record of JobForgotten is folded, so the job is still there.
  void tell_waiters(const log::record& record) {
    const auto serial = record.get().getStream();
    const auto [first, last] = waiters.equal_range(serial);
    const auto* job = now->job(serial);
    for (auto at = first; at != last; ++at)
      if (job) at->second.first->send(ended_reply(at->second.second, record.sequence(), job->exit_status, job->has_exit_status, how_ended(*job)));
    waiters.erase(first, last);
  }
};

}  // namespace

caf::behavior status_actor(caf::event_based_actor* self, std::shared_ptr<projections::status> now, const log::log_reader* reader) {
  (void)self;
  auto a = std::make_shared<answering>(answering{std::move(now), reader, {}, {}});
  return {
      [a](const committed& c) { a->fold(c); },
      [a](query& q) { a->receive(q); },
      [](const disk_state&) {},
  };
}

}  // namespace annals::actors
