#include "actors/sessions/rerun_waits.hpp"

#include <caf/send.hpp>

#include <string>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

// Of one that has ended instead nothing is waited for either.
bool is_under_way(const projections::status& now, std::uint64_t serial) {
  const auto job = now.job(serial);
  return job && job->rerun_requested && !job->ended();
}

class requeued_reply final : public reply_to {
 public:
  requeued_reply(caf::actor status, std::uint64_t job, reply_ptr to) : status_(std::move(status)), job_(job), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string&) override { caf::anon_send(status_, rerun_wait{job_, to_, sequence}); }
  void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

 private:
  const caf::actor status_;
  const std::uint64_t job_;
  const reply_ptr to_;
};

}  // namespace

std::uint64_t rerun_waits::add(rerun_wait wait, const projections::status& now) {
  waits_.emplace(++last_, std::move(wait));
  look(now);
  return last_;
}

void rerun_waits::look(const projections::status& now) {
  std::erase_if(waits_, [&](const auto& entry) {
    const auto& wait = entry.second;
    if (now.sequence() < wait.min_sequence || is_under_way(now, wait.job)) return false;
    wait.to->done(now.sequence(), "");
    return true;
  });
}

void rerun_waits::over(std::uint64_t number, const projections::status& now) {
  const auto at = waits_.find(number);
  if (at == waits_.end()) return;
  at->second.to->refused(now.sequence(), {values::pbs_error::internal, "Response timed out. Job rerun request still in progress for"});
  waits_.erase(at);
}

std::chrono::seconds longest_rerun_wait(const projections::status& now) {
  constexpr std::int64_t when_unset_s = 45;
  return std::chrono::seconds(
      attributes::seconds_of(now.server().attributes, attributes::server::job_requeue_timeout).value_or(when_unset_s));
}

reply_ptr reply_when_requeued(caf::actor status, std::uint64_t job, reply_ptr to) {
  return std::make_shared<requeued_reply>(std::move(status), job, std::move(to));
}

}  // namespace annals::actors
