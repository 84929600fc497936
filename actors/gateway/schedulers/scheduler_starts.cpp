#include "actors/gateway/schedulers/scheduler_starts.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "actors/runtime/run_this.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/limits.hpp"
#include "events/model/scheduler/places.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"

namespace annals::actors {

namespace {

using outcome = ports::scheduler_start_result::outcome;

// The directories that a new scheduler object gets.
bool has_own_directories(const reactions::start_scheduler& what, const std::string& home) {
  if (what.name == "default") return what.priv == home + "/sched_priv";
  return what.priv == home + "/sched_priv_" + what.name && what.logs == home + "/sched_log_" + what.name;
}

const char* trouble_of(outcome what) {
  switch (what) {
    case outcome::no_priv: return "PBS failed validation checks for sched_priv directory";
    case outcome::no_logs: return "Unable to change the sched_log directory";
    case outcome::started:
    case outcome::unwanted:
    case outcome::runs_already:
    case outcome::failed: break;
  }
  return "";
}

// One that lives and waits before it looks for the server again comes at once (MS-88).
void call(const scheduler_hosting& how, const reactions::start_scheduler& what) {
  if (how.call && what.port != 0) how.call(what.host, what.port);
}

schema::sealed<schema::ToScheduler> stop_message() {
  return schema::make<schema::ToScheduler>([](schema::ToScheduler::Builder m) { m.setStop(); });
}

}  // namespace

scheduler_starts::scheduler_starts(actor_registry& board, mom_routes& moms)
    : board_(board), moms_(moms), helpers_(board.self(), "starts", limits::scheduler_starts_at_once, 0, board.parts().detached) {
  moms_.hear_failed_schedulers([this](const std::string& host, schema::SchedulerFailed::Reader f) { on_failed_elsewhere(host, f); });
}

// -- connections -------------------------------------------------------------------------------------------------------------

// One that was only cut off may have come while a helper waited for its place.
void scheduler_starts::came(const std::string& name, const wire::connection_ptr& peer) {
  here_[name] = peer;
  if (const auto at = starting_.find(name); at != starting_.end()) *at->second = false;
}

std::optional<std::string> scheduler_starts::went(const peer_closed& c) {
  const auto at = here_.find(c.peer->peer().name);
  if (at == here_.end() || at->second != c.peer) return std::nullopt;
  const bool was_told = told_to_end_.erase(at->first) > 0;
  here_.erase(at);
  look_whether_all_ended();
  return was_told ? std::string(model::told_to_end) : c.why;
}

// -- starts ------------------------------------------------------------------------------------------------------------------

void scheduler_starts::start(const reactions::start_scheduler& what, const reply_ptr& reply) {
  if (!board_.parts().schedulers.processes || ending_ || here_.contains(what.name)) return done(reply);
  if (what.elsewhere) start_elsewhere(what, reply);
  else start_here(what, reply);
}

void scheduler_starts::start_here(const reactions::start_scheduler& what, const reply_ptr& reply) {
  const auto wanted = std::make_shared<std::atomic<bool>>(true);
  if (!starting_.try_emplace(what.name, wanted).second) return done(reply);
  helpers_.ask_always([this, what, reply, wanted, how = board_.parts().schedulers, home = board_.settings()->home] {
    ports::scheduler_start_result result;
    call(how, what);
    try {
      result = how.processes->start({.name = what.name,
                                     .host = what.host,
                                     .certificate = how.certificate(what.name),
                                     .priv = what.priv,
                                     .logs = what.logs,
                                     .port = what.port,
                                     .own_directories = has_own_directories(what, home),
                                     .is_wanted = [wanted] { return wanted->load(); }});
    } catch (const std::exception& e) {
      result = {outcome::failed, e.what()};
    }
    return [this, what, reply, result] {
      starting_.erase(what.name);
      on_result(what, result);
      done(reply);
      if (ending_ && result.what == outcome::started) end_for_all(what.name, what.priv);
      else look_whether_all_ended();
    };
  });
}

void scheduler_starts::on_result(const reactions::start_scheduler& what, const ports::scheduler_start_result& result) {
  if (result.what == outcome::started || result.what == outcome::unwanted) return;  // it says hello, or somebody else did
  if (result.what != outcome::runs_already) return not_started(what.name, {result.text, trouble_of(result.what)});
  board_.note(log_event::debug | log_event::sched, "Sched", what.name, "its process runs already and is waited for");
}

void scheduler_starts::start_elsewhere(const reactions::start_scheduler& what, const reply_ptr& reply) {
  if (!moms_.is_here(what.host)) return reply->refused(board_.where().sequence(), model::refuse(values::pbs_error::no_scheduler));
  helpers_.ask_always([this, what, reply, how = board_.parts().schedulers] {
    std::string pem, trouble;
    call(how, what);
    try {
      pem = how.certificate(what.name);
    } catch (const std::exception& e) {
      trouble = e.what();
    }
    return [this, what, reply, pem, trouble] {
      if (!trouble.empty()) not_started(what.name, {trouble, {}});
      else if (!here_.contains(what.name) && !ending_) {
        asked_[what.name] = what.host;
        moms_.tell(what.host, schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
                     auto s = m.initStartScheduler();
                     s.setName(what.name);
                     s.setCertificate({reinterpret_cast<const kj::byte*>(pem.data()), pem.size()});
                     s.setPriv(what.priv);
                     s.setLogs(what.logs);
                     s.setPort(what.port);
                   }));
      }
      done(reply);
    };
  });
}

// Only a MoM that was asked for it knows anything of it.
void scheduler_starts::on_failed_elsewhere(const std::string& host, schema::SchedulerFailed::Reader failed) {
  const auto at = asked_.find(schema::str(failed.getName()));
  if (at == asked_.end() || at->second != host) return;
  const auto name = at->first;
  asked_.erase(at);
  not_started(name, {"on " + host + ": " + schema::str(failed.getText()), {}});
}

void scheduler_starts::not_started(const std::string& name, model::scheduler_not_started why) {
  const auto object = board_.scheduler(name);
  if (!object || here_.contains(name)) return;
  board_.self()->send(object, board_.wrap<model::scheduler_command>(std::move(why), board_.server_itself()));
}

// -- ends --------------------------------------------------------------------------------------------------------------------

bool scheduler_starts::tell_to_end(const std::string& name) {
  const auto at = here_.find(name);
  if (at == here_.end()) return false;
  told_to_end_.insert(name);
  at->second->send(stop_message());
  return true;
}

void scheduler_starts::end_here(const std::string& name, const std::string& priv, std::function<void()> then) {
  auto* processes = board_.parts().schedulers.processes;
  if (!processes || priv.empty()) return then();
  helpers_.ask_always([processes, name, priv, then = std::move(then)] {
    try {
      processes->stop(name, priv);
    } catch (const std::exception&) {}  // whether it is gone its connection says
    return then;
  });
}

void scheduler_starts::stop(const reactions::stop_scheduler& what, const reply_ptr& reply) {
  const bool told = tell_to_end(what.name);
  if (!what.elsewhere) return end_here(what.name, what.priv, [this, reply] { done(reply); });
  if (!told)
    moms_.tell(what.host, schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.setStopScheduler(what.name); }));
  done(reply);
}

void scheduler_starts::miss(const reactions::miss_scheduler& what, const reply_ptr& reply) {
  const auto object = board_.scheduler(what.name);
  if (!object || here_.contains(what.name)) return done(reply);
  board_.self()->send(object, board_.wrap<model::scheduler_command>(model::scheduler_gone{"no contact since the server's start"},
                                                                    board_.server_itself(), reply));
}

void scheduler_starts::stop_all(std::function<void()> then) {
  ending_ = true;
  for (const auto& [name, wanted] : starting_) *wanted = false;
  ended_all_ = std::move(then);
  ++ending_here_;  // until all are told
  for (const auto& entry : board_.where().schedulers_as_they_are()) {
    const auto& s = entry.second;
    const auto text = [&s](attributes::attribute_id id) { return std::string(s.attributes.get(id).value_or("")); };
    const bool told = tell_to_end(s.name);
    if (s.name != "default" && model::is_elsewhere(s, board_.settings()->host_name)) {
      const auto host = text(attributes::scheduler::sched_host);
      if (!told) moms_.tell(host, schema::make<schema::ToMom>([&](schema::ToMom::Builder m) { m.setStopScheduler(s.name); }));
      continue;
    }
    end_for_all(s.name, text(attributes::scheduler::sched_priv));
  }
  board_.self()->delayed_send(board_.self(), std::chrono::seconds(2 * limits::scheduler_end_s), run_this{[this] {
                                if (ended_all_) std::exchange(ended_all_, nullptr)();
                              }});
  --ending_here_;
  look_whether_all_ended();
}

void scheduler_starts::end_for_all(const std::string& name, const std::string& priv) {
  ++ending_here_;
  end_here(name, priv, [this] {
    --ending_here_;
    look_whether_all_ended();
  });
}

void scheduler_starts::look_whether_all_ended() {
  if (ended_all_ && ending_here_ == 0 && starting_.empty() && here_.empty()) std::exchange(ended_all_, nullptr)();
}

}  // namespace annals::actors
