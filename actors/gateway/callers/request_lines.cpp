#include "actors/gateway/callers/request_lines.hpp"

#include <string>

#include "events/values/pbs_error.hpp"

namespace annals::actors {

namespace {

namespace pbs_error = values::pbs_error;

unsigned type_of_stat(schema::ObjectKind kind) {
  switch (kind) {
    case schema::ObjectKind::JOB: return 19;
    case schema::ObjectKind::QUEUE: return 20;
    case schema::ObjectKind::SERVER: return 21;
    case schema::ObjectKind::NODE:
    case schema::ObjectKind::HOST: return 58;
    case schema::ObjectKind::RESERVATION: return 71;
    case schema::ObjectKind::SCHEDULER: return 81;
    case schema::ObjectKind::RESOURCE: return 82;
    case schema::ObjectKind::HOOK: return 83;
  }
  return 21;
}

// Whose owner or an operator must ask: the log says who else did.
struct object_asked_for {
  std::string_view cls, kind;
  std::string name;
};
std::optional<object_asked_for> object_of(schema::Request::Reader r) {
  const auto job = [](capnp::Text::Reader id) { return object_asked_for{"Job", "Job", schema::str(id)}; };
  switch (r.which()) {
    case schema::Request::ALTER_JOB: return job(r.getAlterJob().getJob());
    case schema::Request::HOLD_JOB: return job(r.getHoldJob().getJob());
    case schema::Request::RELEASE_JOB: return job(r.getReleaseJob().getJob());
    case schema::Request::DELETE_JOB: return job(r.getDeleteJob().getJob());
    case schema::Request::RERUN_JOB: return job(r.getRerunJob().getJob());
    case schema::Request::SIGNAL_JOB: return job(r.getSignalJob().getJob());
    case schema::Request::MOVE_JOB: return job(r.getMoveJob().getJob());
    case schema::Request::MESSAGE_JOB: return job(r.getMessageJob().getJob());
    case schema::Request::ORDER_JOBS: return job(r.getOrderJobs().getFirst());
    case schema::Request::RELEASE_NODES: return job(r.getReleaseNodes().getJob());
    case schema::Request::DELETE_RESERVATION:
      return object_asked_for{"Resv", "RESCRESV", schema::str(r.getDeleteReservation().getReservation())};
    case schema::Request::ALTER_RESERVATION:
      return object_asked_for{"Resv", "RESCRESV", schema::str(r.getAlterReservation().getReservation())};
    default: return std::nullopt;  // of the others PBS says only that they were refused
  }
}

class noting_sink final : public reply_sink {
 public:
  noting_sink(sink_ptr to, daemon_log& notes, unsigned type, std::optional<object_asked_for> object, std::string who)
      : to_(std::move(to)), notes_(notes), type_(type), object_(std::move(object)), who_(std::move(who)) {}

  void send(const schema::sealed<schema::Reply>& reply) override {
    if (reply.get().isRejected()) note(reply.get().getRejected());
    to_->send(reply);
  }
  std::optional<std::size_t> unread_bytes() const override { return to_->unread_bytes(); }
  void give_up(const std::string& why) override { to_->give_up(why); }
  void set_aside() override { to_->set_aside(); }

 private:
  void note(schema::Rejection::Reader why) {
    if (why.getUploadAgain() || why.hasDefaults()) return;  // the client mends it and asks again
    const auto type = std::to_string(type_);
    if (why.getCode() == pbs_error::unauthorized && object_) {
      notes_.write(log_event::security, object_->cls, object_->name,
                   "Unauthorized Request, request type: " + type + ", Object: " + std::string(object_->kind) + ", Name: " + object_->name +
                       ", request from: " + who_);
    }
    notes_.write(log_event::debug, "Req", "req_reject",
                 "Reject reply code=" + std::to_string(why.getCode()) + ", aux=0, type=" + type + ", from " + who_);
  }

  const sink_ptr to_;
  daemon_log& notes_;
  const unsigned type_;
  const std::optional<object_asked_for> object_;
  const std::string who_;
};

}  // namespace

std::optional<unsigned> request_type(schema::Request::Reader r) {
  switch (r.which()) {
    case schema::Request::HELLO: return 0;
    case schema::Request::QUEUE_JOB: return 1;
    case schema::Request::PUT_BLOB: return 3;
    case schema::Request::HOLD_JOB: return 7;
    case schema::Request::MANAGE:
    case schema::Request::EXPORT_HOOK: return 9;
    case schema::Request::MESSAGE_JOB: return 10;
    case schema::Request::ALTER_JOB: return 11;
    case schema::Request::MOVE_JOB: return 12;
    case schema::Request::RELEASE_JOB: return 13;
    case schema::Request::RERUN_JOB: return 14;
    case schema::Request::RUN_JOB: return 15;
    case schema::Request::SELECT_JOBS: return 16;
    case schema::Request::SHUTDOWN: return 17;
    case schema::Request::SIGNAL_JOB: return 18;
    case schema::Request::STAT: return type_of_stat(r.getStat().getKind());
    case schema::Request::ORDER_JOBS: return 50;
    case schema::Request::SUBMIT_RESERVATION: return 70;
    case schema::Request::DELETE_RESERVATION: return 72;
    case schema::Request::RELEASE_NODES: return 90;
    case schema::Request::ALTER_RESERVATION: return 91;
    case schema::Request::DELETE_JOB: return 100;
    case schema::Request::WAIT_JOB:
    case schema::Request::FAIRSHARE:
    case schema::Request::ATTACH_TERMINAL:
    case schema::Request::OFFER_TERMINAL:
    case schema::Request::TERMINAL: return std::nullopt;
  }
  return std::nullopt;
}

void note_received(daemon_log& notes, schema::Request::Reader request, const model::requester& by, std::uint64_t connection) {
  if (!notes.wants(log_event::debug2)) return;
  if (const auto type = request_type(request))
    notes.write_soon(log_event::debug2, "Req", {},
                     "Type " + std::to_string(*type) + " request received from " + by.at_host() + ", sock=" + std::to_string(connection));
}

sink_ptr noting_refusals(sink_ptr to, daemon_log& notes, schema::Request::Reader request, const model::requester& by) {
  const auto type = request_type(request);
  if (!type || !notes.wants(log_event::debug | log_event::security)) return to;
  return std::make_shared<noting_sink>(std::move(to), notes, *type, object_of(request), by.at_host());
}

}  // namespace annals::actors
