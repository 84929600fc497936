// A host's part of a run. The rules are in events/model/part/part.hpp; here their effects: places, tasks under their shepherds,
// signals, usage, and answers to the primary until it has them. The actor decides, applies, and hands each effect and each message to the
// class that it is about; those know the part by part_context.hpp.
#pragma once

#include <set>
#include <string>

#include "actors/mom/hooks/job_hooks.hpp"
#include "actors/mom/mom_messages.hpp"
#include "actors/mom/parts/part_context.hpp"
#include "actors/mom/parts/part_output.hpp"
#include "actors/mom/parts/part_questions.hpp"
#include "actors/mom/parts/part_signals.hpp"
#include "actors/mom/parts/part_start.hpp"
#include "actors/mom/parts/part_usage.hpp"
#include "actors/mom/tasks/open_tasks.hpp"
#include "actors/runtime/effect_running_actor.hpp"
#include "actors/runtime/message_type.hpp"

namespace annals::actors {

struct part_aggregate {
  using state = model::part_state;
  using command = model::part_command;
  static model::outcome decide(const state& s, const command& c, const model::stamp& now, const model::settings& settings) {
    return model::decide(s, c, now, settings);
  }
  static void apply(state& s, const model::event_place& at, schema::Event::Reader e) { model::apply(s, at, e); }
};

// Compiled once, in part_actor.cpp.
extern template class event_sourced_actor<part_aggregate>;
extern template class effect_running_actor<part_aggregate, model::part_effect>;

class part_actor : public effect_running_actor<part_aggregate, model::part_effect> {
 public:
  part_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, values::run_key key, std::uint64_t stream,
             model::settings_ptr settings);

 protected:
  void on_change() override;
  std::vector<model::part_effect> owed() override;
  begun begin(const model::part_effect& effect) override;
  effect_time when(const model::part_effect& effect) const override;
  caf::message_handler other_handlers() override;

 private:
  struct beginner;  // one function per effect
  part_context context_of(mom_parts parts, caf::actor mom, values::run_key key);
  job_hooks::owner hooks_owner();
  part_output::part output_of();
  bool local() const { return part_.local(); }  // the program runs here too
  void poll(const poll_usage& p);
  void on_discarded();
  void repeat_to_primary();  // everything it may not have

  // Requests of the primary.
  void on_request(const schema::sealed<schema::ToSister>& message);
  void on_leave(schema::LeaveJob::Reader order);
  void say_present(std::uint32_t question);
  void say_system(std::uint64_t question);

  // The host joins, follows the run, and leaves.
  begun set_up();
  void say_updated(std::uint32_t number);
  void resize(std::uint32_t number);
  begun tear_down();
  void leave(bool refused);
  bool closing_hooks_are_over();

  // Its tasks.
  void find_ended_tasks();
  begun say_running(std::uint32_t task);
  begun say_ended(std::uint32_t task);
  void tell_task(std::uint32_t task, schema::TaskState::Phase phase);
  void follow_output(std::uint32_t task);
  void send_piece(const output_piece& piece);

  part_context part_;
  job_hooks hooks_;           // of this host
  part_start start_;          // the way to its tasks
  part_signals signals_;      // what the primary signals
  part_usage usage_;          // what its tasks have used
  part_questions questions_;  // what its tasks ask of the job
  part_output output_;        // what its tasks write
  open_tasks open_tasks_;
  std::set<std::uint32_t> untaken_;  // ended tasks that the primary may not have
  std::uint32_t updates_noted_ = 0;  // in this host's log, in this life
  bool resize_asked_ = false;        // hooks are asked at this moment
  unsigned polls_ = 0;
};

}  // namespace annals::actors

#define ANNALS_PART_MESSAGES(MESSAGE) \
  MESSAGE(annals::actors::envelope<annals::model::part_command>)
ANNALS_PART_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
