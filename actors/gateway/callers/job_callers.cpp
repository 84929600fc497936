#include "actors/gateway/callers/job_callers.hpp"

#include <utility>

#include "actors/server/replies.hpp"
#include "events/schema/readable.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

// What was printed last comes when the program has ended; it goes to its terminal alone.
bool is_of_terminal(const schema::sealed_message& message) { return message.root<schema::Request>().isTerminal(); }

bool is_command_of(const schema::sealed_message& message) { return message.root<schema::FromMom>().isCommandOf(); }

}  // namespace

bool job_callers::takes(peer_frame& f) {
  if (const auto at = callers_.find(f.peer->id()); at != callers_.end()) {
    request(at->second, std::move(f));
    return true;
  }
  if (!is_command_of(f.message)) return false;
  // From here on it is a user's until it is closed: a MoM hands on what he says as he says it.
  auto& c = callers_[f.peer->id()];
  c.peer = f.peer;
  const schema::sealed<schema::FromMom> message(std::move(f.message));
  if (schema::is_readable(message)) return open(c, message.get().getCommandOf()), true;
  c.refused = true;
  f.peer->close("a message that can't be read");
  return true;
}

// Nothing more is read until its user is known.
void job_callers::open(job_caller& c, schema::RunRef::Reader run) {
  const auto& host = c.peer->peer().name;
  const auto number = board_.where().job_number(run.getJobSerial());
  if (model::winding_up(*board_.settings())) return refuse(c, pbs_error::system_error, "Connection refused");
  if (!number || !board_.where().has_program(host, run.getJobSerial(), run.getRun()))
    return refuse(c, pbs_error::bad_credential, "job " + schema::str(run.getJob()) + " does not run on host " + host);
  c.serial = run.getJobSerial();
  c.run = run.getRun();
  c.job = board_.job_id(*number);
  c.peer->pause_reading();
  board_.ask_job(*number, run_user_wanted{c.peer->id(), c.run, host});
}

void job_callers::on_user(const run_user& u) {
  const auto at = callers_.find(u.connection);
  if (at == callers_.end() || at->second.refused) return;
  auto& c = at->second;
  if (u.who.user.empty()) return refuse(c, pbs_error::bad_credential, "job " + c.job + " does not run on host " + c.peer->peer().name);
  if (!has_place(c, u.who.user)) return;
  c.peer->resume_reading();
  speaks_as(c, std::make_shared<users_connection>(c.peer, u.who.user, u.who.group, c.peer->id()),
            [&](peer_frame&& said) { request(c, std::move(said)); });
}

std::optional<std::uint64_t> job_callers::job_of(std::uint64_t connection) const {
  const auto at = callers_.find(connection);
  if (at == callers_.end() || !at->second.as_user) return std::nullopt;
  return board_.where().job_number(at->second.serial);
}

void job_callers::request(job_caller& c, peer_frame&& said) {
  if (!may_ask(c, said)) return;
  if (!board_.where().has_program(c.peer->peer().name, c.serial, c.run) && !is_of_terminal(said.message))
    return refuse_request(c, said.message);
  take(c, std::move(said));
}

// It alone: what was asked while the run was there is still to be answered over this connection.
void job_callers::refuse_request(const job_caller& c, const schema::sealed_message& message) {
  c.peer->send(refusal_reply(message.root<schema::Request>().getId(), board_.where().sequence(),
                             {pbs_error::bad_credential, "job " + c.job + " no longer runs on host " + c.peer->peer().name}));
}

}  // namespace annals::actors
