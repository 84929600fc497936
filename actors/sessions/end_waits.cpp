#include "actors/sessions/end_waits.hpp"

#include "actors/server/replies.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/schema/message.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

bool is_waited_for(const model::job_state& job) {
  return job.attribute(attributes::job::block) == "True" || job.attribute(attributes::job::interactive) == "True";
}

}  // namespace

end_waits::end end_waits::end_of(const model::job_state& job) {
  return {job.exit_status, job.has_exit_status,
          job.delete_requested ? "Job to be deleted at request of " + job.deleted_by : std::string()};
}

schema::sealed<schema::Reply> end_waits::reply(std::uint64_t request, std::uint64_t sequence, const end& e) {
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(request);
    r.setSequence(sequence);
    auto ended = r.initJobEnded();
    ended.setExitStatus(e.status);
    ended.setHasExitStatus(e.has_status);
    ended.setText(e.text);
  });
}

void end_waits::ask(const query& who, const projections::status& now) {
  const auto request = who.request.get();
  const auto id = schema::text(request.getWaitJob().getJob());
  if (const auto job = now.job_by_id(id)) {
    if (job->ended()) who.to->send(reply(request.getId(), now.sequence(), end_of(*job)));
    else wait(job->serial, who, now.sequence());
    return;
  }
  if (const auto kept = not_asked_for_.find(id); kept != not_asked_for_.end())
    return who.to->send(reply(request.getId(), now.sequence(), kept->second));
  who.to->send(refusal_reply(request.getId(), now.sequence(),
                             {values::pbs_error::unknown_job, std::string(values::pbs_error_text(values::pbs_error::unknown_job))}));
}

void end_waits::wait(std::uint64_t job, const query& who, std::uint64_t sequence) {
  if (!who.to->unread_bytes()) return;  // he went before this was heard
  const auto request = who.request.get().getId();
  std::size_t has = 0;
  auto place = places_->enter(who.by.user, has);
  if (!place)
    return who.to->send(refusal_reply(request, sequence,
                                      {values::pbs_error::system_error,
                                       "System error: user " + who.by.user + " waits for the ends of too many jobs at once (limit " +
                                           std::to_string(has > 0 ? has : places_->places()) + ")"}));
  who.to->set_aside();
  waiters_.emplace(job, waiter{who.to, request, who.client, std::move(place)});
  ++clients_[who.client];
}

void end_waits::gone(std::uint64_t client) {
  if (clients_.erase(client) > 0) std::erase_if(waiters_, [&](const auto& w) { return w.second.client == client; });
}

void end_waits::ended(const log::record& record, const projections::status& now) {
  const auto job = now.job(record.get().getStream());
  if (!job) return;
  const auto [first, last] = waiters_.equal_range(job->serial);
  for (auto at = first; at != last; ++at) {
    const auto& w = at->second;
    w.to->send(reply(w.request, record.sequence(), end_of(*job)));
    if (const auto client = clients_.find(w.client); --client->second == 0) clients_.erase(client);
  }
  waiters_.erase(first, last);
  if (is_waited_for(*job)) keep(*job);
}

// Whoever waited may not have heard of it, when his connection was lost just then: he asks once more.
void end_waits::keep(const model::job_state& job) {
  if (!not_asked_for_.insert_or_assign(std::string(job.id), end_of(job)).second) return;
  oldest_first_.emplace_back(job.id);
  if (oldest_first_.size() <= limits::ends_kept) return;
  not_asked_for_.erase(oldest_first_.front());
  oldest_first_.pop_front();
}

}  // namespace annals::actors
