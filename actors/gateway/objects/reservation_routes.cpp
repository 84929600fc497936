#include "actors/gateway/objects/reservation_routes.hpp"

#include <caf/send.hpp>

#include "actors/server/replies.hpp"
#include "actors/sessions/reservation_waits.hpp"
#include "events/values/number.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

// With -I of less than 0 the reservation goes when the time is over, and that is the answer: it gets so many seconds more to come.
constexpr std::int64_t denial_wait_s = 10;

// For how long the command waits for an answer (-I), in seconds.
std::int64_t waits_for(capnp::List<schema::Attribute>::Reader asked) {
  for (auto a : asked) {
    if (a.getName() != "interactive") continue;
    const auto seconds = values::parse_integer(schema::text(a.getValue())).value_or(0);
    return seconds < 0 ? -seconds + denial_wait_s : seconds;
  }
  return 0;
}

// pbs_rsub --hosts and --job have no -I, and say that it is confirmed.
constexpr std::int64_t confirmed_wait_s = 10;

bool confirmed_at_once(const schema::sealed<schema::Request>& request) {
  if (!request.get().isSubmitReservation()) return false;
  const auto asked = request.get().getSubmitReservation();
  if (asked.getHosts().size() > 0) return true;
  for (auto a : asked.getAttributes())
    if (a.getName() == "reserve_job") return true;
  return false;
}

// Answers with the reservation's id and state, at once or through the query actor.
class answered final : public reply_to {
 public:
  // number: of a submission.
  answered(caf::actor status, reservation_wait wait, std::optional<std::uint64_t> number,
           std::function<void(const model::rejection&)> refused)
      : status_(std::move(status)), wait_(std::move(wait)), number_(number), refused_(std::move(refused)) {}
  void done(std::uint64_t sequence, const std::string& id) override {
    if (number_ && model::number_of(id) != *number_) refused_({});  // a repeat: the first one's answer
    using state = schema::ReservationAnswer::State;
    if (wait_.until_ns == 0)
      return wait_.to->send(
          reservation_reply(wait_.request_id, sequence, id, wait_.of_change ? state::ALTER_REQUESTED : state::UNCONFIRMED));
    wait_.id = id;
    wait_.min_sequence = sequence;
    caf::anon_send(status_, wait_);
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override {
    wait_.to->send(refusal_reply(wait_.request_id, sequence, why));
    if (refused_) refused_(why);
  }

 private:
  caf::actor status_;
  reservation_wait wait_;
  std::optional<std::uint64_t> number_;
  std::function<void(const model::rejection&)> refused_;
};

// The answer to a reaction's order.
class order_sink final : public reply_sink {
 public:
  order_sink(daemon_log* notes, std::string job, reply_ptr to) : notes_(notes), job_(std::move(job)), to_(std::move(to)) {}
  void send(const schema::sealed<schema::Reply>& reply) override {
    const auto r = reply.get();
    if (!r.isRejected()) return to_->done(r.getSequence(), "");
    const auto why = schema::str(r.getRejected().getText());
    if (notes_) notes_->write(log_event::debug | log_event::job, "Job", job_, "No reservation is made from the job: " + why);
    to_->refused(r.getSequence(), {r.getRejected().getCode(), why});
  }
  std::optional<std::size_t> unread_bytes() const override { return 0; }
  void give_up(const std::string& why) override { to_->refused(0, model::refuse(pbs_error::invalid_request, why)); }

 private:
  daemon_log* notes_;
  std::string job_;
  reply_ptr to_;
};

}  // namespace

reply_ptr reservation_routes::reply_for(const schema::sealed<schema::Request>& request, const sink_ptr& to,
                                        capnp::List<schema::Attribute>::Reader asked, std::optional<std::uint64_t> number,
                                        std::function<void(const model::rejection&)> refused) {
  reservation_wait wait;
  wait.to = to;
  wait.request_id = request.get().getId();
  wait.of_change = request.get().isAlterReservation();
  if (const auto seconds = confirmed_at_once(request) ? confirmed_wait_s : waits_for(asked); seconds > 0) {
    wait.since_ns = board_.parts().base.clock->now_ns();
    wait.until_ns = wait.since_ns + seconds * 1'000'000'000;
  }
  return std::make_shared<answered>(board_.parts().status, std::move(wait), number, std::move(refused));
}

void reservation_routes::submit(const wire::connection_ptr& peer, const schema::sealed<schema::Request>& request,
                                const model::requester& by, const sink_ptr& to) {
  reservation_for_job asked{request, by, peer->peer().group, to, board_.where().sequence(), board_.self()};
  bool needs_more = request.get().getSubmitReservation().getHosts().size() > 0;
  for (auto a : request.get().getSubmitReservation().getAttributes()) needs_more |= a.getName() == "qmove" || a.getName() == "reserve_job";
  if (needs_more) return board_.self()->send(board_.parts().status, std::move(asked));
  ask_hooks(asked);
}

void reservation_routes::submit_for_owner(std::uint64_t job, give_order& given) {
  const auto number = board_.where().job_number(job);
  if (!number) return given.reply->done(board_.where().sequence(), "");
  const auto id = board_.job_id(*number);
  const auto request = schema::make<schema::Request>([&](schema::Request::Builder r) {
    r.setCommandId({reinterpret_cast<const kj::byte*>(given.command_id.data()), given.command_id.size()});
    auto a = r.initSubmitReservation().initAttributes(1)[0];
    a.setName("reserve_job");
    a.setValue(id);
  });
  reservation_for_job asked{request,
                            board_.server_itself(),
                            {},
                            std::make_shared<order_sink>(board_.notes(), id, std::move(given.reply)),
                            board_.where().sequence(),
                            board_.self()};
  asked.cause = given.what->cause;
  board_.self()->send(board_.parts().status, std::move(asked));
}

void reservation_routes::submit_for_job(const reservation_for_job& known) {
  for_asker(known.to, [&] { ask_hooks(known); });
}

void reservation_routes::ask_hooks(const reservation_for_job& known) {
  hooks_.ask_reserve(known.request, known.by, reply_to_client(known.to, known.request.get().getId()),
                     [this, known](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
                       submit(allowed, known, std::move(runs));
                     });
}

// A rule is expanded by a helper, which may read a zone's file.
void reservation_routes::submit(const schema::sealed<schema::Request>& request, const reservation_for_job& known, hook_runs runs) {
  model::submit_reservation command{request, 0, known.group};
  command.of_job = known.job;
  command.hosts = known.hosts;
  if (!model::has_rule(request.get().getSubmitReservation())) return submit(std::move(command), known, std::move(runs));
  const model::stamp now{board_.parts().base.clock->now_ns(), known.by};
  const bool asked = board_.calendars().ask([this, command, known, now, settings = board_.settings(), runs = std::move(runs)]() mutable {
    if (auto what = model::recurrence_of(command, now, *settings)) command.reckoned = values::reckoned(std::move(*what));
    return [this, command, known, runs] { submit(command, known, runs); };
  });
  if (!asked)
    reply_to_client(known.to, request.get().getId())
        ->refused(0, {pbs_error::try_again, "Please retry: the rules of " + std::to_string(board_.calendars().waiting_max()) +
                                                " other reservations are being expanded"});
}

void reservation_routes::submit(model::submit_reservation command, const reservation_for_job& known, hook_runs runs) {
  const auto request = command.request;
  if (board_.is_too_late(request.get())) return board_.refuse(reply_to_client(known.to, request.get().getId()), pbs_error::server_down);
  const auto number = command.number = board_.next_number();
  auto reply = reply_for(
      request, known.to, request.get().getSubmitReservation().getAttributes(), number,
      [gateway = caf::actor(board_.self()), number](const model::rejection&) { caf::anon_send(gateway, reservation_refused{number}); });
  reply = hooks_.decided_with(std::move(reply), runs);
  auto e = board_.wrap<model::reservation_command>(std::move(command), request.get(), known.by, std::move(reply), std::move(runs));
  e.cause = known.cause;
  board_.self()->send(board_.new_reservation(number), std::move(e));
}

std::uint64_t reservation_routes::named(capnp::Text::Reader id) const {
  std::string_view name = schema::text(id);
  const auto dot = name.find('.');
  if (dot != std::string_view::npos && name.substr(dot + 1) != board_.settings()->server_name) return 0;
  const auto known = board_.where().reservations().find(name.substr(0, dot));
  return known == board_.where().reservations().end() ? 0 : known->second;
}

void reservation_routes::remove(const schema::sealed<schema::Request>& request, const model::requester& by, reply_ptr reply) {
  const auto known = named(request.get().getDeleteReservation().getReservation());
  if (known == 0) return unknown(reply, request.get().getDeleteReservation().getReservation());
  board_.self()->send(board_.reservation(known),
                      board_.wrap<model::reservation_command>(model::reservation_request{request}, request.get(), by, std::move(reply)));
}

void reservation_routes::unknown(const reply_ptr& reply, capnp::Text::Reader id) {
  board_.note(log_event::debug, "Resv", schema::text(id), "Unknown Reservation Id");
  board_.refuse(reply, pbs_error::unknown_reservation);
}

void reservation_routes::alter(const schema::sealed<schema::Request>& request, const model::requester& by, const sink_ptr& to) {
  const auto reply = reply_to_client(to, request.get().getId());
  const auto known = named(request.get().getAlterReservation().getReservation());
  if (known == 0) return unknown(reply, request.get().getAlterReservation().getReservation());
  const auto id = model::full_id(board_.where().reservation_states().at(known), board_.settings()->server_name);
  hooks_.ask_alter_reservation(request, id, by, reply, [this, by, to](const schema::sealed<schema::Request>& allowed, hook_runs runs) {
    alter(allowed, by, to, std::move(runs));
  });
}

void reservation_routes::alter(const schema::sealed<schema::Request>& request, const model::requester& by, const sink_ptr& to,
                               hook_runs runs) {
  if (board_.is_too_late(request.get())) return board_.refuse(reply_to_client(to, request.get().getId()), pbs_error::server_down);
  const auto asked = request.get().getAlterReservation();
  const auto note_refused = [notes = board_.notes(), id = schema::str(asked.getReservation()),
                             who = by.at_host()](const model::rejection& why) {
    if (notes && why.code == pbs_error::unauthorized)
      notes->write(log_event::security, "Resv", id,
                   "Unauthorized Request, request type: 91, Object: RESCRESV, Name: " + id + ", request from: " + who);
  };
  auto reply = reply_for(request, to, asked.getChanges(), {}, note_refused);
  const auto known = named(asked.getReservation());  // it may have ended meanwhile
  if (known == 0) return unknown(reply, asked.getReservation());
  reply = hooks_.decided_with(std::move(reply), runs);
  board_.self()->send(board_.reservation(known), board_.wrap<model::reservation_command>(model::reservation_request{request}, request.get(),
                                                                                         by, std::move(reply), std::move(runs)));
}

}  // namespace annals::actors
