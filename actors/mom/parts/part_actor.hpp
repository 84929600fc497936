// A host's part of a run. The rules are in events/model/part/part.hpp; here their effects: places, tasks under their shepherds,
// signals, usage, and answers to the primary until it has them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "actors/mom/mom_messages.hpp"
#include "actors/mom/parts/part_output.hpp"
#include "actors/runtime/effect_running_actor.hpp"
#include "actors/runtime/message_type.hpp"
#include "events/model/usage.hpp"

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
  begun set_up();
  begun start(std::uint32_t task);
  bool is_attached(const ports::attached_session& session, std::uint32_t but) const;
  void say_running(std::uint32_t task);
  void tell_task(std::uint32_t task, schema::TaskState::Phase phase);
  void find_ended_tasks();
  void follow_output(std::uint32_t task);
  begun tear_down();
  void leave(bool refused);
  void on_request(const schema::sealed<schema::ToSister>& message);
  void signal_all(schema::SignalPart::Reader request);
  void signal_tasks(int signal);

  // -- hooks of this host (part_actor_hooks.cpp)
  at_hook_point at(hook_point point);
  bool hooks_allow(hook_point point);  // begin, prologue: whether they have; else it goes on when they do
  void refused(hook_point point, const hook_point_passed& p);
  begun say_prologue_over();
  void say_updated(std::uint32_t number);
  void resize(std::uint32_t number);
  void start_after_hooks(std::uint32_t task, ports::run_order order);
  void kill_if_allowed(int signal);
  void suspend_or_resume(bool suspend);
  bool closing_hooks_are_over();
  void tell_periodic_hooks();
  std::vector<model::usage_change> to_keep(std::vector<model::usage_change> set_by_hooks) const;
  void keep(std::vector<model::usage_change> set_by_hooks);

  void signal_one(schema::SignalTask::Reader request);
  caf::message_handler task_handlers();  // part_actor_tasks.cpp
  template <class Fill>
  std::uint64_t ask_primary(const task_asker& asker, Fill&& fill) {
    const auto question = ++last_question_;
    asked_[question] = asker;
    tell_ask(question, fill);
    return question;
  }
  template <class Fill>
  void tell_ask(std::uint64_t question, Fill&& fill) {
    tell_primary([&](auto m) {
      auto a = m.initAsk();
      fill_ref(a.initRef());
      a.setQuestion(question);
      fill(a);
    });
  }
  caf::message_handler output_handlers();
  void on_answer(schema::Answer::Reader answer);
  void on_output(schema::TaskOutput::Reader o);  // for an asker here
  void on_output_taken(schema::OutputTaken::Reader t);
  void forget(const task_asker& asker);
  void send_piece(const output_piece& piece);
  void repeat_to_primary();  // everything it may not have
  void poll(const poll_usage& p);
  void tell_server();
  model::host_usage usage_now();
  void tell_usage(const model::host_usage& now, std::uint64_t question);   // 0: the primary has not asked
  bool local() const { return state().primary == parts_.settings->host; }  // the program runs here too
  void command(model::part_command c, reply_ptr reply = nullptr) {
    receive({std::move(c), {"pbs_mom", parts_.settings->host, schema::Role::MOM}, {}, std::move(reply), nullptr, {}, 0, {}, {}, true});
  }

  template <class Fill>
  void tell_primary(Fill&& fill) { send(mom_, to_primary{state().primary, schema::make<schema::FromSister>(std::forward<Fill>(fill))}); }
  void fill_ref(schema::RunRef::Builder ref) const;

  mom_parts parts_;
  caf::actor mom_;
  values::run_key key_;
  hook_asker hooks_;
  bool prologue_asked_ = false;  // by the primary, in this life
  struct refusal {
    std::int32_t code;
    std::string text;
  };
  std::optional<refusal> prologue_refusal_;         // in this life
  std::uint32_t updates_noted_ = 0;                 // in this host's log, in this life
  std::optional<bool> suspended_;                   // as the primary said last in this life
  bool resize_asked_ = false;                       // hooks are asked at this moment
  std::set<std::uint32_t> open_tasks_;              // that had not ended when they were looked at last
  std::uint32_t last_task_ = 0;                     // that was ever looked at
  std::set<std::uint32_t> untaken_;                 // ended tasks that the primary may not have
  std::map<std::uint64_t, task_asker> asked_;       // by the question the primary was asked
  std::map<std::uint64_t, task_asker> output_for_;  // by the question that asked for a task and its output
  part_output output_;
  unsigned polls_ = 0;
  std::uint64_t last_question_ = 0;
  std::uint64_t signal_id_ = 0;  // the last request that was carried out
  ports::run_usage highest_;     // of memory: the sum over the tasks alive together, in any sample
  model::usage_set told_;
  std::int64_t told_ns_ = 0;
};

}  // namespace annals::actors

#define ANNALS_PART_MESSAGES(MESSAGE) \
  MESSAGE(annals::actors::envelope<annals::model::part_command>)
ANNALS_PART_MESSAGES(ANNALS_MESSAGE)  // compiled in mom_messages.cpp
