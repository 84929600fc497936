#include "actors/mom/job_commands.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "actors/link/wire/cut_handshake.hpp"
#include "actors/link/wire/wire_limits.hpp"
#include "actors/mom/task_interface.hpp"
#include "events/model/run/task_limits.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon.capnp.h"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

namespace pbs_error = values::pbs_error;
using silence_atom = caf::atom_constant<caf::atom("silence")>;
using complain_atom = caf::atom_constant<caf::atom("complain")>;

class callers {
 public:
  callers(caf::event_based_actor* self, job_commands_parts parts) : self_(self), parts_(std::move(parts)) { complain_later(); }

  // -- commands --------------------------------------------------------------------------------------------------------------

  void on_opened(const peer_opened& o) {
    callers_[o.peer->id()].peer = o.peer;
    self_->delayed_send(self_, std::chrono::seconds(limits::tm_silence_s), silence_atom::value, o.peer->id());
  }

  void on_silence(std::uint64_t id) {
    const auto at = callers_.find(id);
    if (at == callers_.end()) return;
    auto& c = at->second;
    if (!c.named) return c.peer->close("nothing was asked");
    // Nobody has answered: the run has left meanwhile.
    if (!c.refused && !c.dialer)
      refuse(c, pbs_error::bad_credential, "no run of job " + c.job + " is on host " + parts_.host + " any more");
  }

  void on_frame(peer_frame& f) {
    const auto at = callers_.find(f.peer->id());
    if (at == callers_.end() || at->second.refused) return;
    auto& c = at->second;
    if (!c.named) return for_peer(f.peer, [&] { ask_for_job(c, read_claim(f.message)); });
    if (!c.server) return c.early.push_back(std::move(f.message));
    to_server(c, f.message);
  }

  void on_closed(const peer_closed& p) { callers_.erase(p.peer->id()); }

  void on_taken(const peer_taken& t) {
    if (const auto at = callers_.find(t.caller); at != callers_.end() && at->second.server) at->second.server->resume_reading();
  }

  void on_found(const job_found& found) {
    const auto at = callers_.find(found.question);
    if (at == callers_.end()) return;
    auto& c = at->second;
    if (!found.actor)
      return refuse_user(c, pbs_error::bad_credential, "no run of job " + c.job + " with this PBS_JOBCOOKIE is on host " + parts_.host);
    if (c.peer->peer().name != found.user)
      return refuse_user(c, pbs_error::unauthorized, "job " + c.job + " is not of user " + c.peer->peer().name);
    c.run = {found.job_serial, found.run};
    try {
      c.dialer = parts_.dial(at->first);
    } catch (const wire::wire_error& e) {
      refuse(c, pbs_error::system_error, "host " + parts_.host + " can't reach the server: " + e.what());
    }
  }

  void on_complaints_due() {
    if (parts_.complaints) parts_.complaints->tick(std::chrono::steady_clock::now());
    complain_later();
  }

  // -- the server --------------------------------------------------------------------------------------------------------------

  void on_opened(const server_opened& o) {
    const auto at = callers_.find(o.caller);
    if (at == callers_.end()) return;
    auto& c = at->second;
    c.server = o.server;
    c.server->send(schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
      auto ref = m.initCommandOf();
      ref.setJobSerial(c.run.serial);
      ref.setRun(c.run.number);
      ref.setJob(c.job);
    }));
    for (const auto& message : std::exchange(c.early, {})) c.server->send(message);
    if (c.server->unsent_bytes() <= parts_.unsent_pause_bytes) c.peer->resume_reading();
  }

  void on_frame(const server_frame& f) {
    const auto at = callers_.find(f.caller);
    if (at == callers_.end()) return;
    auto& c = at->second;
    c.peer->send(f.message);
    if (c.peer->unsent_bytes() > parts_.unsent_pause_bytes) c.server->pause_reading();
  }

  void on_taken(const server_taken& t) {
    if (const auto at = callers_.find(t.caller); at != callers_.end()) at->second.peer->resume_reading();
  }

  void on_closed(const server_closed& s) {
    const auto at = callers_.find(s.caller);
    if (at == callers_.end()) return;
    at->second.peer->close("the server: " + s.why);
    callers_.erase(at);
  }

  void on_failed(const server_failed& f) {
    const auto at = callers_.find(f.caller);
    if (at == callers_.end()) return;
    // A server without a place for one more has it in a moment: the command comes again.
    const auto code = f.why.ends_with(wire::cut_handshake) ? pbs_error::no_connections : pbs_error::system_error;
    refuse(at->second, code, "host " + parts_.host + " can't reach the server: " + f.why);
    at->second.dialer.reset();
  }

 private:
  struct run_ref {
    std::uint64_t serial = 0;
    std::uint32_t number = 0;
  };
  struct caller {
    wire::connection_ptr peer;
    bool named = false, refused = false;  // it has said of which job; it was told no
    std::string job;
    run_ref run;
    std::vector<schema::sealed_message> early;  // said before the server was there
    std::unique_ptr<server_dialer> dialer;
    wire::connection_ptr server;  // null: not there yet
  };

  // Nothing more is read until the server is there.
  void ask_for_job(caller& c, std::optional<job_claim> claim) {
    c.named = true;
    if (!claim) return refuse_user(c, pbs_error::bad_credential, "a command of a job names the job and its cookie");
    c.job = claim->job;
    c.peer->pause_reading();
    self_->delayed_send(self_, std::chrono::seconds(limits::tm_silence_s), silence_atom::value, c.peer->id());
    self_->send(parts_.mom, find_job{{self_, c.peer->id()}, claim->job, claim->cookie});
  }

  void to_server(caller& c, const schema::sealed_message& message) {
    c.server->send(message);
    if (c.server->unsent_bytes() > parts_.unsent_pause_bytes) c.peer->pause_reading();
  }

  // The log says of a user once a minute what he tried.
  void refuse_user(caller& c, std::uint32_t code, const std::string& text) {
    const auto& who = c.peer->peer();
    if (parts_.complaints)
      parts_.complaints->add(who.name, "a command of user " + who.name + " (pid " + std::to_string(who.pid) + ") refused: " + text,
                             std::chrono::steady_clock::now());
    refuse(c, code, text);
  }
  void complain_later() { self_->delayed_send(self_, std::chrono::milliseconds(limits::complaint_ms), complain_atom::value); }

  // The reply is to no request: it is the last word of this connection.
  static void refuse(caller& c, std::uint32_t code, const std::string& text) {
    c.refused = true;
    c.peer->send(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      auto rejected = r.initRejected();
      rejected.setCode(code);
      rejected.setText(text);
    }));
    c.peer->close(text);
  }

  caf::event_based_actor* self_;
  job_commands_parts parts_;
  std::map<std::uint64_t, caller> callers_;  // by connection
};

}  // namespace

// An empty cookie would be any, and what is said stands in the log.
std::optional<job_claim> read_claim(const schema::sealed_message& message) {
  const auto said = message.root<schema::CommandOfJob>();
  job_claim claim{schema::str(said.getJob()), schema::str(said.getCookie())};
  const auto good = [](const std::string& word) {
    const bool printable = std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    return printable && !word.empty() && word.size() <= limits::claim_bytes_max;
  };
  if (!good(claim.job) || !good(claim.cookie)) return std::nullopt;
  return claim;
}

caf::behavior job_commands(caf::event_based_actor* self, job_commands_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      if (stop) stop(std::string("what hands on commands of jobs failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  auto d = std::make_shared<callers>(self, std::move(parts));
  return {
      [d](const peer_opened& o) { d->on_opened(o); },
      [d](peer_frame& f) { d->on_frame(f); },
      [d](const peer_closed& c) { d->on_closed(c); },
      [d](const peer_taken& t) { d->on_taken(t); },
      [d](const job_found& f) { d->on_found(f); },
      [d](const server_opened& o) { d->on_opened(o); },
      [d](const server_frame& f) { d->on_frame(f); },
      [d](const server_taken& t) { d->on_taken(t); },
      [d](const server_closed& c) { d->on_closed(c); },
      [d](const server_failed& f) { d->on_failed(f); },
      [d](complain_atom) { d->on_complaints_due(); },
      [d](silence_atom, std::uint64_t id) { d->on_silence(id); },
  };
}

}  // namespace annals::actors
