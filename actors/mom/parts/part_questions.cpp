#include "actors/mom/parts/part_questions.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace annals::actors {

caf::message_handler part_questions::handlers() {
  return caf::message_handler{
      [this](const find_job& f) { answer_find(f); },
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
      [this](primary_is_gone) { on_primary_gone(); },
  }
      .or_else(value_handlers());
}

caf::message_handler part_questions::value_handlers() {
  return {
      [this](const ask_publish& a) {
        ask_primary(a.asker, [&](schema::Ask::Builder b) {
          auto p = b.initPublish();
          p.setTask(a.task);
          p.setName(a.name);
          p.setValue(data_of(a.value));
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
        part_.tell_primary([&](auto m) {
          auto o = m.initOutputTaken();
          part_.fill_ref(o.initTask().initRef());
          write_taken(t, o);
        });
      },
  };
}

void part_questions::answer_find(const find_job& f) const {
  job_found found{f.asker.question, caf::actor(part_.self), {}, {}, 0, 0};
  if (state().phase != model::part_phase::ready) found.actor = nullptr;
  else describe_job(state().order(), *state().numbered, found);
  caf::anon_send(f.asker.who, std::move(found));
}

// Whether the primary has done what it was asked is not known any more, and asking twice would do it twice.
void part_questions::on_primary_gone() {
  for (auto& [question, asker] : std::exchange(asked_, {})) {
    auto a = host_failure(state().primary);
    a.question = asker.question;
    caf::anon_send(asker.who, std::move(a));
  }
  output_for_.clear();  // the primary has forgotten who wanted it
}

void part_questions::forget(const task_asker& asker) {
  const auto same = [&](const auto& one) { return one.second == asker; };
  for (auto* known : {&asked_, &output_for_})
    for (auto at = std::find_if(known->begin(), known->end(), same); at != known->end();
         at = std::find_if(known->begin(), known->end(), same)) {
      tell_ask(at->first, [](schema::Ask::Builder b) { b.setForget(); });
      known->erase(at);
    }
}

void part_questions::on_output(schema::TaskOutput::Reader o) {
  const auto at = output_for_.find(o.getQuestion());
  if (at == output_for_.end()) return tell_ask(o.getQuestion(), [](schema::Ask::Builder b) { b.setForget(); });
  auto piece = read_piece(o);
  caf::anon_send(at->second.who, task_output{at->second.question, piece.task, piece.errors, piece.offset, std::move(piece.bytes)});
}

void part_questions::on_answer(schema::Answer::Reader answer) {
  const auto asked = asked_.extract(answer.getQuestion());
  if (!asked) return;
  auto a = read_answer(answer);
  a.question = asked.mapped().question;
  caf::anon_send(asked.mapped().who, std::move(a));
}

}  // namespace annals::actors
