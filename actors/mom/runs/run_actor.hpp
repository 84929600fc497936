// One run on this host. The rules are in events/model/run/run.hpp; here their effects: the shepherd, signals, usage, delivery
// of output, and reports to the server until it acknowledges.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "actors/mom/mom_messages.hpp"
#include "actors/mom/runs/current_order.hpp"
#include "actors/mom/runs/roll_call.hpp"
#include "actors/mom/runs/start_lines.hpp"
#include "actors/runtime/effect_running_actor.hpp"
#include "actors/runtime/message_type.hpp"
#include "events/model/limits.hpp"
#include "events/model/run/run.hpp"
#include "hooks-runtime/chain/release.hpp"

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
  std::vector<model::run_effect> owed() override { return model::pending_effects(state(), waits()); }
  begun begin(const model::run_effect& effect) override;
  effect_time when(const model::run_effect& effect) const override;
  caf::message_handler other_handlers() override;

 private:
  struct beginner;  // one function per effect
  schema::StartRun::Reader order() const { return order_now().get().getStartRun(); }
  const schema::sealed<schema::ToMom>& order_now() const { return current_order_.of(state()); }
  start_lines lines() const { return {parts_, state(), waits()}; }
  model::run_waits waits() const;
  begun start();
  begun fetch_script();
  void carry_out(const model::told_request& request);
  void note_signal(const model::told_request& request) const;
  void when_acted(model::run_command c);  // given when the host has sent the signals and texts that it was asked for before
  void on_acted();
  void on_node_file(const node_file_written& w);
  bool node_file_is_new() const;  // it has what the run has, and no more
  void on_other_hosts_released();
  bool can_checkpoint() const;  // run_actor_checkpoint.cpp, and the four that follow
  void begin_checkpoint(std::uint64_t request);
  caf::message_handler checkpoint_handlers();
  bool put_restart(ports::run_order& program);
  void drop_checkpoint();
  void stage_in();  // run_actor_staging.cpp, and the three that follow
  void unstage();
  void place();
  void clean_up();
  void do_kill(const std::string& signal, const std::string& why);
  void report_again();  // everything the server has not acknowledged: run_actor_reports.cpp, and the four that follow
  void report_steps();
  void report_refused();
  void report_exited();
  void report_left();
  bool steps_are_out() const;  // the server has not all of them
  template <class List>
  void fill_abandoned(List&& list) const {
    const auto hosts = state().abandoned_hosts();
    for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
  }
  void fire(const model::wake& timer);
  std::int64_t rings_at(const model::wake& timer) const;
  void command(model::run_command c, reply_ptr reply = nullptr) {
    receive({std::move(c), {"pbs_mom", parts_.settings->host, schema::Role::MOM}, {}, std::move(reply), nullptr, {}, 0, {}, {}, true});
  }

  template <class Fill>
  void tell_server(Fill&& fill) { send(mom_, to_server{schema::make<schema::FromMom>(std::forward<Fill>(fill))}); }
  void fill_ref(schema::RunRef::Builder ref) const;
  template <class List>
  static void fill_hosts(const std::vector<model::host_usage>& from, List&& to) {
    for (unsigned i = 0; i < from.size(); ++i) model::write_host_usage(from[i], to[i]);
  }

  // -- hooks of this host (run_actor_hooks.cpp)
  at_hook_point at(hook_point point);
  bool hooks_allow(hook_point point);  // begin, prologue: whether they have; else it goes on when they do
  begun start_after_hooks();
  void take_word_of(hook_point_passed& p, std::vector<std::string> shown);  // shown: hosts that had failed, as the hooks were told
  bool prunes_by_itself();                                                  // of a job with rjselect: it goes on when that is on disk
  std::optional<model::planned_release> planned(const std::string& keep_select, const std::string& by,
                                                const std::vector<std::string>& failed, const hooks::line_taker& tell);
  void kill_if_allowed(const model::kill_program& request);
  void suspend_run();
  void resume_run(std::uint64_t request);
  bool closing_hooks_are_over();
  std::vector<model::usage_change> to_keep(std::vector<model::usage_change> set_by_hooks) const;
  void keep(std::vector<model::usage_change> set_by_hooks);
  bool abort_hooks_are_over();
  void tell_periodic_hooks(const model::usage_set& usage);

  // -- the hosts that it would keep, before its program (run_actor_presence.cpp)
  bool has_its_hosts();  // else it goes on when that is known, or is given up
  bool all_are_there();
  std::uint64_t moment() const;
  std::vector<std::string> failed_hosts() const;
  bool release_what_hooks_want();
  bool has_too_few();
  void give_up_start(const std::string& why, std::vector<schema::sealed<schema::HookRun>> runs = {});
  bool is_yet_to_start() const { return state().phase == model::run_phase::starting && !may_have_started_ && !handed_over_; }
  void lose_before_start(const std::string& host, const std::string& why) { command(model::sisters_absent{{host}, why}); }
  void hand_over(const ports::run_order& program);

  // -- tasks (run_actor_tasks.cpp)
  caf::message_handler task_handlers();
  void spawn(task_origin origin, std::string host, std::uint32_t node, std::vector<std::string> argv, std::vector<std::string> environment);
  void on_numbered(const task_origin& origin, std::uint32_t task, const std::string& error);
  void signal_task(task_origin origin, std::uint32_t task, int signal);
  void watch_end(task_origin origin, std::uint32_t task);
  task_answer all_tasks() const;
  void answer_find(const find_job& f);
  void settle_tasks();
  void settle_task(std::uint32_t number);
  void tell_taken(std::uint32_t task);
  void kill_task(std::uint32_t task);
  void spawn_on_host(std::uint32_t task);
  void on_task_state(schema::TaskState::Reader t, const std::string& host);
  void on_task_signalled(schema::TaskSignalled::Reader s);
  void on_ask(schema::Ask::Reader a, const std::string& host);
  void answer(const task_origin& to, task_answer what);

  // -- what tasks write and publish (run_actor_output.cpp)
  caf::message_handler output_handlers();
  void on_output(schema::TaskOutput::Reader o, const std::string& host);
  void on_output_taken(const task_output_taken& t);
  void append_next();
  void publish(const task_origin& origin, std::uint32_t task, const std::string& name, std::string value);
  void subscribe(const task_origin& origin, std::uint32_t task, const std::string& name);
  void describe_host(const task_origin& origin, const std::string& host);
  void on_described(schema::Described::Reader d);
  void forget(const task_origin& origin);
  void fail_subscribers_of(std::uint32_t task);
  void forget_askers_of(const std::string& host);
  void fail_questions_to(const std::string& host);

  // -- what it has used (run_actor_usage.cpp)
  struct contact;
  caf::message_handler usage_handlers();
  void tell_first_usage_soon();
  void poll(const poll_usage& p);
  std::optional<model::usage_set> own_usage() const;
  void tell_usage(const std::vector<model::host_usage>& hosts, model::usage_set total, std::uint64_t question);  // 0: nobody has asked
  void ask_usage(std::uint64_t question);
  bool may_have_used(const model::sister_state& s, const std::set<std::string_view>& with_tasks);
  void no_longer_asked(const std::string& host);
  void tell_usage_asked_for(std::uint64_t question);
  std::vector<model::host_usage> by_host(const model::usage_set& own) const;  // the primary first
  // With what was measured on this host: limits are not a matter of its hooks.
  model::usage_set measured_total(std::vector<model::host_usage> hosts, const model::usage_set& own) const;
  void take_usage(contact& from, const std::string& host, schema::HostUsage::Reader told);
  void note_words_not_shown(const std::vector<model::host_usage>& hosts);
  bool merges_words() const { return parts_.settings->config.used_strings == model::words_form::merge; }
  void keep_usage_of_sisters();  // for a life after this one

  // -- the other hosts (run_actor_sisters.cpp)
  struct contact {  // what this life of the process knows of a sister
    bool open = false;
    bool has_it = false;        // it has said over this link that the job is there
    std::uint32_t updated = 0;  // it knows of so many reductions, as it has told this life
    std::int64_t away_since_ns = 0;
    std::int64_t linked_ns = 0;  // when its link opened last; 0: never
    model::host_usage last;      // usage it told
    bool words_cut = false;      // and more words than a run may tell
  };
  contact& contact_of(const std::string& host);
  void on_sister_link(const sister_link& l);
  void on_sister_said(const schema::sealed<schema::FromSister>& message, const std::string& host);
  begun begin_on_sister(const std::string& host, const model::run_effect& effect);
  begun ask(const std::string& host);
  void release(const std::string& host);
  void tell_whether_suspended(const std::string& host);
  void tell_kill(const model::kill_on& kill);
  void signal_everywhere(int signal, schema::SignalPart::What what = schema::SignalPart::What::SIGNAL);  // every process on every host
  void signal_on(const std::string& host, int signal, schema::SignalPart::What what = schema::SignalPart::What::SIGNAL);
  void look_for_sisters(std::int64_t now_ns);  // that are out of reach
  bool hosts_are_updated();
  void note_updates_missed();
  bool waits_for_updates();  // that hosts have not taken yet, before the program
  std::int64_t join_alarm_s() const;
  std::int64_t launch_delay_s() const;
  template <class Fill>
  void tell_sister(const std::string& host, Fill&& fill) {
    send(mom_, to_sister{host, schema::make<schema::ToSister>(std::forward<Fill>(fill))});
  }

  mom_parts parts_;
  caf::actor mom_;
  values::run_key key_;
  bool revived_;                      // from the log, and nothing happened since
  std::int64_t born_ns_;              // when this life of the process began, of a run that it found in the log; 0: it did not
  std::int64_t asking_since_ns_ = 0;  // sisters to join, in this life; 0: none was asked
  current_order current_order_;
  bool update_wait_told_ = false, update_end_told_ = false;
  bool may_have_started_ = false;  // an earlier life, the program
  bool handed_over_ = false;       // this life: the host has it
  roll_call roll_call_;
  std::uint64_t waits_before_program_ = 0;  // so often something took its time while hosts could fail unseen
  // Hooks have asked for a release. It is kept until the hosts that stay have answered.
  struct wanted_release {
    model::hooks_done done;
    bool by_select;                  // they said what is to stay
    std::vector<std::string> shown;  // hosts that had failed, as they were told
  };
  std::optional<wanted_release> wanted_release_;
  bool launch_told_ = false, prune_told_ = false, given_up_told_ = false;  // in the log
  std::deque<model::run_command> acting_;                                  // to be given when the host has acted
  std::uint32_t node_file_ = 0;                                            // it was written in this life when the run was reduced so often
  std::optional<std::string> script_;
  hook_asker hooks_;
  std::optional<ports::run_order> launching_;  // as hooks left it, until their word is on disk
  model::usage_set told_;                      // last usage the server was told
  std::int64_t told_ns_ = 0;
  struct usage_question {
    std::uint64_t number = 0;       // 0: nobody asks
    std::set<std::string> missing;  // hosts that have not told theirs
  };
  usage_question usage_question_;
  // Resources and hosts of which the log says that their words can't be made one with others.
  std::set<std::pair<std::string, std::string>> words_not_shown_;
  std::map<std::string, contact> contacts_;           // by host
  std::set<std::uint32_t> open_tasks_;                // that were not over when they were looked at last
  std::uint32_t last_task_ = 0;                       // that was ever looked at
  std::map<std::uint32_t, task_origin> spawned_for_;  // by task
  std::vector<find_job> early_finds_;                 // of a program that was faster than the news of its start
  std::multimap<std::uint32_t, task_origin> watched_for_;
  struct asked_host {
    task_origin origin;
    std::string host;
  };
  std::map<std::uint64_t, asked_host> asked_hosts_;  // to signal a task, or what they are: by the question
  std::uint64_t last_question_ = 0;
  using stream_name = std::pair<std::uint32_t, bool>;  // a task's number; its errors
  struct piece {
    stream_name stream;
    std::uint64_t offset;
    std::string bytes;
  };
  std::map<std::uint32_t, task_origin> output_for_;    // by task, while whoever asked for its output is there
  std::map<stream_name, std::uint64_t> output_taken_;  // of each stream, so far
  std::deque<piece> to_append_;                        // to the job's files; the first is being written
  using published_name = std::pair<std::uint32_t, std::string>;
  std::map<published_name, std::string> published_;
  std::multimap<published_name, task_origin> subscribed_;
  std::size_t steps_noted_ = 0, steps_told_ = 0;
  std::uint32_t steps_taken_ = 0;  // the server has so many of state().steps
  std::uint32_t usage_interval_s_ = 10;
};

}  // namespace annals::actors

#define ANNALS_RUN_MESSAGES(MESSAGE)                            \
  MESSAGE(annals::actors::envelope<annals::model::run_command>) \
  MESSAGE(annals::schema::Ack::What)
ANNALS_RUN_MESSAGES(ANNALS_MESSAGE)  // compiled in mom_messages.cpp
