#include "actors/gateway/order_routes.hpp"

#include <variant>

namespace annals::actors {

namespace {

// What a job answers to an order is a line of the server's log (qterm).
class noted_reply final : public reply_to {
 public:
  noted_reply(daemon_log* notes, std::string id, reply_ptr to) : notes_(notes), id_(std::move(id)), to_(std::move(to)) {}
  void done(std::uint64_t sequence, const std::string& text) override {
    if (notes_ && !text.empty()) notes_->write(log_event::debug | log_event::job | log_event::system, "Job", id_, text);
    to_->done(sequence, text);
  }
  void refused(std::uint64_t sequence, const model::rejection& why) override { to_->refused(sequence, why); }

 private:
  daemon_log* notes_;
  std::string id_;
  reply_ptr to_;
};

}  // namespace

void order_routes::on_orders(give_orders& given) {
  for (auto& one : given.orders) {
    const auto order = one.what;
    std::visit([&](const auto& what) { carry_out(what, one); }, order->what);
  }
  board_.send_to_rest();
}

// A job that is no more needs nothing.
void order_routes::carry_out(const reactions::tell_job& what, give_order& given) {
  const auto number = board_.where().job_number(what.serial);
  if (!number) return done(given.reply);
  auto reply = what.of_many ? crowd_.counted(std::move(given.reply))
                            : std::make_shared<noted_reply>(board_.parts().notes, board_.job_id(*number), std::move(given.reply));
  auto e = board_.wrap<model::job_command>(what.command, what.by, std::move(reply));
  e.command_id = std::move(given.command_id);
  e.cause = given.what->cause;
  if (what.of_many) return board_.tell_job_at_rest(*number, std::move(e));
  if (what.while_away.empty()) board_.tell_job(*number, std::move(e));
  else moms_.tell_job_while_away(what.while_away, *number, std::move(e));
}

void order_routes::carry_out(const reactions::run_looking_hooks& what, give_order& given) {
  if (!board_.parts().runner) return done(given.reply);  // a server without hooks
  hooks_.look_on(what, std::move(given.reply));
}

void order_routes::carry_out(const reactions::run_periodic_hook& what, give_order& given) {
  if (!board_.parts().runner) return done(given.reply);
  hooks_.run_periodic(what.hook, given.what->cause, std::move(given.reply));
}

void order_routes::carry_out(const reactions::run_provision_hook& what, give_order& given) {
  if (!board_.parts().runner) return done(given.reply);
  hooks_.provision(what, given.what->cause, std::move(given.reply));
}

// One that is no more needs nothing.
void order_routes::carry_out(const reactions::tell_vnode& what, give_order& given) {
  const auto host = board_.host_of(what.command.vnode);
  if (!host) return done(given.reply);
  auto e = board_.wrap<model::host_command>(what.command, what.by, std::move(given.reply));
  e.command_id = std::move(given.command_id);
  e.cause = given.what->cause;
  board_.self()->send(host, std::move(e));
}

void order_routes::carry_out(const reactions::discard_run& what, give_order& given) {
  moms_.discard({what.serial, what.run, what.job}, what.host);
  done(given.reply);
}

void order_routes::carry_out(const reactions::manage_object& what, give_order& given) {
  const auto send = [&](const caf::actor& to, auto envelope) {
    envelope.command_id = std::move(given.command_id);
    envelope.cause = given.what->cause;
    board_.self()->send(to, std::move(envelope));
  };
  const auto m = what.request.get().getManage();
  if (m.getKind() == schema::ObjectKind::SERVER)
    return send(board_.server(), board_.wrap<model::server_command>(what.request, what.by, std::move(given.reply)));
  if (m.getKind() == schema::ObjectKind::QUEUE) {
    if (auto queue = board_.queue(schema::str(m.getName()), m.getVerb() == schema::ManageVerb::CREATE))
      return send(queue, board_.wrap(what.request, what.by, std::move(given.reply)));
    return done(given.reply);
  }
  if (auto scheduler = board_.scheduler(schema::str(m.getName()), false))
    return send(scheduler, board_.wrap<model::scheduler_command>(what.request, what.by, std::move(given.reply)));
  done(given.reply);
}

void order_routes::carry_out(const reactions::tell_reservation& what, give_order& given) {
  const auto reservation = board_.reservation(what.serial);
  if (!reservation) return done(given.reply);
  auto e = board_.wrap(what.command, what.by, std::move(given.reply));
  e.command_id = std::move(given.command_id);
  e.cause = given.what->cause;
  board_.self()->send(reservation, std::move(e));
}

void order_routes::carry_out(const reactions::send_hooks&, give_order& given) {
  mom_hooks_.keep_up();
  done(given.reply);
}

void order_routes::carry_out(const reactions::end_server& what, give_order& given) {
  stopping_.stop(what.how);
  done(given.reply);
}

}  // namespace annals::actors
