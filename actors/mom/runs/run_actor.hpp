// One run on this host. The rules are in events/model/run/run.hpp; here their effects: the shepherd, signals, usage, delivery
// of output, and reports to the server until it acknowledges. The actor decides, applies, and hands each effect and each message to the
// class that it is about; those know the run by run_context.hpp.
#pragma once

#include <string>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/mom_messages.hpp"
#include "actors/mom/runs/program_start.hpp"
#include "actors/mom/runs/run_checkpoint.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/runs/run_reports.hpp"
#include "actors/mom/runs/run_requests.hpp"
#include "actors/mom/runs/run_sisters.hpp"
#include "actors/mom/runs/run_staging.hpp"
#include "actors/mom/runs/run_tasks.hpp"
#include "actors/mom/runs/run_timers.hpp"
#include "actors/mom/runs/start_hosts.hpp"
#include "actors/mom/runs/usage_collector.hpp"
#include "actors/runtime/effect_running_actor.hpp"
#include "actors/runtime/message_type.hpp"
#include "events/model/run/run.hpp"

namespace annals::actors {

struct run_aggregate {
  using state = model::run_state;
  using command = model::run_command;
  static model::outcome decide(const state& s, const command& c, const model::stamp& now, const model::settings& settings) {
    return model::decide(s, c, now, settings);
  }
  static void apply(state& s, const model::event_place& at, schema::Event::Reader e) { model::apply(s, at, e); }
};

// Compiled once, in run_actor.cpp.
extern template class event_sourced_actor<run_aggregate>;
extern template class effect_running_actor<run_aggregate, model::run_effect>;

class run_actor : public effect_running_actor<run_aggregate, model::run_effect> {
 public:
  run_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, values::run_key key, std::uint64_t stream,
            model::settings_ptr settings);

 protected:
  void on_change() override;
  std::vector<model::run_effect> owed() override { return model::pending_effects(state(), waits_here(run_.parts, state())); }
  begun begin(const model::run_effect& effect) override;
  effect_time when(const model::run_effect& effect) const override;
  caf::message_handler other_handlers() override;

 private:
  struct beginner;  // one function per effect
  run_context context_of(mom_parts parts, caf::actor mom, values::run_key key);
  job_hooks::owner hooks_owner();
  caf::message_handler server_handlers();
  void on_sister_link(const sister_link& l);
  void on_sister_said(const schema::sealed<schema::FromSister>& message, const std::string& host);
  void on_sister_is_gone(const std::string& host, schema::FromSister::Reader last_word);
  void poll(std::uint32_t report_interval_s);
  void fire(const model::wake& timer);
  bool closing_hooks_are_over();
  bool abort_hooks_are_over();
  void report_again();  // everything the server has not acknowledged
  void clean_up();

  run_context run_;
  bool revived_;                 // from the log, and nothing happened since
  job_hooks hooks_;              // of this host
  run_timers timers_;            // when waits end
  run_sisters sisters_;          // its other hosts
  run_tasks tasks_;              // programs beside its own, what they write and publish
  usage_collector usage_;        // what it has used, and its limits
  run_checkpoint checkpoint_;    // the site's script; the way back from it
  run_staging staging_;          // its files, before the program and after it
  start_hosts start_hosts_;      // who has to be there before the program
  program_start program_start_;  // hooks, script, hosts, shepherd
  run_requests requests_;        // what the server asks of it; its kill
  run_reports reports_;          // what the server is told of it
};

}  // namespace annals::actors

#define ANNALS_RUN_MESSAGES(MESSAGE)                            \
  MESSAGE(annals::actors::envelope<annals::model::run_command>) \
  MESSAGE(annals::schema::Ack::What)
ANNALS_RUN_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
