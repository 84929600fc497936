#include "actors/sessions/resting_jobs.hpp"

#include <utility>

namespace annals::actors {

namespace {

// Null: it is not known or in the history, and its actor finds out what that means.
projections::job_ptr state_of(const resting_job& j, const projections::status& now) {
  return now.in_history(j.serial) ? nullptr : now.job(j.serial);
}

resting_job_told settled(resting_job& j, const append_result& result, const projections::status& now) {
  auto& e = j.command;
  switch (result.what) {
    case append_result::kind::conflict: return {j.number, false, std::move(e)};
    case append_result::kind::refused:
    case append_result::kind::unwritable: e.reply->refused(result.sequence, result.why); return {j.number};
    case append_result::kind::repeated: e.reply->done(result.sequence, result.answer); return {j.number};
    case append_result::kind::stored: break;
  }
  e.reply->done(result.sequence, "");
  const auto state = state_of(j, now);
  return {j.number, state && !model::pending_effects(*state, *e.settings).empty()};
}

}  // namespace

void resting_jobs::tell(tell_resting_jobs& t, const projections::status& now) {
  append_batch batch;
  batch.turn = ++turn_;
  batch.appends.reserve(t.jobs.size());
  asked these{{}, t.gateway};
  these.jobs.reserve(t.jobs.size());
  resting_jobs_told told;
  for (auto& j : t.jobs) {
    auto& e = j.command;
    const auto state = state_of(j, now);
    auto decided = state ? model::decide(*state, e.command, {clock_->now_ns(), e.by}, *e.settings) : model::outcome(model::rejection());
    if (!decided.accepted()) {  // it may have been done before: the job's actor finds out
      told.jobs.push_back({j.number, false, std::move(e)});
    } else if (decided.events().empty()) {
      e.reply->done(now.sequence(), decided.reply);
      told.jobs.push_back({j.number});
    } else {
      batch.appends.push_back(append_of(e, decided, j.serial, state->version, now.sequence()));
      these.jobs.push_back(std::move(j));
    }
  }
  if (!told.jobs.empty()) self_->send(t.gateway, std::move(told));
  if (batch.appends.empty()) return;
  asked_[batch.turn] = std::move(these);
  self_->send(t.writer, std::move(batch));
}

void resting_jobs::on_results(append_results& r, const projections::status& now) {
  auto asked = asked_.extract(r.turn);
  auto& [jobs, gateway] = asked.mapped();
  resting_jobs_told told;
  told.jobs.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) told.jobs.push_back(settled(jobs[i], r.results[i], now));
  self_->send(gateway, std::move(told));
}

}  // namespace annals::actors
