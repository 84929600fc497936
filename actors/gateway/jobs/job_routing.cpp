#include "actors/gateway/jobs/job_routing.hpp"

#include <utility>
#include <vector>

#include "events/model/job/routing.hpp"

namespace annals::actors {

struct job_routing::tries {
  std::uint64_t number = 0;
  std::uint64_t cause = 0;
  std::vector<std::string> destinations;
  std::size_t next = 0;
  bool all_for_good = true;  // every destination so far has refused for good
  model::rejection last;
  reply_ptr reply;
};

namespace {

schema::sealed<schema::Request> move_to(const std::string& job, const std::string& destination) {
  return schema::make<schema::Request>([&](schema::Request::Builder r) {
    auto m = r.initMoveJob();
    m.setJob(job);
    m.setDestination(destination);
  });
}

// The log shows it as PBS's does: the owner asked for nothing.
model::requester router(const actor_registry& board) { return {"pbs_server", board.settings()->host_name, schema::Role::SERVER}; }

}  // namespace

// A job that is no more needs nothing.
void job_routing::route(const reactions::route_job& what, give_order& given) {
  const auto number = board_.where().job_number(what.serial);
  if (!number) return given.reply->done(board_.where().sequence(), "");
  auto t = std::make_shared<tries>(tries{*number, given.what->cause, what.destinations, 0, true, {}, std::move(given.reply)});
  if (what.lifetime_over) end(t);
  else try_next(t);
}

void job_routing::try_next(const tries_ptr& t) {
  if (t->next == t->destinations.size()) {
    if (t->all_for_good && !t->destinations.empty()) return end(t);
    return t->reply->refused(board_.where().sequence(), t->last);
  }
  const auto request = move_to(board_.job_id(t->number), t->destinations[t->next++]);
  auto rejected = board_.reply_then([this, t](const model::rejection& why) { answered(t, why); });
  hooks_.ask_move(request, router(board_), rejected, [this, t](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
    move(t, allowed, std::move(runs));
  });
}

void job_routing::move(const tries_ptr& t, const schema::sealed<schema::Request>& request, hook_runs runs) {
  auto reply = hooks_.decided_with(board_.reply_then([this, t](const model::rejection& why) { answered(t, why); }), runs);
  auto e = board_.wrap<model::job_command>(model::client_request{request}, router(board_), std::move(reply), std::move(runs));
  e.cause = t->cause;
  board_.tell_job(t->number, std::move(e));
}

void job_routing::answered(const tries_ptr& t, const model::rejection& why) {
  if (why.code == 0) return t->reply->done(board_.where().sequence(), "");
  t->all_for_good = t->all_for_good && model::refuses_for_good(why.code);
  t->last = why;
  try_next(t);
}

// The job's own rules say whether it ends now.
void job_routing::end(const tries_ptr& t) {
  auto e = board_.wrap<model::job_command>(model::client_request{move_to(board_.job_id(t->number), "")}, router(board_), t->reply);
  e.cause = t->cause;
  board_.tell_job(t->number, std::move(e));
}

}  // namespace annals::actors
