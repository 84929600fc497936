// What tasks on a sister ask of their job: handed to the primary, answered when it answers. actors/mom/task_interface.hpp.
#include "actors/mom/part_actor.hpp"

namespace annals::actors {

caf::message_handler part_actor::task_handlers() {
  return {
      [this](const find_job& f) {
        job_found found{f.asker.question, caf::actor(this), {}, {}};
        if (state().phase != model::part_phase::ready) found.actor = nullptr;
        else describe_job(state().order(), found);
        send(f.asker.who, std::move(found));
      },
      [this](const ask_spawn& a) {
        ask_primary(a.asker, [&](schema::Ask::Builder b) {
          auto s = b.initSpawn();
          s.setHost(a.host);
          s.setNode(a.node);
          auto argv = s.initArgv(static_cast<unsigned>(a.argv.size()));
          for (unsigned i = 0; i < a.argv.size(); ++i) argv.set(i, a.argv[i]);
          auto environment = s.initEnvironment(static_cast<unsigned>(a.environment.size()));
          for (unsigned i = 0; i < a.environment.size(); ++i) environment.set(i, a.environment[i]);
        });
      },
      [this](const ask_signal& a) {
        ask_primary(a.asker, [&](schema::Ask::Builder b) {
          auto s = b.initSignal();
          s.setTask(a.task);
          s.setSignal(a.signal);
        });
      },
      [this](const ask_tasks& a) { ask_primary(a.asker, [](schema::Ask::Builder b) { b.setTasks(); }); },
      [this](const ask_end& a) { ask_primary(a.asker, [&](schema::Ask::Builder b) { b.setWatch(a.task); }); },
      // Whether the primary has done what it was asked is not known any more, and asking twice would do it twice.
      [this](primary_is_gone) {
        for (auto& [question, asker] : std::exchange(asked_, {})) {
          auto a = task_failure("lost communication with " + state().primary);
          a.question = asker.question;
          send(asker.who, std::move(a));
        }
      },
  };
}

void part_actor::on_answer(schema::Answer::Reader answer) {
  const auto asked = asked_.extract(answer.getQuestion());
  if (!asked) return;
  auto a = read_answer(answer);
  a.question = asked.mapped().question;
  send(asked.mapped().who, std::move(a));
}

}  // namespace annals::actors
