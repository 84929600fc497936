// One run on this host. The rules are in events/model/run.hpp; here their effects: the shepherd, signals, usage, delivery
// of output, and reports to the server until it acknowledges.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "actors/mom/mom_messages.hpp"
#include "events/model/run.hpp"

namespace annals::actors {

struct run_aggregate {
  using state = model::run_state;
  using command = model::run_command;
  static constexpr schema::StreamKind kind = schema::StreamKind::RUN;
  static model::outcome decide(const state& s, const command& c, const model::stamp& now, const model::site& site) {
    return model::decide(s, c, now, site);
  }
  static void apply(state& s, const model::event_place& at, schema::Event::Reader e) { model::apply(s, at, e); }
};

class run_actor : public shell<run_aggregate> {
 public:
  run_actor(caf::actor_config& cfg, mom_parts parts, caf::actor mom, std::string key, std::uint64_t stream, model::site_ptr site);

 protected:
  void on_change() override;
  caf::message_handler more_handlers() override;

 private:
  schema::StartRun::Reader order() const { return state().order.get().getStartRun(); }
  void perform(const model::run_effect& effect);
  void start();
  void carry_out(const model::told_wish& wish);
  void stage_in();                                 // run_actor_staging.cpp, and the three that follow
  void unstage();
  void place();
  void clean_up();
  void do_kill(const model::kill_program& wish);
  void report();                                   // everything the server was not told, or has not acknowledged
  void report_again() {
    wishes_told_ = 0;
    steps_told_ = 0;
    did_.erase("want ticket");
    report();
  }
  void report_steps();
  void poll(const poll_usage& p);
  void command(model::run_command c) { receive({std::move(c), {"pbs_mom", parts_.settings->host, schema::Role::MOM}, {}, nullptr, nullptr, {}, 0, {}}); }
  bool once(const std::string& what) { return did_.insert(what).second; }

  template <class Fill>
  void tell_server(Fill&& fill) { send(mom_, to_server{schema::make<schema::FromMom>(std::forward<Fill>(fill))}); }
  void fill_ref(schema::RunRef::Builder ref) const;
  template <class List>
  static void fill_hosts(const std::vector<model::host_usage>& from, List&& to) {
    for (unsigned i = 0; i < from.size(); ++i) model::write_host_usage(from[i], to[i]);
  }

  // -- hooks of this host (run_actor_hooks.cpp)
  at_hook_point at(hook_point point);
  bool hooks_allow(hook_point point);              // begin, prologue: whether they have; else it goes on when they do
  void start_after_hooks(ports::run_order program);
  void kill_if_allowed(const model::kill_program& wish);
  void suspend();
  void resume(std::uint64_t wish);
  void place_after_hooks();
  bool abort_hooks_are_over();
  void tell_periodic_hooks(const ports::run_usage& usage);

  // -- tasks (run_actor_tasks.cpp)
  caf::message_handler task_handlers();
  void spawn(task_origin origin, std::string host, std::uint32_t node, std::vector<std::string> argv, std::vector<std::string> environment);
  void signal_task(task_origin origin, std::uint32_t task, int signal);
  void watch_end(task_origin origin, std::uint32_t task);
  task_answer all_tasks() const;
  void answer_find(const find_job& f);
  void settle_tasks();
  void settle_task(std::uint32_t number);
  void tell_taken(std::uint32_t task);
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
  void forget_askers_of(const std::string& host);
  void fail_questions_to(const std::string& host);

  // -- the other hosts (run_actor_sisters.cpp)
  struct contact {                                 // what this life of the process knows of a sister
    bool open = false;
    std::int64_t away_since_ns = 0;
    std::int64_t leaves_since_ns = 0;              // when it was asked first to leave; 0: it was not
    model::host_usage last;                        // usage it told
    std::uint64_t signalled = 0;                   // the last wish to kill that was sent over the link that is open
  };
  contact& contact_of(const std::string& host);
  void on_sister_link(const sister_link& l);
  void on_sister_said(const schema::sealed<schema::FromSister>& message, const std::string& host);
  void ask(const std::string& host);
  bool ticket_is_good();                           // else the server is asked for a fresh one
  void on_order_again(const order_again& o);
  void release(const std::string& host);
  void tell_kill(const std::string& host);
  void signal_everywhere(int signal, schema::SignalPart::What what = schema::SignalPart::What::SIGNAL);   // every process on every host
  void signal_on(const std::string& host, int signal, schema::SignalPart::What what = schema::SignalPart::What::SIGNAL);
  void pay_sister(const std::string& host);        // everything it is owed, over a new link
  void poll_sisters(std::int64_t now_ns);
  std::int64_t join_alarm_s() const;
  void note_step(const schema::Event::Reader& step) const;
  ports::run_usage with_sisters(ports::run_usage own) const;
  std::vector<model::host_usage> by_host(const ports::run_usage& own) const;
  void keep_usage_of_sisters();                    // for a life after this one
  template <class Fill>
  void tell_sister(const std::string& host, Fill&& fill) {
    send(mom_, to_sister{host, schema::make<schema::ToSister>(std::forward<Fill>(fill))});
  }

  mom_parts parts_;
  caf::actor mom_;
  std::string key_;
  bool revived_;                                   // from the log, and nothing happened since
  std::set<std::string> did_;                      // effects started in this life of the process
  std::set<schema::Ack::What> acknowledged_;
  std::optional<std::string> script_;
  hook_asker hooks_;
  std::optional<ports::run_order> launching_;      // until its hooks' word is on disk
  std::int64_t begun_ns_ = 0;                      // since when sisters can be asked: hooks were over, or a fresh ticket came; 0: at once
  schema::sealed<schema::ToMom> fresh_order_;      // with a ticket that lasts longer than the first; empty: there is none
  std::int64_t ticket_until_ns_ = 0;               // 0: not looked at yet
  bool wants_ticket_ = false;
  std::uint64_t wishes_told_ = 0;                  // the server knows that they are done
  ports::run_usage told_;                          // last usage the server was told
  std::int64_t told_ns_ = 0;
  std::map<std::string, contact> contacts_;        // by host
  std::set<std::uint32_t> open_tasks_;                         // that were not over when they were looked at last
  std::uint32_t last_task_ = 0;                                // that was ever looked at
  std::map<std::uint32_t, task_origin> spawned_for_;           // by task
  std::vector<find_job> early_finds_;              // of a program that was faster than the news of its start
  std::multimap<std::uint32_t, task_origin> watched_for_;
  struct asked_host { task_origin origin; std::string host; };
  std::map<std::uint64_t, asked_host> asked_hosts_;            // to signal a task, or what they are: by the question
  std::uint64_t last_question_ = 0;
  using stream_name = std::pair<std::uint32_t, bool>;          // a task's number; its errors
  struct piece { stream_name stream; std::uint64_t offset; std::string bytes; };
  std::map<std::uint32_t, task_origin> output_for_;            // by task, while whoever asked for its output is there
  std::map<stream_name, std::uint64_t> output_taken_;          // of each stream, so far
  std::deque<piece> to_append_;                                // to the job's files; the first is being written
  using published_name = std::pair<std::uint32_t, std::string>;
  std::map<published_name, std::string> published_;
  std::multimap<published_name, task_origin> subscribed_;
  std::size_t steps_noted_ = 0, steps_told_ = 0;
  std::uint32_t steps_taken_ = 0;                  // the server has so many of state().steps
  std::uint32_t usage_interval_s_ = 10;
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::envelope<annals::model::run_command>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::schema::Ack::What)
