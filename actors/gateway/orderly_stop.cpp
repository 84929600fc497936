#include "actors/gateway/orderly_stop.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

void orderly_stop::on_shutdown(schema::Shutdown::Reader how, const model::requester& by, const reply_ptr& reply) {
  if (auto why = model::stop_refusal(by)) return reply->refused(0, *why);
  const auto type = schema::str(how.getHow());
  const char* name = type == "quick" ? "Quick" : type == "immediate" ? "Immediate"
                                             : type == "delay"       ? "Delayed"
                                                                     : nullptr;
  if (!name) return reply->refused(0, model::refuse(pbs_error::no_support));
  const auto line = [&](const std::string& text) {
    board_.note(log_event::admin | log_event::system | log_event::debug, "Svr", "PBS_Server", text);
  };
  line("Shutdown request from " + by.at_host() + " ");
  line(std::string("Starting to shutdown the server, type is ") + name);
  ends_schedulers_ |= how.getSchedulers();
  ends_moms_ |= how.getMoms();
  if (type != "quick") return wind_up(type, by, reply);
  reply->done(board_.where().sequence(), "");
  stop(type);
}

// From the answer on nobody gets in, and no request that would change something goes on: neither one that comes nor one that has
// waited for hooks, an upload or groups (actor_registry::is_too_late).
void orderly_stop::wind_up(const std::string& how, const model::requester& by, const reply_ptr& reply) {
  auto then = board_.reply_then([this, reply](const model::rejection& why) {
    if (why.code != 0) return reply->refused(board_.where().sequence(), why);
    reply->done(board_.where().sequence(), "");
    if (board_.parts().refuse_clients) board_.parts().refuse_clients();
  });
  board_.self()->send(board_.server(), board_.wrap<model::server_command>(model::wind_up{how == "delay"}, by, std::move(then)));
}

void orderly_stop::stop(const std::string& how) {
  if (!ends_schedulers_) return end_moms(how);
  schedulers_.stop_all([this, how] { end_moms(how); });
}

// After the schedulers: those on other hosts are ended by their MoMs.
void orderly_stop::end_moms(const std::string& how) {
  if (!ends_moms_) return write_stop(how);
  moms_.stop_all([this, how] { write_stop(how); });
}

// The process ends whether or not the stop could be written: a full disk must not keep it.
void orderly_stop::write_stop(const std::string& how) {
  auto ended = board_.reply_then([this, how](const model::rejection&) { board_.parts().shut_down(how); });
  board_.self()->send(board_.server(),
                      board_.wrap<model::server_command>(model::server_down{how}, {"", board_.settings()->host_name, schema::Role::SERVER},
                                                         std::move(ended)));
}

}  // namespace annals::actors
