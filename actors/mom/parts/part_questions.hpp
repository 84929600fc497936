// Questions that tasks on a sister ask of their job: handed to the primary, answered when it answers; and the output that they asked for,
// on its way from the primary to them. actors/mom/tasks/task_interface.hpp is the contract.
#pragma once

#include <caf/message_handler.hpp>

#include <cstdint>
#include <map>

#include "actors/mom/parts/part_context.hpp"
#include "actors/mom/tasks/task_messages.hpp"

namespace annals::actors {

class part_questions {
 public:
  explicit part_questions(const part_context& part) : part_(part) {}
  /// Requests of tasks of this host.
  caf::message_handler handlers();

  // From the primary, each for an asker here.
  void on_answer(schema::Answer::Reader answer);
  void on_output(schema::TaskOutput::Reader o);

 private:
  const model::part_state& state() const { return part_.state; }
  caf::message_handler value_handlers();
  void answer_find(const find_job& f) const;
  template <class Fill>
  std::uint64_t ask_primary(const task_asker& asker, Fill&& fill) {
    const auto question = ++last_question_;
    asked_[question] = asker;
    tell_ask(question, fill);
    return question;
  }
  template <class Fill>
  void tell_ask(std::uint64_t question, Fill&& fill) const {
    part_.tell_primary([&](auto m) {
      auto a = m.initAsk();
      part_.fill_ref(a.initRef());
      a.setQuestion(question);
      fill(a);
    });
  }
  void forget(const task_asker& asker);
  void on_primary_gone();

  const part_context& part_;
  std::map<std::uint64_t, task_asker> asked_;       // by the question the primary was asked
  std::map<std::uint64_t, task_asker> output_for_;  // by the question that asked for a task and its output
  std::uint64_t last_question_ = 0;
};

}  // namespace annals::actors
