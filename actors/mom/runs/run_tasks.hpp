// The tasks of a run: who asked for them, and what the hosts say of them. actors/mom/tasks/task_interface.hpp is the contract: whoever asks
// for something is answered by his question, on this host or through the part of the host that he is on.
#pragma once

#include <caf/message_handler.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/mom/runs/output_router.hpp"
#include "actors/mom/runs/published_values.hpp"
#include "actors/mom/runs/run_context.hpp"
#include "actors/mom/tasks/open_tasks.hpp"
#include "actors/mom/tasks/task_messages.hpp"

namespace annals::actors {

class run_tasks {
 public:
  /// reaches(host): whether there is a link to the host.
  run_tasks(const run_context& run, std::function<bool(const std::string& host)> reaches)
      : run_(run),
        reaches_(std::move(reaches)),
        output_(run),
        published_([this](const auto& to, auto what) { answer(to, std::move(what)); }) {}
  /// Requests of tasks of this host.
  caf::message_handler handlers();

  /// The state is another one: who waits for something that has happened hears of it.
  void on_change();
  /// Asks the task's host for it (model::spawn_task_on).
  void spawn_on_host(std::uint32_t task) const;

  // Messages of a sister about tasks. A host speaks only of its own.
  void on_task_state(schema::TaskState::Reader t, const std::string& host);
  void on_task_signalled(schema::TaskSignalled::Reader s);
  void on_described(schema::Described::Reader d);
  void on_ask(schema::Ask::Reader a, const std::string& host);
  void on_output(schema::TaskOutput::Reader o, const std::string& host) { output_.on_piece(read_piece(o), host); }
  void on_output_taken(schema::OutputTaken::Reader t) { output_.on_taken(read_taken(t)); }

  /// The host's MoM has told its askers that nothing will come.
  void forget_askers_of(const std::string& host);
  /// Whether the host has done what it was asked is not known any more.
  void fail_questions_to(const std::string& host);

 private:
  const model::run_state& state() const { return run_.state; }
  void answer_find(const find_job& f);
  void spawn(task_origin origin, std::string host, std::uint32_t node, std::vector<std::string> argv, std::vector<std::string> environment);
  void on_numbered(const task_origin& origin, std::uint32_t task, const std::string& error);
  void signal_task(task_origin origin, std::uint32_t task, int signal);
  void kill_task(std::uint32_t task) const;
  void watch_end(task_origin origin, std::uint32_t task);
  task_answer all_tasks() const;
  void subscribe(const task_origin& origin, std::uint32_t task, const std::string& name);
  void describe_host(const task_origin& origin, const std::string& host);
  void forget(const task_origin& origin);
  void settle_tasks();
  void settle_task(std::uint32_t number);
  void tell_taken(std::uint32_t task) const;
  void answer(const task_origin& to, task_answer what) const;

  const run_context& run_;
  std::function<bool(const std::string&)> reaches_;
  output_router output_;
  published_values published_;
  open_tasks open_tasks_;
  std::vector<find_job> early_finds_;                 // of a program that was faster than the news of its start
  std::map<std::uint32_t, task_origin> spawned_for_;  // by task
  std::multimap<std::uint32_t, task_origin> watched_for_;
  struct asked_host {
    task_origin origin;
    std::string host;
  };
  std::map<std::uint64_t, asked_host> asked_hosts_;  // to signal a task, or what they are: by the question
  std::uint64_t last_question_ = 0;
};

}  // namespace annals::actors
