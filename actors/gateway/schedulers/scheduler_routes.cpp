#include "actors/gateway/schedulers/scheduler_routes.hpp"

#include <caf/send.hpp>

#include <chrono>

#include "actors/runtime/run_this.hpp"
#include "actors/server/replies.hpp"
#include "events/model/scheduler/places.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/job_id.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

class until_written final : public reply_to {
 public:
  until_written(caf::actor gateway, std::function<void()> again) : gateway_(std::move(gateway)), again_(std::move(again)) {}
  void done(std::uint64_t, const std::string&) override {}
  void refused(std::uint64_t, const model::rejection& why) override {
    if (why.code == pbs_error::system_error) caf::anon_send(gateway_, run_this{again_});
  }

 private:
  const caf::actor gateway_;
  const std::function<void()> again_;
};

// Also writes down that a proposal was refused. The note is on its way before the scheduler can begin its next cycle.
class proposal_noted final : public reply_to {
 public:
  proposal_noted(reply_ptr to, std::function<void(const std::string&)> note) : to_(std::move(to)), note_(std::move(note)) {}
  void done(std::uint64_t sequence, const std::string& text) override { to_->done(sequence, text); }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    note_(why.text);
    to_->refused(sequence, why);
  }

 private:
  const reply_ptr to_;
  const std::function<void(const std::string&)> note_;
};

}  // namespace

void scheduler_routes::on_closed(const peer_closed& c) {
  const auto& name = c.peer->peer().name;
  const auto why = starts_.went(c);
  if (!why) return;  // it was turned away, or never said hello
  turned_away_.erase(name);
  preemptions_.forget(name);
  board_.self()->send(board_.parts().status, scheduler_disconnected{c.peer});
  tell_until_written(name, model::scheduler_gone{*why}, {"Scheduler", name, schema::Role::SCHEDULER},
                     [this, name] { return !starts_.connection_of(name); });
}

// That one came or went is not said twice: while the disk is full it is told again.
void scheduler_routes::tell_until_written(const std::string& name, const model::scheduler_command& command, const model::requester& by,
                                          const std::function<bool()>& is_still_so) {
  const auto object = board_.scheduler(name);
  if (!object || !is_still_so()) return;
  auto again = [this, name, command, by, is_still_so] {
    board_.self()->delayed_send(board_.self(), std::chrono::seconds(1),
                                run_this{[=, this] { tell_until_written(name, command, by, is_still_so); }});
  };
  board_.self()->send(object, board_.wrap(command, by, std::make_shared<until_written>(caf::actor(board_.self()), std::move(again))));
}

// A scheduler that was killed has no link any more at once; of one whose host is gone the link ends when it was silent for too long
// (wire). Until then who comes in its place is told to come again, and does.
bool scheduler_routes::takes(const wire::connection_ptr& peer, schema::SchedHello::Reader hello) {
  const auto& name = peer->peer().name;
  if (schema::text(hello.getName()) != name)
    return turn_away(peer, {pbs_error::unauthorized,
                            "the certificate is that of scheduler " + name + ", not of " + schema::str(hello.getName())}),
           false;
  const auto* scheduler = board_.where().scheduler(name);
  const auto host = schema::str(hello.getHost());
  if (scheduler && !model::may_come_from(*scheduler, host, board_.settings()->host_name))
    return turn_away(peer, {pbs_error::unauthorized, "scheduler " + name + " has left host " + host}), false;
  const auto there = starts_.connection_of(name);
  if (!there || there == peer) return true;
  if (turned_away_.insert(name).second)
    board_.note(log_event::security, "Sched", name,
                "another scheduler of this name is connected already; turned away " + peer->peer().address);
  auto why = model::refuse(pbs_error::scheduler_connected);
  why.text += " (" + std::to_string(why.code) + ")";
  return refuse(peer, why), false;
}

// A refusal of no job is one of the scheduler itself: its log says why, and it ends, unless there will be room for it.
void scheduler_routes::turn_away(const wire::connection_ptr& peer, const model::rejection& why) {
  board_.note(log_event::error, "Sched", peer->peer().name, "scheduler turned away: " + why.text);
  refuse(peer, why);
}

void scheduler_routes::refuse(const wire::connection_ptr& peer, const model::rejection& why) {
  peer->send(schema::make<schema::ToScheduler>([&](schema::ToScheduler::Builder m) {
    auto r = m.initRefused();
    r.setReason(why.text);
    r.setCode(why.code);
  }));
  peer->close(why.text);
}

void scheduler_routes::on_message(const wire::connection_ptr& peer, schema::sealed<schema::FromScheduler> message, bool winding_up) {
  const auto m = message.get();
  const auto& name = peer->peer().name;
  auto object = board_.scheduler(name);
  if (!object)
    return turn_away(peer, {pbs_error::unknown_scheduler, std::string(values::pbs_error_text(pbs_error::unknown_scheduler)) + " " + name});
  if (!m.isHello() && starts_.connection_of(name) != peer) return;  // still on its way when it was turned away
  const auto tell = [&](model::scheduler_command c) { board_.self()->send(object, board_.wrap(std::move(c), scheduler_itself())); };
  const auto& status = board_.parts().status;
  switch (m.which()) {
    case schema::FromScheduler::CANNOT_RUN: return board_.self()->send(status, scheduler_frame{name, std::move(message)});
    case schema::FromScheduler::HELLO: return hello(peer, m.getHello());
    case schema::FromScheduler::RUN: return propose(name, message, winding_up);
    case schema::FromScheduler::CYCLE_BEGAN: return cycle_began(object, name, std::move(message));
    case schema::FromScheduler::DIRECTORIES:
    case schema::FromScheduler::FAIRSHARE:
    case schema::FromScheduler::REASONS: return tell(model::scheduler_said{std::move(message)});
    case schema::FromScheduler::RESERVATION: return answer_reservation(name, message);
    case schema::FromScheduler::POLICY: {
      const auto bytes = schema::bytes_of(m.getPolicy());
      policies_[name].assign(bytes.begin(), bytes.end());
      return;
    }
    case schema::FromScheduler::CYCLE_ENDED:
      tell(model::scheduler_said{message});
      [[fallthrough]];
    case schema::FromScheduler::FULL_VIEW: return board_.self()->send(status, scheduler_frame{name, std::move(message)});
  }
  peer->close("an unknown message");
}

void scheduler_routes::hello(const wire::connection_ptr& peer, schema::SchedHello::Reader hello) {
  if (!takes(peer, hello)) return;
  const auto& name = peer->peer().name;
  starts_.came(name, peer);
  tell_until_written(
      name, model::scheduler_came{schema::str(hello.getHost()), schema::str(hello.getVersion()), hello.getPid(), hello.getPort()},
      scheduler_itself(), [this, name, peer] { return starts_.connection_of(name) == peer; });
  board_.self()->send(board_.parts().status, scheduler_connected{peer, name});
}

void scheduler_routes::propose(const std::string& name, const schema::sealed<schema::FromScheduler>& message, bool winding_up) {
  const auto run = message.get().getRun();
  auto note = [this, gateway = caf::actor(board_.self()), name, message](const std::string& why) {
    caf::anon_send(gateway, run_this{[=, this] { note_refused(name, {message, why}); }});
  };
  const auto settled = run.getOfArray() ? values::subjob_number(run.getJob(), run.getIndex()) : run.getJob();
  reply_ptr reply =
      std::make_shared<proposal_noted>(settle_proposal(board_.parts().status, name, settled, run.getCycle()), std::move(note));
  board_.self()->send(board_.parts().status, scheduler_frame{name, message});  // counted before it is settled
  if (winding_up) return reply->refused(0, model::refuse(pbs_error::server_down));
  const auto number = board_.where().job_number(run.getJob());
  if (!number) return reply->refused(0, model::refuse(pbs_error::unknown_job));
  hook_routes::room_maker make_room;
  if (run.getVictims().size() > 0)
    make_room = [this, message, name, reply, peer = starts_.connection_of(name)](std::function<void()> then) {
      if (starts_.connection_of(name) != peer) return;  // it went while hooks ran, and nobody waits for an answer
      preemptions_.make_room(message.get().getRun(), name, scheduler_itself(), reply, std::move(then));
    };
  hooks_.ask_run(*number, model::proposed_run{message, name, run.getRequest() != 0}, scheduler_itself(), reply, {}, std::move(make_room));
}

// A place that was taken meanwhile, or is no place, counts as a refusal: the scheduler believes that it has given it until it hears more.
void scheduler_routes::answer_reservation(const std::string& name, const schema::sealed<schema::FromScheduler>& message) {
  const auto answer = message.get().getReservation();
  const auto reservation = board_.reservation(answer.getReservation());
  if (!reservation) return;  // it went meanwhile
  reply_ptr reply;
  if (answer.isConfirmed())
    reply = board_.reply_then([this, name, message](const model::rejection& why) {
      if (why.code == 0) return;
      answer_reservation(name, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                           const auto refused_answer = message.get().getReservation();
                           auto a = m.initReservation();
                           a.setReservation(refused_answer.getReservation());
                           a.setAsk(refused_answer.getAsk());
                           a.setCycle(refused_answer.getCycle());
                           a.setRefused(why.text);
                         }));
    });
  board_.self()->send(reservation,
                      board_.wrap(model::reservation_command(model::reservation_answer{message, name}), scheduler_itself(), reply));
}

void scheduler_routes::folded(const log::record& record) {
  preemptions_.folded(record);
  if (refused_.empty() || !record.event().isJob()) return;
  const auto event = record.event().getJob();
  if (event.isAssigned() || event.isSubjobBegan() || event.isEnded() || event.isForgotten()) refused_.erase(record.get().getStream());
}

void scheduler_routes::note_refused(const std::string& name, const model::proposal_refused& what) {
  const auto object = board_.scheduler(name);
  if (!object) return;
  const auto run = what.proposal.get().getRun();
  refused_run now{name, schema::str(run.getExecVnode()), what.why};
  auto& last = refused_[run.getJob()];
  if (run.getOfArray()) now.exec_vnode.clear();  // its subjobs are refused for one reason, each somewhere else
  if (last == now) return;
  last = std::move(now);
  board_.self()->send(object, board_.wrap(model::scheduler_command(what), scheduler_itself()));
}

// The policy files' text is kept once, beside the first cycle that used it.
void scheduler_routes::cycle_began(const caf::actor& object, const std::string& name, schema::sealed<schema::FromScheduler> message) {
  const auto h = message.get().getCycleBegan().getPolicy().getHash();
  const std::string hash(reinterpret_cast<const char*>(h.begin()), h.size());
  auto e = board_.wrap<model::scheduler_command>(model::scheduler_said{std::move(message)}, scheduler_itself());
  if (!hash.empty() && !stored_policies_.contains(hash)) {
    const auto& text = policies_[name];
    if (log::content_hash(text) == hash) {
      e.blobs.push_back({hash, {text.begin(), text.end()}});
      stored_policies_.insert(hash);
    } else {
      board_.note(log_event::error, "Sched", name, "the policy it sent is not the one its cycle names; not kept");
    }
  }
  board_.self()->send(object, std::move(e));
}

}  // namespace annals::actors
