#include "actors/mom/tasks/job_commands.hpp"

#include <chrono>
#include <map>
#include <utility>

#include "actors/link/wire/wire_limits.hpp"
#include "actors/mom/runs/job_claim.hpp"
#include "actors/mom/tasks/task_interface.hpp"
#include "events/model/run/task_limits.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

namespace pbs_error = values::pbs_error;
using silence_atom = caf::atom_constant<caf::atom("silence")>;
using complain_atom = caf::atom_constant<caf::atom("complain")>;

class callers {
 public:
  callers(caf::event_based_actor* self, job_commands_parts parts)
      : self_(self), parts_(std::move(parts)), passages_(parts_.host, parts_.unsent_pause_bytes) {
    complain_later();
  }
  passages& ways() { return passages_; }

  void on_opened(const peer_opened& o) {
    callers_.insert_or_assign(o.peer->id(), caller{o.peer, false, {}});
    passages_.add(o.peer);
    self_->delayed_send(self_, std::chrono::seconds(limits::tm_silence_s), silence_atom::value, o.peer->id());
  }

  void on_silence(std::uint64_t id) {
    const auto at = callers_.find(id);
    if (at == callers_.end()) return;
    auto& c = at->second;
    if (!c.named) return c.peer->close("nothing was asked");
    // Nobody has answered: the run has left meanwhile.
    if (passages_.may_be_dialed(id))
      passages_.refuse(id, pbs_error::bad_credential, "no run of job " + c.job + " is on host " + parts_.host + " any more");
  }

  void on_frame(peer_frame& f) {
    const auto at = callers_.find(f.peer->id());
    if (at == callers_.end()) return;
    if (!at->second.named) return for_peer(f.peer, [&] { ask_for_job(at->second, read_claim(f.message)); });
    passages_.hand_on(at->first, std::move(f.message));
  }

  void on_closed(const peer_closed& p) {
    callers_.erase(p.peer->id());
    passages_.remove(p.peer->id());
  }

  void on_found(const job_found& found) {
    const auto at = callers_.find(found.question);
    if (at == callers_.end()) return;
    auto& c = at->second;
    if (!found.actor)
      return refuse_user(c, pbs_error::bad_credential, "no run of job " + c.job + " with this PBS_JOBCOOKIE is on host " + parts_.host);
    if (c.peer->peer().name != found.user)
      return refuse_user(c, pbs_error::unauthorized, "job " + c.job + " is not of user " + c.peer->peer().name);
    passages_.dial(at->first, parts_.dial, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                     auto ref = m.initCommandOf();
                     ref.setJobSerial(found.job_serial);
                     ref.setRun(found.run);
                     ref.setJob(c.job);
                   }));
  }

  void on_complaints_due() {
    if (parts_.complaints) parts_.complaints->tick(std::chrono::steady_clock::now());
    complain_later();
  }

 private:
  struct caller {
    wire::connection_ptr peer;
    bool named = false;  // it has said of which job
    std::string job;
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

  // The log says of a user once a minute what he tried.
  void refuse_user(caller& c, std::uint32_t code, const std::string& text) {
    const auto& who = c.peer->peer();
    if (parts_.complaints)
      parts_.complaints->add(who.name, "a command of user " + who.name + " (pid " + std::to_string(who.pid) + ") refused: " + text,
                             std::chrono::steady_clock::now());
    passages_.refuse(c.peer->id(), code, text);
  }
  void complain_later() { self_->delayed_send(self_, std::chrono::milliseconds(limits::complaint_ms), complain_atom::value); }

  caf::event_based_actor* self_;
  job_commands_parts parts_;
  passages passages_;
  std::map<std::uint64_t, caller> callers_;  // by connection
};

}  // namespace

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
      [d](const job_found& f) { d->on_found(f); },
      [d](const peer_taken& t) { d->ways().on_taken(t); },
      [d](const server_opened& o) { d->ways().on_opened(o); },
      [d](const server_frame& f) { d->ways().on_frame(f); },
      [d](const server_taken& t) { d->ways().on_taken(t); },
      [d](const server_closed& c) { d->ways().on_closed(c); },
      [d](const server_failed& f) { d->ways().on_failed(f); },
      [d](complain_atom) { d->on_complaints_due(); },
      [d](silence_atom, std::uint64_t id) { d->on_silence(id); },
  };
}

}  // namespace annals::actors
