#include "actors/gateway/gateway.hpp"

#include <caf/send.hpp>

#include <exception>
#include <set>

#include "actors/gateway/callers/authorise.hpp"
#include "actors/gateway/callers/job_callers.hpp"
#include "actors/gateway/callers/login_callers.hpp"
#include "actors/gateway/callers/request_lines.hpp"
#include "actors/gateway/callers/terminals.hpp"
#include "actors/gateway/hosts/doubted_log.hpp"
#include "actors/gateway/hosts/mom_routes.hpp"
#include "actors/gateway/jobs/job_routes.hpp"
#include "actors/gateway/jobs/presumed_defaults.hpp"
#include "actors/gateway/objects/manage_routes.hpp"
#include "actors/gateway/objects/reservation_routes.hpp"
#include "actors/gateway/order_routes.hpp"
#include "actors/gateway/orderly_stop.hpp"
#include "actors/gateway/schedulers/scheduler_routes.hpp"
#include "actors/gateway/schedulers/scheduler_starts.hpp"
#include "actors/runtime/run_this.hpp"
#include "actors/server/replies.hpp"
#include "events/model/access.hpp"
#include "events/model/limits.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

class router {
 public:
  router(caf::event_based_actor* self, gateway_parts parts) : self_(self), board(self, std::move(parts)), parts_(board.parts()) {
    moms.hear_agreement([this](const std::string& host) { doubt.agreed(host); });
  }

  // Everything that owes something comes to life.
  void begin() {
    for (const auto& [name, stream] : parts_.where->hosts()) (void)board.host(name);
    for (auto serial : parts_.owing)
      if (const auto number = parts_.where->job_number(serial)) board.wake_job(*number);
    for (const auto& [serial, reservation] : parts_.where->reservation_states()) (void)board.reservation(serial);
    manage_.forget_values_of_unknown_resources();
    hooks.begin();
    doubt.begin();
  }

  // -- from the link -------------------------------------------------------------------------------------------------------

  // A frame that is no message of ours ends its connection, never the server.
  void on_frame(peer_frame& f) {
    const auto peer = f.peer;
    for_peer(peer, [&] { route(f); });
  }

  void route(peer_frame& f) {
    switch (f.peer->peer().what) {
      case wire::identity::kind::local: return on_request(f);
      case wire::identity::kind::mom:
        if (!callers.takes(f)) moms.on_message(f.peer, schema::sealed<schema::FromMom>(std::move(f.message)));
        return;
      case wire::identity::kind::scheduler: return on_scheduler(f.peer, schema::sealed<schema::FromScheduler>(std::move(f.message)));
      case wire::identity::kind::comm: return logins.on_frame(f);
      case wire::identity::kind::follower: return on_follower(f);
      case wire::identity::kind::server:
      case wire::identity::kind::remote: return f.peer->close("nobody comes in as that");
    }
  }

  void on_closed(const peer_closed& c) {
    const auto what = c.peer->peer().what;
    doubt.closed(c.peer);
    crowd.closed(c.peer);
    if (what == wire::identity::kind::scheduler) return schedulers_.on_closed(c);
    if (what == wire::identity::kind::comm) return logins.on_closed(c);
    if (what == wire::identity::kind::follower) return parts_.feed ? self_->send(parts_.feed, c) : void();
    forget(c.peer);
    if (what == wire::identity::kind::mom) {
      moms.on_closed(c);
      callers.on_closed(c);
    }
  }

  // -- followers and other actors ------------------------------------------------------------------------------------------

  void on_committed(const committed& c) {
    for (const auto& r : *c.records) {
      parts_.where->fold(*r);
      schedulers_.folded(*r);
      moms.folded(*r);
      hooks.folded(*r);
      if (schema::is(r->event(), schema::JobEvent::QUEUED))
        if (const auto number = r->event().getJob().getQueued().getNumber(); values::is_subjob(number)) board.subjob_born(number);
      if (r->event().isReservation()) board.reservation_folded(r->get().getStream());
    }
  }

  void on_judged(const terminal_judged& j) { terminals_.on_judged(j); }

  void on_job_command(job_command_for& c) {
    if (auto* run = std::get_if<model::proposed_run>(&c.command))
      return hooks.ask_run(c.number, std::move(*run), c.by, std::move(c.reply), std::move(c.command_id));
    auto e = board.wrap(std::move(c.command), c.by, std::move(c.reply));
    e.command_id = std::move(c.command_id);
    board.tell_job(c.number, std::move(e));
  }

  void on_scheduler_command(scheduler_command_for& c) {
    const auto scheduler = board.scheduler(c.name);
    if (!scheduler) return c.reply->refused(0, model::refuse(pbs_error::unknown_scheduler));
    auto e = board.wrap(std::move(c.command), c.by, std::move(c.reply));
    e.command_id = std::move(c.command_id);
    self_->send(scheduler, std::move(e));
  }

  // On each connection the hooks come before a run that they are for.
  void on_post(post_to_host& p) {
    if (p.message.get().isStartRun()) mom_hooks.keep_up();
    board.post(std::move(p));
  }

 private:
  void on_follower(peer_frame& f) {
    if (!parts_.feed) return f.peer->close("this server feeds no followers");
    self_->send(parts_.feed, f);
  }

  void on_scheduler(const wire::connection_ptr& peer, schema::sealed<schema::FromScheduler> message) {
    if (doubt.doubts()) return doubt.keep(peer, [=, this] { for_peer(peer, [&] { on_scheduler(peer, message); }); });
    schedulers_.on_message(peer, std::move(message), winding_up());
  }

  // -- clients -------------------------------------------------------------------------------------------------------------

  void on_request(const peer_frame& f) {
    const auto& peer = f.peer;
    schema::sealed<schema::Request> request(f.message);
    const auto r = request.get();
    const auto later = [&] { return [f, this] { for_peer(f.peer, [&] { on_request(f); }); }; };
    if (doubt.doubts() && !only_looks(r)) return doubt.keep(peer, later());
    if (crowd.holds_up(r)) return crowd.keep(peer, later());
    const auto by = requester_of(peer->peer(), *board.settings(), parts_.server_uid);
    auto to = sink_to(peer, f.in_hand);
    if (board.notes()) {
      note_received(*board.notes(), r, by, peer->id());
      to = noting_refusals(std::move(to), *board.notes(), r, by);
    }
    auto reply = reply_to_client(to, r.getId());
    if (auto why = model::server_refusal(by, *board.settings())) return reply->refused(0, *why);
    if (board.is_too_late(r)) return reply->refused(0, model::refuse(pbs_error::server_down));
    if (changes_state(r) && !fresh(r))
      return reply->refused(0, {pbs_error::expired_credential, "Expired request: its command id is older than 24 hours"});
    switch (r.which()) {
      case schema::Request::QUEUE_JOB:
        if (const auto others = other_defaults(r, *board.settings(), parts_.where->sequence())) return to->send(*others);
        return jobs_.on_submit(peer, request, by, reply);
      case schema::Request::ALTER_JOB: return jobs_.on_alter(peer, request, by, reply);
      case schema::Request::HOLD_JOB: return jobs_.to_job(r.getHoldJob().getJob(), request, by, std::move(reply));
      case schema::Request::RELEASE_JOB: return jobs_.to_job(r.getReleaseJob().getJob(), request, by, std::move(reply));
      case schema::Request::DELETE_JOB: return jobs_.to_job(r.getDeleteJob().getJob(), request, by, std::move(reply));
      case schema::Request::RERUN_JOB: return jobs_.on_rerun(request, by, std::move(reply));
      case schema::Request::SIGNAL_JOB: return jobs_.on_signal(request, by, std::move(reply));
      case schema::Request::MOVE_JOB: return jobs_.on_move(request, by, reply);
      case schema::Request::MESSAGE_JOB: return jobs_.to_job(r.getMessageJob().getJob(), request, by, std::move(reply));
      case schema::Request::RELEASE_NODES: return jobs_.on_release_nodes(request, by, std::move(reply));
      case schema::Request::RUN_JOB:
      case schema::Request::ORDER_JOBS:
        return self_->send(parts_.status, by_hand{std::move(request), by, parts_.where->sequence(), std::move(reply), self_});
      case schema::Request::MANAGE: return manage_.on_manage(request, by, reply);
      case schema::Request::SHUTDOWN: return stopping.on_shutdown(r.getShutdown(), by, reply);
      case schema::Request::PUT_BLOB:
        uploaders_.insert(peer->id());
        return self_->send(parts_.uploads, upload_piece{peer->id(), to, std::move(request), by});
      case schema::Request::STAT:
      case schema::Request::SELECT_JOBS: return self_->send(parts_.status, query{to, std::move(request), by, parts_.where->sequence()});
      case schema::Request::WAIT_JOB:
        waiters_.insert(peer->id());
        return self_->send(parts_.status, query{to, std::move(request), by, parts_.where->sequence(), peer->id()});
      case schema::Request::EXPORT_HOOK: return manage_.export_hook(r.getExportHook(), by, std::move(reply));
      case schema::Request::FAIRSHARE: return on_fairshare(to, std::move(request), by, std::move(reply));
      case schema::Request::SUBMIT_RESERVATION: return reservations.submit(peer, request, by, to);
      case schema::Request::DELETE_RESERVATION: return reservations.remove(request, by, std::move(reply));
      case schema::Request::ALTER_RESERVATION: return reservations.alter(request, by, to);
      case schema::Request::ATTACH_TERMINAL: return terminals_.attach(peer, r, by, reply);
      case schema::Request::OFFER_TERMINAL: return terminals_.offer(peer, r.getId(), callers.job_of(peer->id()), reply);
      case schema::Request::TERMINAL: return terminals_.on_word(peer, r.getTerminal());
      case schema::Request::HELLO: return reply->done(parts_.where->sequence(), board.settings()->server_name);
    }
    reply->refused(0, model::refuse(pbs_error::unknown_request));
  }

  // Who looks asks the status, who changes asks the scheduler object.
  void on_fairshare(const sink_ptr& to, schema::sealed<schema::Request> request, const model::requester& by, reply_ptr reply) {
    const auto asked = request.get().getFairshare();
    if (asked.isShow() || asked.isWhy()) return self_->send(parts_.status, query{to, std::move(request), by, parts_.where->sequence()});
    const auto scheduler = board.scheduler(schema::str(asked.getScheduler()));
    if (!scheduler) return reply->refused(0, model::refuse(pbs_error::unknown_scheduler));
    if (asked.isTrim())
      return self_->send(parts_.status, by_hand{std::move(request), by, parts_.where->sequence(), std::move(reply), self_});
    self_->send(scheduler, board.wrap<model::scheduler_command>(request, request.get(), by, std::move(reply)));
  }

  void forget(const wire::connection_ptr& client) {
    terminals_.on_closed(client);
    if (uploaders_.erase(client->id()) > 0) self_->send(parts_.uploads, client_gone{client->id()});
    if (waiters_.erase(client->id()) > 0) self_->send(parts_.status, client_gone{client->id()});
  }

  // Or ends the server: heard whatever the log lacks.
  static bool only_looks(schema::Request::Reader r) {
    switch (r.which()) {
      case schema::Request::STAT:
      case schema::Request::SELECT_JOBS:
      case schema::Request::WAIT_JOB:
      case schema::Request::EXPORT_HOOK:
      case schema::Request::PUT_BLOB:
      case schema::Request::HELLO:
      case schema::Request::SHUTDOWN: return true;
      default: return false;
    }
  }
  bool winding_up() const { return model::winding_up(*board.settings()); }
  static bool changes_state(schema::Request::Reader r) { return r.getCommandId().size() > 0; }
  bool fresh(schema::Request::Reader r) const {
    return r.getSentAtNs() == 0 || parts_.base.clock->now_ns() - r.getSentAtNs() < limits::command_id_memory_s * 1'000'000'000;
  }

  caf::event_based_actor* self_;
  std::set<std::uint64_t> uploaders_;  // connections that have sent scripts ahead
  std::set<std::uint64_t> waiters_;    // those that have asked for jobs' ends

 public:
  actor_registry board;
  doubted_log doubt{board};
  mom_hook_routes mom_hooks{board};
  hook_routes hooks{board};
  mom_routes moms{board, mom_hooks};
  const remote_places places{std::make_shared<wire::room<std::string>>(board.parts().remote_callers_max)};
  job_callers callers{board, [this](const peer_frame& request) { on_request(request); }, places};
  login_callers logins{board, [this](const peer_frame& request) { on_request(request); },
                       [this](const auto& caller) { forget(caller); }, places};
  scheduler_starts starts{board, moms};
  orderly_stop stopping{board, starts, moms};
  reservation_routes reservations{board, hooks};
  order_crowd crowd{board};
  order_routes orders{board, hooks, moms, mom_hooks, starts, stopping, reservations, crowd};

 private:
  const gateway_parts& parts_;
  job_routes jobs_{board, hooks};
  manage_routes manage_{board, hooks};
  terminals terminals_{board};
  scheduler_routes schedulers_{board, hooks, starts};
};

}  // namespace

caf::behavior gateway(caf::event_based_actor* self, gateway_parts parts) {
  auto r = std::make_shared<router>(self, std::move(parts));
  // Without its gateway a server hears nobody: it ends, also of what a helper threw (helper_pool).
  self->set_exception_handler([stop = r->board.parts().base.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("the gateway failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  return {
      [](const peer_opened&) {},
      [r](begin_work) { r->begin(); },
      [r](const stop_server& s) { r->stopping.stop(s.how); },
      [r](give_orders& o) { r->orders.on_orders(o); },
      [r](peer_frame& f) { r->on_frame(f); },
      [r](const peer_closed& c) { r->on_closed(c); },
      [r](const committed& c) { r->on_committed(c); },
      [r](const run_user& u) { r->callers.on_user(u); },
      [r](const terminal_judged& j) { r->on_judged(j); },
      [r](const job_idle& i) { r->board.on_idle(i); },
      [r](const i_may_leave& m) { r->board.on_may_leave(m); },
      [r](resting_jobs_told& t) { r->board.on_told(t); },
      [r](post_to_host& p) { r->on_post(p); },
      [r](job_command_for& c) { r->on_job_command(c); },
      [r](scheduler_command_for& c) { r->on_scheduler_command(c); },
      [r](resume_waits& w) {
        job_command_for c{w.number, model::resume_later{}, w.by, {}, std::move(w.reply)};
        r->on_job_command(c);
      },
      [r](withdraw_from_host& w) { r->board.withdraw(std::move(w)); },
      [r](reservation_for_job& j) { r->reservations.submit_for_job(j); },
      [r](const reservation_refused& n) { r->board.reservation_refused(n.number); },
      [r](const log_marked& m) { r->moms.on_marked(m); },
      [r](mark_told_atom) { r->moms.on_mark_timer(); },
      [r](const run_missing& m) { r->moms.on_missing(m); },
      [r](const discard_settled& d) { r->moms.on_discard_settled(d); },
      [](run_this& t) {
        try {
          t.work();
        } catch (const kj::Exception&) {}  // of a request that can't be read: nobody is told, as its connection said nothing sound
      },
      [](const disk_state&) {},
  };
}

}  // namespace annals::actors
