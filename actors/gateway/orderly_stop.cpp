#include "actors/gateway/orderly_stop.hpp"

#include <caf/send.hpp>

#include <chrono>

namespace annals::actors {

namespace pbs_error = values::pbs_error;

namespace {

// The process ends whether or not the stop could be written: a full disk must not keep it.
class stopped_reply final : public reply_to {
 public:
  stopped_reply(std::function<void(const std::string&)> shut_down, std::string how) : shut_down_(std::move(shut_down)), how_(std::move(how)) {}
  void done(std::uint64_t, const std::string&) override { shut_down_(how_); }
  void refused(std::uint64_t, const model::rejection&) override { shut_down_(how_); }

 private:
  std::function<void(const std::string&)> shut_down_;
  std::string how_;
};

// A job's part in an orderly stop: noted in the log, or asked again.
class stop_reply final : public reply_to {
 public:
  stop_reply(caf::actor gateway, daemon_log* notes, std::uint64_t number, std::string id)
      : gateway_(std::move(gateway)), notes_(notes), number_(number), id_(std::move(id)) {}
  void done(std::uint64_t, const std::string& text) override {
    if (notes_ && !text.empty()) notes_->write(log_event::debug | log_event::job | log_event::system, "Job", id_, text);
  }
  void refused(std::uint64_t, const model::rejection&) override {
    caf::delayed_anon_send(gateway_, std::chrono::seconds(1), job_not_stopped{number_});
  }

 private:
  caf::actor gateway_;
  daemon_log* notes_;
  std::uint64_t number_;
  std::string id_;
};

}  // namespace

void orderly_stop::on_shutdown(schema::Shutdown::Reader how, const model::requester& by, const reply_ptr& reply) {
  if (!by.is_operator()) return reply->refused(0, model::refuse(pbs_error::unauthorized));
  const auto type = schema::str(how.getHow());
  const char* name = type == "quick" ? "Quick" : type == "immediate" ? "Immediate" : type == "delay" ? "Delayed" : nullptr;
  if (!name) return reply->refused(0, model::refuse(pbs_error::no_support));
  const auto line = [&](const std::string& text) {
    board_.note(log_event::admin | log_event::system | log_event::debug, "Svr", "PBS_Server", text);
  };
  line("Shutdown request from " + by.at_host() + " ");
  line(std::string("Starting to shutdown the server, type is ") + name);
  reply->done(board_.where().sequence(), "");
  if (type == "quick") stop(type);
  else wind_up(type);
}

void orderly_stop::wind_up(const std::string& how) {
  how_ = how;
  if (board_.parts().refuse_clients) board_.parts().refuse_clients();
  for (auto serial : board_.where().jobs_with_runs())
    if (const auto number = board_.where().job_number(serial)) stop_job(*number);
  stop_when_done();
}

void orderly_stop::stop_job(std::uint64_t number) {
  board_.tell_job(number, model::server_stops{how_ == "delay"}, {"", board_.site()->host_name, schema::Role::SERVER},
                  std::make_shared<stop_reply>(board_.self(), board_.parts().notes, number, board_.job_id(number)));
}

// Proposed before the stop, assigned after it.
void orderly_stop::on_committed(const log::record& record) {
  if (!winding_up() || !record.event().isJobAssigned()) return;
  if (const auto number = board_.where().job_number(record.get().getStream())) stop_job(*number);
}

void orderly_stop::stop_when_done() {
  if (winding_up() && !stopped_ && !board_.where().anything_runs()) stop(how_);
}

void orderly_stop::stop(const std::string& how) {
  stopped_ = true;
  auto ended = std::make_shared<stopped_reply>(board_.parts().shut_down, how);
  board_.self()->send(board_.server(), board_.wrap<model::server_command>(model::server_down{how}, {"", board_.site()->host_name, schema::Role::SERVER},
                                                                         std::move(ended)));
}

}  // namespace annals::actors
