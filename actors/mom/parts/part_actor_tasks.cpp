// What tasks on a sister ask of their job: handed to the primary, answered when it answers; and what tasks wrote, on both
// its ways: from a task here to the primary, and from the primary to who asked here. actors/mom/tasks/task_interface.hpp.
#include <algorithm>

#include "actors/mom/parts/part_actor.hpp"

namespace annals::actors {

caf::message_handler part_actor::task_handlers() {
  return caf::message_handler{
      [this](const find_job& f) {
        job_found found{f.asker.question, caf::actor(this), {}, {}, 0, 0};
        if (state().phase != model::part_phase::ready) found.actor = nullptr;
        else describe_job(state().order(), *state().numbered, found);
        send(f.asker.who, std::move(found));
      },
      [this](const ask_spawn& a) {
        const auto question = ask_primary(a.asker, [&](schema::Ask::Builder b) {
          auto s = b.initSpawn();
          s.setOutput(a.output);
          s.setHost(a.host);
          s.setNode(a.node);
          auto argv = s.initArgv(static_cast<unsigned>(a.argv.size()));
          for (unsigned i = 0; i < a.argv.size(); ++i) argv.set(i, a.argv[i]);
          auto environment = s.initEnvironment(static_cast<unsigned>(a.environment.size()));
          for (unsigned i = 0; i < a.environment.size(); ++i) environment.set(i, a.environment[i]);
        });
        if (a.output) output_for_[question] = a.asker;
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
          auto a = host_failure(state().primary);
          a.question = asker.question;
          send(asker.who, std::move(a));
        }
        output_for_.clear();  // the primary has forgotten who wanted it
      },
  }
      .or_else(output_handlers());
}

caf::message_handler part_actor::output_handlers() {
  return {
      [this](const ask_publish& a) {
        ask_primary(a.asker, [&](schema::Ask::Builder b) {
          auto p = b.initPublish();
          p.setTask(a.task);
          p.setName(a.name);
          p.setValue({reinterpret_cast<const kj::byte*>(a.value.data()), a.value.size()});
        });
      },
      [this](const ask_subscribe& a) {
        ask_primary(a.asker, [&](schema::Ask::Builder b) {
          auto s = b.initSubscribe();
          s.setTask(a.task);
          s.setName(a.name);
        });
      },
      [this](const ask_host& a) { ask_primary(a.asker, [&](schema::Ask::Builder b) { b.setDescribe(a.host); }); },
      [this](const ask_forget& a) { forget(a.asker); },
      [this](const task_output_taken& t) {
        tell_primary([&](auto m) {
          auto o = m.initOutputTaken();
          fill_ref(o.initTask().initRef());
          o.getTask().setTask(t.task);
          o.setErrors(t.errors);
          o.setUpTo(t.up_to);
        });
      },
      [this](const task_grown& g) { output_.look(g.key.task); },
  };
}

void part_actor::forget(const task_asker& asker) {
  const auto same = [&](const auto& one) { return one.second.who == asker.who && one.second.question == asker.question; };
  for (auto* known : {&asked_, &output_for_})
    for (auto at = std::find_if(known->begin(), known->end(), same); at != known->end();
         at = std::find_if(known->begin(), known->end(), same)) {
      tell_ask(at->first, [](schema::Ask::Builder b) { b.setForget(); });
      known->erase(at);
    }
}

void part_actor::on_output(schema::TaskOutput::Reader o) {
  const auto at = output_for_.find(o.getQuestion());
  if (at == output_for_.end()) return tell_ask(o.getQuestion(), [](schema::Ask::Builder b) { b.setForget(); });
  send(at->second.who, task_output{at->second.question, o.getTask().getTask(), o.getErrors(), o.getOffset(), text_of(o.getBytes())});
}

void part_actor::on_output_taken(schema::OutputTaken::Reader t) {
  const auto number = t.getTask().getTask();
  output_.taken(number, t.getErrors(), t.getUpTo());
  reconcile();  // the end of the task waited for it, and a host that leaves
}

void part_actor::send_piece(const output_piece& piece) {
  tell_primary([&](auto m) {
    auto o = m.initOutput();
    fill_ref(o.initTask().initRef());
    o.getTask().setTask(piece.task);
    o.setErrors(piece.errors);
    o.setOffset(piece.offset);
    o.setBytes({reinterpret_cast<const kj::byte*>(piece.bytes.data()), piece.bytes.size()});
  });
}

void part_actor::on_answer(schema::Answer::Reader answer) {
  const auto asked = asked_.extract(answer.getQuestion());
  if (!asked) return;
  auto a = read_answer(answer);
  a.question = asked.mapped().question;
  send(asked.mapped().who, std::move(a));
}

}  // namespace annals::actors
