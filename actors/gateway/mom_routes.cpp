#include "actors/gateway/mom_routes.hpp"

#include "actors/gateway/script_blob.hpp"
#include "actors/server/replies.hpp"

namespace annals::actors {

namespace {
std::string discard_key(std::uint64_t serial, std::uint32_t run) { return "discard:" + std::to_string(serial) + ":" + std::to_string(run); }
}  // namespace

void mom_routes::on_message(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message) {
  const auto m = message.get();
  const auto& name = peer->peer().name;
  const auto by = switchboard::mom_of(name);
  switch (m.which()) {
    case schema::FromMom::HELLO: return on_hello(peer, std::move(message));
    case schema::FromMom::RUN_STARTED:
      end_unwanted(m.getRunStarted().getRef(), name);
      return report(peer, m.getRunStarted().getRef(), schema::Ack::What::RUN_STARTED, message);
    case schema::FromMom::RUN_REFUSED: return report(peer, m.getRunRefused().getRef(), schema::Ack::What::RUN_REFUSED, message);
    case schema::FromMom::RUN_EXITED: return report(peer, m.getRunExited().getRef(), schema::Ack::What::RUN_EXITED, message);
    case schema::FromMom::RUN_LEFT:
      discarded(name, m.getRunLeft().getRef());
      return report(peer, m.getRunLeft().getRef(), schema::Ack::What::RUN_LEFT, message);
    case schema::FromMom::RUN_STEPS: {
      const auto r = m.getRunSteps();
      return board_.tell_job_of(r.getRef(), model::mom_report{message, name}, by, acknowledge_steps(peer, r));
    }
    case schema::FromMom::RUN_USAGE:
      end_unwanted(m.getRunUsage().getRef(), name);
      return board_.tell_job_of(m.getRunUsage().getRef(), model::mom_report{message, name}, by, nullptr);
    case schema::FromMom::WANT_BLOB: return send_blob(peer, m.getWantBlob().getHash());
    case schema::FromMom::HOOKS_INSTALLED: return hooks_.on_installed(name, m.getHooksInstalled());
    case schema::FromMom::HOOK_REPORT: return hooks_.on_report(peer, message);
    case schema::FromMom::WISH_DONE: return board_.tell_job_of(m.getWishDone().getRef(), model::mom_report{message, name}, by, nullptr);
    case schema::FromMom::SIGNAL_DONE:              // the debt of a signal ends with the report of the exit
      if (m.getSignalDone().getId() == 0) discarded(name, m.getSignalDone().getRef());
      return;
  }
  peer->close("an unknown message");
}

void mom_routes::on_hello(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message) {
  const auto& name = peer->peer().name;
  if (!board_.where().hosts().contains(name))
    return peer->close("host " + name + " is no node of this cluster: qmgr -c 'create node " + name + "'");
  board_.note(log_event::admin, "Node", name, "Hello from MoM on port=" + std::to_string(message.get().getHello().getPort()));
  board_.self()->send(board_.host(name), mom_connected{peer, std::move(message), board_.where().runs_on(name)});
}

void mom_routes::on_closed(const peer_closed& c) {
  if (const auto h = board_.known_host(c.peer->peer().name)) board_.self()->send(h, mom_gone{c.peer, c.why});
}

void mom_routes::on_missing(const run_missing& m) {
  board_.tell_job(m.run.number, model::run_lost{m.run.run, false, m.log_is_new, "the MoM no longer has the run"}, switchboard::mom_of(""), nullptr);
}

void mom_routes::on_present(const run_present& p) {
  if (!board_.where().has_run(p.host, p.serial, p.run)) discard(p);
}

// A host no longer has a run: it needs no discarding.
void mom_routes::discarded(const std::string& on, schema::RunRef::Reader ref) {
  if (const auto h = board_.host(on)) board_.self()->send(h, withdraw_from_host{on, discard_key(ref.getJobSerial(), ref.getRun())});
}

void mom_routes::discard(const run_present& p) {
  const auto h = board_.host(p.host);
  if (!h) return;
  auto message = schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto d = m.initDiscardRun();
    d.setJobSerial(p.serial);
    d.setRun(p.run);
    d.setJob(p.job);
  });
  board_.self()->send(h, post_to_host{p.host, discard_key(p.serial, p.run), std::move(message)});
}

void mom_routes::discard_abandoned(const log::record& record) {
  const auto e = record.event().getVnodeHandedBack();
  const auto serial = record.get().getStream();
  if (const auto number = board_.where().job_number(serial)) discard({serial, e.getRun(), board_.job_id(*number), schema::str(e.getHost())});
}

void mom_routes::end_unwanted(schema::RunRef::Reader ref, const std::string& host) {
  on_present({ref.getJobSerial(), ref.getRun(), schema::str(ref.getJob()), host});
}

void mom_routes::report(const wire::connection_ptr& peer, schema::RunRef::Reader ref, schema::Ack::What what,
                        const schema::sealed<schema::FromMom>& message) {
  const auto& name = peer->peer().name;
  board_.tell_job_of(ref, model::mom_report{message, name}, switchboard::mom_of(name), acknowledge_mom(peer, ref, what));
}

void mom_routes::send_blob(const wire::connection_ptr& peer, capnp::Data::Reader hash) {
  const std::string key(reinterpret_cast<const char*>(hash.begin()), hash.size());
  send_blob_pieces(*peer, key, board_.parts().shell.reader->store().read_blob(key));
}

}  // namespace annals::actors
