#include "actors/sessions/by_hand_orders.hpp"

#include <caf/send.hpp>

#include <memory>
#include <utility>

#include "actors/server/replies.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/values/job_id.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/scheduling/by_hand.hpp"
#include "projections/status/fairshare_query.hpp"

namespace annals::actors {

namespace {

std::string command_id(schema::Request::Reader r) {
  return {reinterpret_cast<const char*>(r.getCommandId().begin()), r.getCommandId().size()};
}

}  // namespace

void by_hand_orders::carry_out(const by_hand& b) {
  try {
    if (b.request.get().isRunJob()) run(b);
    else if (b.request.get().isFairshare()) trim(b);
    else order(b);
  } catch (const kj::Exception&) {
    b.reply->refused(now_.sequence(), model::refuse(values::pbs_error::invalid_request));
  }
}

void by_hand_orders::run(const by_hand& b) {
  const auto named = schema::text(b.request.get().getRunJob().getJob());
  const auto id = values::parse_job_id(named);
  if (id && id->form != values::id_form::job) return run_subjobs(b, *id);
  const auto job = now_.job_by_id(named);
  if (const auto why = model::run_by_hand_refusal(job.get(), b.by)) return b.reply->refused(now_.sequence(), *why);
  run_one(b, *job, std::nullopt, command_id(b.request.get()), b.reply);
}

// When it runs, the rest is asked for.
class by_hand_orders::then_the_rest final : public reply_to {
 public:
  then_the_rest(by_hand of, std::uint32_t from, caf::actor status) : rest_(std::move(of)), status_(std::move(status)) {
    rest_.from = from;
  }
  void done(std::uint64_t sequence, const std::string&) override {
    rest_.min_sequence = sequence;
    caf::anon_send(status_, rest_);
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override { rest_.reply->refused(sequence, why); }

 private:
  by_hand rest_;
  const caf::actor status_;
};

// One after the other, the lowest first.
void by_hand_orders::run_subjobs(const by_hand& b, const values::job_id& id) {
  const auto array = now_.array_by_number(id.number);
  const auto left = model::subjobs_to_run(array.get(), id, b.by);
  std::optional<std::uint32_t> next;
  if (left)
    left->each([&](std::uint32_t index) {
      if (index >= b.from) next = index;
      return !next;
    });
  if (!next && b.from > 0) return b.reply->done(now_.sequence(), "");
  if (!left) return b.reply->refused(now_.sequence(), left.error());
  if (id.form == values::id_form::subjob) return run_one(b, *array, next, command_id(b.request.get()), b.reply);
  run_one(b, *array, next, {}, std::make_shared<then_the_rest>(b, *next + 1, caf::actor(self_)));
}

void by_hand_orders::run_one(const by_hand& b, const model::job_state& job, std::optional<std::uint32_t> subjob, std::string command_id,
                             reply_ptr reply) {
  const auto where = schema::text(b.request.get().getRunJob().getExecVnode());
  if (where.empty()) return session_for_(job).run_job(job, subjob, std::move(reply));
  const auto place = projections::place_by_hand(now_, job, where);
  if (!place) return reply->refused(now_.sequence(), place.error());
  auto proposal = schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
    auto run = m.initRun();
    run.setJob(job.serial);
    run.setOfArray(subjob.has_value());
    run.setIndex(subjob.value_or(0));
    run.setExecVnode(place->exec_vnode);
    run.setExecHost(place->exec_host);
    auto hosts = run.initHosts(static_cast<unsigned>(place->hosts.size()));
    for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, place->hosts[i]);
  });
  caf::anon_send(b.gateway, job_command_for{job.number, model::proposed_run{std::move(proposal), "", true}, b.by, std::move(command_id),
                                            std::move(reply)});
}

// A subjob, or some.
bool by_hand_orders::is_of_a_known_array(capnp::Text::Reader job) const {
  const auto id = values::parse_job_id(schema::text(job));
  return id && (id->form == values::id_form::subjob || id->form == values::id_form::range) && now_.array_by_number(id->number);
}

// Two jobs change places. Each command is repeatable; a server that dies between them leaves both with one rank, and then
// the older job comes first.
void by_hand_orders::order(const by_hand& b) {
  const auto asked = b.request.get().getOrderJobs();
  if (is_of_a_known_array(asked.getFirst()) || is_of_a_known_array(asked.getSecond()))
    return b.reply->refused(now_.sequence(), model::refuse(values::pbs_error::invalid_request));
  const auto first = now_.job_by_id(schema::text(asked.getFirst()));
  const auto second = now_.job_by_id(schema::text(asked.getSecond()));
  const auto ranks = model::exchange_ranks(first.get(), second.get(), b.by);
  if (!ranks) return b.reply->refused(now_.sequence(), ranks.error());
  auto parts = reply_jointly(b.reply, 2);
  caf::anon_send(b.gateway, job_command_for{first->number, ranks->first, b.by, command_id(b.request.get()), parts[0]});
  caf::anon_send(b.gateway, job_command_for{second->number, ranks->second, b.by, {}, parts[1]});
}

// pbsfs -e says who stays; who goes is known here.
void by_hand_orders::trim(const by_hand& b) {
  const auto asked = b.request.get().getFairshare();
  model::trim_fairshare command{projections::entities_to_trim(now_, asked)};
  caf::anon_send(b.gateway, scheduler_command_for{schema::str(asked.getScheduler()), std::move(command), b.by,
                                                  command_id(b.request.get()), b.reply});
}

}  // namespace annals::actors
