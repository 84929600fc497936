#include "actors/server/resting_jobs.hpp"

#include <caf/send.hpp>

#include <map>
#include <utility>

namespace annals::actors {

namespace {

class decider {
 public:
  decider(caf::event_based_actor* self, resting_jobs_parts parts) : self_(self), parts_(std::move(parts)) {}

  void tell(tell_resting_jobs& t) {
    append_batch batch;
    batch.turn = ++turn_;
    batch.appends.reserve(t.jobs.size());
    std::vector<resting_job> asked;
    asked.reserve(t.jobs.size());
    resting_jobs_told told;
    for (auto& j : t.jobs) {
      auto& e = j.command;
      auto decided = j.state ? model::decide(*j.state, e.command, {parts_.base.clock->now_ns(), e.by}, *e.settings)
                             : model::outcome(model::rejection());
      if (!decided.accepted()) {  // it may have been done before: the job's actor finds out
        told.jobs.push_back({j.number, false, std::move(e)});
      } else if (decided.events().empty()) {
        e.reply->done(t.sequence, decided.reply);
        told.jobs.push_back({j.number});
      } else {
        batch.appends.push_back(append_of(e, decided, j.serial, j.state->version));
        asked.push_back(std::move(j));
      }
    }
    if (!told.jobs.empty()) self_->send(parts_.gateway, std::move(told));
    if (batch.appends.empty()) return;
    asked_[batch.turn] = std::move(asked);
    self_->send(parts_.base.writer, std::move(batch));
  }

  void on_results(append_results& r) {
    auto asked = asked_.extract(r.turn);
    resting_jobs_told told;
    for (std::size_t i = 0; i < r.results.size(); ++i) told.jobs.push_back(settle(asked.mapped()[i], r.results[i]));
    self_->send(parts_.gateway, std::move(told));
  }

 private:
  static resting_job_told settle(resting_job& j, const append_result& result) {
    auto& e = j.command;
    switch (result.what) {
      case append_result::kind::conflict: return {j.number, false, std::move(e)};
      case append_result::kind::refused:
      case append_result::kind::unwritable: e.reply->refused(result.sequence, result.why); return {j.number};
      case append_result::kind::repeated: e.reply->done(result.sequence, result.answer); return {j.number};
      case append_result::kind::stored: break;
    }
    e.reply->done(result.sequence, "");
    for (const auto& r : result.records) model::apply(*j.state, place_of(*r), r->event());
    return {j.number, !model::pending_effects(*j.state, *e.settings).empty()};
  }

  caf::event_based_actor* self_;
  resting_jobs_parts parts_;
  std::uint64_t turn_ = 0;
  std::map<std::uint64_t, std::vector<resting_job>> asked_;  // with the writer, by turn
};

}  // namespace

caf::behavior resting_jobs(caf::event_based_actor* self, resting_jobs_parts parts) {
  self->set_exception_handler([stop = parts.base.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("jobs at rest could not be told: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  auto d = std::make_shared<decider>(self, std::move(parts));
  return {
      [d](tell_resting_jobs& t) { d->tell(t); },
      [d](append_results& r) { d->on_results(r); },
  };
}

}  // namespace annals::actors
