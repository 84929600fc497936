#include "actors/gateway/hosts/mom_routes.hpp"

#include <chrono>
#include <utility>

#include "actors/gateway/hosts/blobs_to_moms.hpp"
#include "actors/runtime/run_this.hpp"
#include "actors/server/order_keys.hpp"
#include "actors/server/replies.hpp"
#include "events/model/host/vnode_names.hpp"
#include "events/schema/readable.hpp"

namespace annals::actors {

namespace {

// A MoM that is told to end has nothing to finish: its runs go on under their shepherds.
constexpr auto end_of_moms_max = std::chrono::seconds(5);

}  // namespace

// It may have waited in a line: a message that can't be read ends its connection here, too.
void mom_routes::hear(said& s) {
  for_peer(s.peer, [&] { route(s.peer, std::move(s.message)); });
}

void mom_routes::route(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message) {
  if (!schema::is_readable(message)) return peer->close("a message that can't be read");
  const auto m = message.get();
  const auto& name = peer->peer().name;
  const auto by = actor_registry::mom_of(name);
  switch (m.which()) {
    case schema::FromMom::HELLO: return on_hello(peer, std::move(message));
    case schema::FromMom::RUN_STARTED:
      end_unwanted(m.getRunStarted().getRef(), name);
      return report(peer, m.getRunStarted().getRef(), schema::Ack::What::RUN_STARTED, message);
    case schema::FromMom::RUN_REFUSED: return report(peer, m.getRunRefused().getRef(), schema::Ack::What::RUN_REFUSED, message);
    case schema::FromMom::RUN_EXITED:
      marks_.on_exited(name, m.getRunExited());
      return report(peer, m.getRunExited().getRef(), schema::Ack::What::RUN_EXITED, message);
    case schema::FromMom::RUN_LEFT:
      marks_.on_left(name, m.getRunLeft().getRef());
      discarded(name, m.getRunLeft().getRef());
      return report(peer, m.getRunLeft().getRef(), schema::Ack::What::RUN_LEFT, message);
    case schema::FromMom::RUN_STEPS: {
      const auto r = m.getRunSteps();
      return board_.tell_job_of(r.getRef(), model::mom_report{message, name}, by, acknowledge_steps(peer, r));
    }
    case schema::FromMom::RUN_USAGE:
      end_unwanted(m.getRunUsage().getRef(), name);
      board_.tell_job_of(m.getRunUsage().getRef(), model::mom_report{message, name}, by, nullptr);
      return answered_usage(m.getRunUsage(), name);
    case schema::FromMom::WANT_BLOB: return on_want_blob(peer, m.getWantBlob());
    case schema::FromMom::HOOKS_INSTALLED: return hooks_.on_installed(name, m.getHooksInstalled());
    case schema::FromMom::HOOK_REPORT:
      if (vnodes_.comes_too_early(m.getHookReport(), name)) return;  // it is told again until it is acknowledged
      return hooks_.on_report(peer, message);
    case schema::FromMom::HOOK_QUESTION:
      if (is_node(peer)) hooks_.on_question(peer, message);
      return;
    case schema::FromMom::REQUEST_DONE:
      return board_.tell_job_of(m.getRequestDone().getRef(), model::mom_report{message, name}, by, nullptr);
    case schema::FromMom::SIGNAL_DONE:  // the debt of a signal ends with the report of the exit
      if (m.getSignalDone().getId() != 0) return;
      discarded(name, m.getSignalDone().getRef());
      return host_is_rid(m.getSignalDone().getRef().getJobSerial(), model::run_gone_from{m.getSignalDone().getRef().getRun(), name, false});
    case schema::FromMom::WANT_TICKET:
      if (const auto h = board_.known_host(name))
        board_.self()->send(h, ticket_wanted{m.getWantTicket().getJobSerial(), m.getWantTicket().getRun()});
      return;
    case schema::FromMom::SCHEDULER_FAILED: return failed_scheduler_(name, m.getSchedulerFailed());
    case schema::FromMom::COMMAND_OF: return;  // job_callers took it
  }
  peer->close("an unknown message");
}

// Behind the usage itself.
void mom_routes::answered_usage(schema::RunUsage::Reader told, const std::string& host) {
  const auto number = board_.where().job_number(told.getRef().getJobSerial());
  if (told.getQuestion() != 0 && number) board_.ask_job(*number, usage_answered{told.getQuestion(), host});
}

bool mom_routes::is_node(const wire::connection_ptr& peer) {
  const auto& name = peer->peer().name;
  if (board_.where().hosts().contains(name)) {
    strangers_.erase(name);
    return true;
  }
  const auto why = "host " + name + " is no node of this cluster: " +
                   (model::is_address(name) || model::has_colon(name) ? "its certificate is for an address, which no node has for its name"
                                                                      : "qmgr -c 'create node " + name + "'");
  if (strangers_.insert(name).second) board_.note(log_event::admin, "Node", name, why);  // it comes again and again
  peer->close(why);
  return false;
}

// Its certificate is for one name.
bool mom_routes::is_itself(const wire::connection_ptr& peer, schema::MomHello::Reader hello) const {
  const auto& name = peer->peer().name;
  const auto said = schema::str(hello.getHost());
  if (said.empty() || said == name) return true;
  const auto why = "the certificate is of host " + name + ", and it says that it is " + said;
  board_.note(log_event::security, "Node", name, why);
  peer->close(why);
  return false;
}

void mom_routes::folded(const log::record& record) {
  const auto event = record.event();
  if (schema::is(event, schema::HostEvent::ADDED)) return on_host_created(schema::str(event.getHost().getAdded().getName()));
  if (!schema::is(event, schema::HostEvent::REMOVED)) return;
  for (const auto& [host, peer] : std::map(here_)) (void)is_node(peer);
}

void mom_routes::on_host_created(const std::string& host) {
  for (const auto number : board_.where().numbers_of_jobs_on(host)) board_.ask_job(number, host_created{host});
}

void mom_routes::on_hello(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message) {
  const auto& name = peer->peer().name;
  if (!is_node(peer) || !is_itself(peer, message.get().getHello())) return;
  auto read = marks_.to_read(message, name);
  if (!read) return on_read(peer, std::move(message), {});
  lines_.hold(peer);
  board_.hellos().ask_always([this, peer, message = std::move(message), read = std::move(read)] {
    auto found = read();
    return [this, peer, message, found = std::move(found)] {
      for_peer(peer, [&] { on_read(peer, message, found); });
      lines_.go_on(peer->peer().name);
    };
  });
}

void mom_routes::on_read(const wire::connection_ptr& peer, schema::sealed<schema::FromMom> message, hello_findings found) {
  const auto& name = peer->peer().name;
  if (!is_node(peer)) return;  // any more
  if (!marks_.agrees(found, name)) return peer->close("the server's log is not what this host was told of: the server stops");
  agreed_(name);
  if (const auto g = giving_up_.find(name); g != giving_up_.end()) {
    g->second.peer = peer;
    g->second.hello = std::move(message);
    g->second.found = std::move(found);
    return;
  }
  here_[name] = peer;
  hooks_.keep_up();  // they are owed before the welcome
  board_.note(log_event::admin, "Node", name, "Hello from MoM on port=" + std::to_string(message.get().getHello().getPort()));
  auto unknown = runs_unknown(message.get().getHello(), name, found);
  auto refused = vnodes_.why_not_taken(message.get().getHello(), name);
  auto own = refused.empty() ? vnodes_.taken(std::move(message), name) : std::move(message);
  board_.connected({peer, std::move(own), board_.where().runs_on(name), std::move(unknown.unwanted), std::move(unknown.kept),
                    std::move(refused), board_.settings()});
  if (marks_.newest()) peer->send(marks_.newest());
  if (ended_all_) tell_to_end(name, peer);
}

log_marks::teller mom_routes::tell_all() const {
  return [this](const schema::sealed<schema::ToMom>& message) {
    for (const auto& [host, peer] : here_) peer->send(message);
  };
}

void mom_routes::hear(const peer_closed& c) {
  const auto& name = c.peer->peer().name;
  if (const auto h = here_.find(name); h != here_.end() && h->second == c.peer) here_.erase(h);
  if (const auto g = giving_up_.find(name); g != giving_up_.end() && g->second.peer == c.peer) g->second.peer = nullptr;
  board_.gone({c.peer, c.why});
  look_whether_all_ended();
}

// -- qterm -m ----------------------------------------------------------------------------------------------------------------

void mom_routes::stop_all(std::function<void()> then) {
  ended_all_ = std::move(then);
  for (const auto& [host, stream] : board_.where().hosts()) {
    const auto at = here_.find(host);
    if (at != here_.end()) tell_to_end(host, at->second);
    else board_.note(log_event::admin, "Node", host, "MoM not connected; it is not shut down");
  }
  board_.self()->delayed_send(board_.self(), end_of_moms_max, run_this{[this] {
                                if (!ended_all_) return;
                                for (const auto& [host, peer] : here_)
                                  board_.note(log_event::admin, "Node", host, "MoM has not shut down in time");
                                std::exchange(ended_all_, nullptr)();
                              }});
  look_whether_all_ended();
}

void mom_routes::tell_to_end(const std::string& host, const wire::connection_ptr& peer) {
  board_.note(log_event::admin, "Node", host, "Shutdown request sent to MoM");
  peer->send(schema::make<schema::ToMom>([](schema::ToMom::Builder m) { m.setShutDown(); }));
}

void mom_routes::look_whether_all_ended() {
  if (ended_all_ && here_.empty()) std::exchange(ended_all_, nullptr)();
}

void mom_routes::tell_job_while_away(const std::string& host, std::uint64_t number, envelope<model::job_command> e) {
  if (here_.contains(host)) return e.reply->refused(board_.where().sequence(), model::refuse(values::pbs_error::bad_state));
  ++giving_up_[host].runs;
  e.reply = board_.reply_then([this, host, reply = std::move(e.reply)](const model::rejection& why) {
    if (why.code == 0) reply->done(board_.where().sequence(), "");
    else reply->refused(board_.where().sequence(), why);
    on_given_up(host);
  });
  board_.tell_job(number, std::move(e));
}

// What became of it has been folded by now: the log writer tells this actor of a record before it tells the job.
void mom_routes::on_given_up(const std::string& host) {
  const auto g = giving_up_.find(host);
  if (--g->second.runs > 0) return;
  const auto waited = std::move(g->second);
  giving_up_.erase(g);
  if (waited.peer) on_read(waited.peer, waited.hello, waited.found);
}

void mom_routes::on_missing(const run_missing& m) {
  board_.tell_job(m.run.number, model::run_lost{m.run.run, false, m.log_is_new}, actor_registry::mom_of(""), nullptr);
}

// What a MoM has, and the log says it has not.
mom_routes::foreign_runs mom_routes::runs_unknown(schema::MomHello::Reader hello, const std::string& on, const hello_findings& found) {
  foreign_runs runs;
  for (auto r : hello.getRuns())
    if (!board_.where().has_run(on, r.getJobSerial(), r.getRun()))
      (marks_.may_be_lost(on, r, found) ? runs.kept : runs.unwanted).push_back({r.getJobSerial(), r.getRun(), schema::str(r.getJob())});
  return runs;
}

void mom_routes::on_discard_settled(const discard_settled& d) { host_is_rid(d.serial, model::run_gone_from{d.run, d.host, d.abandoned}); }

// The job may wait for that.
void mom_routes::host_is_rid(std::uint64_t serial, model::run_gone_from gone) {
  const auto by = actor_registry::mom_of(gone.host);
  if (const auto number = board_.where().job_number(serial)) board_.tell_job(*number, std::move(gone), by, nullptr);
}

// A host no longer has a run: it needs no discarding.
void mom_routes::discarded(const std::string& on, schema::RunRef::Reader ref) {
  board_.withdraw({on, discard_key(ref.getJobSerial(), ref.getRun())});
}

void mom_routes::discard(const run_name& run, const std::string& on) {
  board_.post({on, discard_key(run.serial, run.run), discard_message(run)});
}

// A MoM speaks of a run: of a job that still wants it, or one to be discarded.
void mom_routes::end_unwanted(schema::RunRef::Reader ref, const std::string& on) {
  if (!board_.where().has_run(on, ref.getJobSerial(), ref.getRun()) && !marks_.is_kept(on, ref))
    discard({ref.getJobSerial(), ref.getRun(), schema::str(ref.getJob())}, on);
}

void mom_routes::report(const wire::connection_ptr& peer, schema::RunRef::Reader ref, schema::Ack::What what,
                        const schema::sealed<schema::FromMom>& message) {
  const auto& name = peer->peer().name;
  model::mom_report report{message, name};
  if (what == schema::Ack::What::RUN_EXITED) report.unreleasable = board_.where().unreleasable_vnodes(ref.getJobSerial());
  board_.tell_job_of(ref, std::move(report), actor_registry::mom_of(name), acknowledge_mom(peer, ref, what));
}

// A MoM has the scripts of its runs, and the hooks that MoMs run.
void mom_routes::on_want_blob(const wire::connection_ptr& peer, schema::WantBlob::Reader wanted) {
  const auto& name = peer->peer().name;
  const auto ref = wanted.getRef();
  const run_name of{ref.getJobSerial(), ref.getRun(), schema::str(ref.getJob())};
  const std::string hash(reinterpret_cast<const char*>(wanted.getHash().begin()), wanted.getHash().size());
  const auto size = of.serial == 0 ? size_of_hook_file(board_.where(), hash) : size_of_script(board_.where(), name, of, hash);
  if (size) return send_blob(peer, of, hash, *size);
  const auto number = board_.where().job_number(of.serial);
  board_.note(log_event::security, "Node", name,
              of.serial == 0
                  ? std::string("asked for a file that belongs to no hook of MoMs; not sent")
                  : "asked for a script that is not of a run it has (" + (number ? board_.job_id(*number) : "no job") + "); not sent");
  send_blob_pieces(*peer, {peer, hash, 0, of}, std::nullopt);
}

// One that is asked for again while it is being read comes once.
void mom_routes::send_blob(const wire::connection_ptr& peer, const run_name& of, const std::string& hash, std::uint64_t size) {
  const auto [request, is_new] = reading_.insert({peer->id(), of.serial, of.run, hash});
  if (!is_new) return;
  auto read = board_.reply_then([this, request = *request](const model::rejection&) { reading_.erase(request); });
  board_.self()->send(board_.parts().blobs, blob_wanted{peer, hash, size, of, std::move(read)});
}

}  // namespace annals::actors
