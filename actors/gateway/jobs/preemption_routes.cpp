#include "actors/gateway/jobs/preemption_routes.hpp"

#include <chrono>
#include <utility>

#include "actors/runtime/run_this.hpp"
#include "events/model/refuse.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;
using how = schema::PreemptVictim::How;

namespace {

// A job that is on its way to its host can't be suspended yet.
constexpr auto suspend_pause = std::chrono::milliseconds(200);
constexpr int suspend_tries = 50;
// So long a scheduler begins no other cycle because victims do not leave: a job has ten seconds after SIGTERM, unless its queue says
// otherwise (kill_delay), and its files go back meanwhile.
constexpr auto leave_wait = std::chrono::seconds(60);

schema::sealed<schema::Request> request_for(how what, const std::string& job) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    switch (what) {
      case how::SUSPEND: {
        auto s = r.initSignalJob();
        s.setJob(job);
        s.setSignal("suspend");
        return;
      }
      case how::CHECKPOINT: {
        auto s = r.initSignalJob();
        s.setJob(job);
        s.setSignal("checkpoint");
        return;
      }
      case how::REQUEUE: return r.initRerunJob().setJob(job);
      case how::DELETE: return r.initDeleteJob().setJob(job);
    }
  });
}

const char* word_of(how what) {
  switch (what) {
    case how::SUSPEND: return "suspend";
    case how::CHECKPOINT: return "checkpoint";
    case how::REQUEUE: return "requeue";
    case how::DELETE: break;
  }
  return "delete";
}

bool is_gone(const model::rejection& why) { return why.code == pbs_error::unknown_job || why.code == pbs_error::job_has_finished; }

}  // namespace

void preemption_routes::make_room(schema::ProposeRun::Reader run, const std::string& scheduler, const model::requester& by, reply_ptr reply,
                                  std::function<void()> then) {
  const auto id = ++last_id_;
  auto& w = waiting_[id];
  w.reply = std::move(reply);
  w.then = std::move(then);
  w.scheduler = scheduler;
  const auto victims = run.getVictims();
  w.unanswered = victims.size();
  for (auto v : victims) {
    if (v.getHow() != how::SUSPEND) w.leaving.insert(v.getJob());
    if (v.getHow() == how::CHECKPOINT) w.checkpointing.insert(v.getJob());
  }
  board_.self()->delayed_send(board_.self(), leave_wait, run_this{[this, id] {
                                const auto at = waiting_.find(id);
                                if (at == waiting_.end()) return;
                                at->second.reply->refused(board_.where().sequence(),
                                                          model::refuse(pbs_error::try_again, "Please retry: jobs have not made room yet"));
                                waiting_.erase(at);
                              }});
  for (auto v : victims) {
    const auto number = board_.where().job_number(v.getJob());
    if (number) tell(id, *number, v.getJob(), v.getHow(), by, suspend_tries);
    else answered(id, v.getJob(), v.getHow(), model::refuse(pbs_error::unknown_job));
  }
}

void preemption_routes::tell(std::uint64_t id, std::uint64_t number, std::uint64_t serial, how what, const model::requester& by,
                             int tries) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end()) return;  // the proposal was refused meanwhile
  const auto job = board_.job_id(number);
  auto then = [=, this](const model::rejection& why) {
    if (what == how::SUSPEND && why.code == pbs_error::bad_state && tries > 0)
      return board_.self()->delayed_send(board_.self(), suspend_pause,
                                         run_this{[=, this] { tell(id, number, serial, what, by, tries - 1); }});
    answered(id, serial, what, why);
  };
  board_.tell_job(number, model::make_room{{request_for(what, job)}, at->second.scheduler}, by, board_.reply_then(std::move(then)));
}

void preemption_routes::answered(std::uint64_t id, std::uint64_t serial, how how, const model::rejection& why) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end()) return;
  --at->second.unanswered;
  if (is_gone(why)) {
    at->second.leaving.erase(serial);
  } else if (why.code != 0) {
    at->second.failed = why;
    note_failure(serial, how, why);
  }
  settle(id);
}

// In PBS's words.
void preemption_routes::note_failure(std::uint64_t serial, how how, const model::rejection& why) const {
  const auto number = board_.where().job_number(serial);
  if (!number) return;
  const auto job = board_.job_id(*number);
  board_.note(log_event::debug, "Job", job,
              std::string("preemption method ") + word_of(how) + " failed for job (" + std::to_string(why.code) + ")");
  board_.note(log_event::debug, "Job", job, "Job failed to be preempted");
}

void preemption_routes::folded(const log::record& record) {
  if (waiting_.empty() || !record.event().isJob()) return;
  const auto which = record.event().getJob().which();
  if (which == schema::JobEvent::REQUEST_DONE) return could_not_checkpoint(record.get().getStream());
  if (which != schema::JobEvent::REQUEUED && which != schema::JobEvent::ENDED && which != schema::JobEvent::FORGOTTEN) return;
  std::vector<std::uint64_t> ids;
  for (auto& [id, w] : waiting_)
    if (w.leaving.erase(record.get().getStream()) > 0) ids.push_back(id);
  for (const auto id : ids) settle(id);
}

// A run that was checkpointed ends, and its host says nothing else of the request.
void preemption_routes::could_not_checkpoint(std::uint64_t serial) {
  std::vector<std::uint64_t> ids;
  const auto why = model::refuse(pbs_error::no_support);
  for (auto& [id, w] : waiting_)
    if (w.checkpointing.erase(serial) > 0) {
      w.failed = why;
      ids.push_back(id);
    }
  if (!ids.empty()) note_failure(serial, how::CHECKPOINT, why);
  for (const auto id : ids) settle(id);
}

void preemption_routes::forget(const std::string& scheduler) {
  std::erase_if(waiting_, [&](const auto& w) { return w.second.scheduler == scheduler; });
}

void preemption_routes::settle(std::uint64_t id) {
  const auto at = waiting_.find(id);
  if (at->second.unanswered > 0 || (!at->second.failed && !at->second.leaving.empty())) return;
  const auto done = std::move(at->second);
  waiting_.erase(at);
  if (done.failed) done.reply->refused(board_.where().sequence(), *done.failed);
  else done.then();
}

}  // namespace annals::actors
