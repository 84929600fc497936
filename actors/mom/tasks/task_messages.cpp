#include "actors/mom/tasks/task_messages.hpp"

#include "actors/mom/host/environment.hpp"
#include "actors/mom/host/start_order.hpp"
#include "events/schema/message.hpp"

namespace annals::actors {

void write_answer(const task_answer& from, schema::Answer::Builder to) {
  switch (from.what) {
    case task_answer::kind::done: return to.setDone();
    case task_answer::kind::failed: return to.setFailed(from.error);
    case task_answer::kind::spawned: return to.setSpawned(from.task);
    case task_answer::kind::over: return to.setOver(from.exit_status);
    case task_answer::kind::bytes: return to.setBytes(data_of(from.bytes));
    case task_answer::kind::tasks: break;
  }
  auto list = to.initTasks(static_cast<unsigned>(from.tasks.size()));
  for (unsigned i = 0; i < from.tasks.size(); ++i) {
    list[i].setTask(from.tasks[i].task);
    list[i].setHost(from.tasks[i].host);
    list[i].setNode(from.tasks[i].node);
    list[i].setOver(from.tasks[i].over);
    list[i].setExitStatus(from.tasks[i].exit_status);
  }
}

task_answer read_answer(schema::Answer::Reader from) {
  task_answer a;
  a.question = from.getQuestion();
  switch (from.which()) {
    case schema::Answer::DONE: break;
    case schema::Answer::FAILED:
      a = task_failure(schema::str(from.getFailed()));
      a.question = from.getQuestion();
      break;
    case schema::Answer::SPAWNED:
      a.what = task_answer::kind::spawned;
      a.task = from.getSpawned();
      break;
    case schema::Answer::OVER:
      a.what = task_answer::kind::over;
      a.exit_status = from.getOver();
      break;
    case schema::Answer::BYTES:
      a.what = task_answer::kind::bytes;
      a.bytes = text_of(from.getBytes());
      break;
    case schema::Answer::TASKS:
      a.what = task_answer::kind::tasks;
      for (auto t : from.getTasks())
        a.tasks.push_back({t.getTask(), schema::str(t.getHost()), t.getNode(), t.getOver(), t.getExitStatus()});
      break;
  }
  return a;
}

void write_piece(const output_piece& from, schema::TaskOutput::Builder to) {
  to.getTask().setTask(from.task);
  to.setErrors(from.errors);
  to.setOffset(from.offset);
  to.setBytes(data_of(from.bytes));
}

output_piece read_piece(schema::TaskOutput::Reader from) {
  return {from.getTask().getTask(), from.getErrors(), from.getOffset(), text_of(from.getBytes())};
}

void write_taken(const task_output_taken& from, schema::OutputTaken::Builder to) {
  to.getTask().setTask(from.task);
  to.setErrors(from.errors);
  to.setUpTo(from.up_to);
}

task_output_taken read_taken(schema::OutputTaken::Reader from) {
  return {from.getTask().getTask(), from.getErrors(), from.getUpTo()};
}

void describe_job(schema::StartRun::Reader order, const model::allocation& numbered, job_found& found) {
  found.user = schema::str(order.getEuser());
  found.job_serial = order.getRef().getJobSerial();
  found.run = order.getRef().getRun();
  const auto text = mom::node_file_text(numbered, mom::select_of(order, numbered));
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    found.nodes.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace annals::actors
