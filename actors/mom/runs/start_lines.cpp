#include "actors/mom/runs/start_lines.hpp"

#include "events/values/duration.hpp"

namespace annals::actors {

using phase = model::run_phase;

namespace {
constexpr std::string_view borne_words = " as job is tolerant of node failures";
}

bool start_lines::asks_spare_chunks() const {
  for (auto a : run_.order.get().getStartRun().getAttributes())
    if (schema::text(a.getResource()) == "select_requested") return true;
  return false;
}

void start_lines::launch_delay(const std::string& when) const {
  if (asks_spare_chunks())
    note(log_event::debug2, "job reliable startup job_launch_delay=" + std::to_string(waits_.launch_delay_s) + " secs" + when);
}

// A failure that the job tolerates (RS-12 to RS-14): the lines of PBS, and one with the words of its design.
void start_lines::borne(schema::SisterStep::Reader failure) const {
  const auto host = schema::str(failure.getHost()), text = schema::str(failure.getText());
  if (run_.phase == phase::started) {
    note(log_event::error, "lost communication with " + host + ": " + text);
    return ignored(log_event::debug3, "lost communication with " + host);
  }
  note(log_event::job, model::start_error(failure));
  note(log_event::job, text);
  ignored(log_event::job, "error from " + host);
}

void start_lines::ignored(std::uint32_t level, const std::string& what) const {
  note(level, std::string("ignoring ").append(what).append(borne_words));
  note(log_event::debug, std::string("ignoring error").append(borne_words));
}

void start_lines::lost_link(const std::string& host) const {
  note(log_event::error, "im_eof, lost communication with " + host + ", not killing job yet");
  if (run_.bears_failures()) ignored(log_event::debug3, "lost communication with " + host);
}

void start_lines::failed(schema::SisterStep::Reader failure) const {
  if (run_.bears_failures()) return borne(failure);
  const auto text = schema::str(failure.getText());
  if (run_.active() || run_.phase == phase::ended)
    return note(log_event::error, "lost communication with " + schema::str(failure.getHost()) + ", killing job: " + text);
  note(log_event::job, model::start_error(failure));
  note(log_event::job, text);
}

void start_lines::left(schema::SisterLeft::Reader left) const {
  const auto host = schema::str(left.getHost());
  if (left.getAbandoned()) return note(log_event::error, host + " does not answer: the server will end what is left of the job there");
  const auto used = model::read_usage(left.getUsage());
  // RD-87: one that goes while the program runs
  const bool goes_on = run_.active();
  note(goes_on ? log_event::debug : log_event::debug2,
       host + (goes_on ? ";" : " ") + "cput=" + values::print_duration(static_cast<std::int64_t>(used.seconds("cput"))) +
           " mem=" + std::to_string(used.kb("mem")) + "kb");
}

// RS-95, RS-96
void start_lines::reduced(std::size_t number) const {
  const auto schedselect_of = [](auto attributes) -> std::optional<std::string> {
    for (auto a : attributes)
      if (schema::text(a.getName()) == "schedselect") return schema::str(a.getValue());
    return std::nullopt;
  };
  const auto ordered = run_.order.get().getStartRun();
  auto exec_vnode = schema::str(ordered.getExecVnode());
  auto schedselect = schedselect_of(ordered.getAttributes()).value_or("");
  for (std::size_t i = 0; i < number; ++i) {
    const auto step = run_.steps[i].get().getStep();
    if (!step.isAllocationReduced()) continue;
    exec_vnode = schema::str(step.getAllocationReduced().getExecVnode());
    schedselect = schedselect_of(step.getAllocationReduced().getChanges()).value_or(schedselect);
  }
  const auto reduced = run_.steps[number].get().getStep().getAllocationReduced();
  const auto now = schema::str(reduced.getExecVnode());
  if (run_.phase == phase::started) {  // pbs_release_nodes
    note(log_event::debug3, "execvnode=" + now);
    note(log_event::debug3, "schedselect=" + schedselect_of(reduced.getChanges()).value_or(schedselect));
    return note(log_event::job, "Job Modified at request of " + schema::str(ordered.getServerName()));
  }
  for (const auto& line :
       {"from exec_vnode=" + exec_vnode, "to exec_vnode=" + now, "to exec_node=" + now, "from schedselect=" + schedselect,
        "to schedselect=" + schedselect_of(reduced.getChanges()).value_or(schedselect)})
    note(log_event::job, "pruned " + line);
}

void start_lines::step(std::size_t number) const {
  using which = schema::RunEvent::Which;
  const auto step = run_.steps[number].get().getStep();
  switch (step.which()) {
    case which::SISTER_FAILED: return failed(step.getSisterFailed());
    case which::SISTER_LEFT: return left(step.getSisterLeft());
    case which::ALLOCATION_REDUCED: return reduced(number);
    case which::JOIN_WAIT_ENDED:
      return note(log_event::debug2, "sister_join_job_alarm wait time " + std::to_string(waits_.join_alarm_s) + " secs exceeded");
    case which::PROLOGUE_ASKED:
      if (!run_.bears_failures()) return;
      return note(log_event::debug3, "waiting up to " + std::to_string(waits_.launch_delay_s) +
                                         " secs ($job_launch_delay) for mom hosts status and prologue hooks ack");  // RS-63
    case which::LAUNCH_WAIT_ENDED:
      return note(log_event::debug2,
                  run_.tolerates == model::tolerance::none
                      ? "not all prologue hooks to sister moms completed"
                      : "not all prologue hooks to sister moms completed, but job will proceed to execute");  // RS-61
    case which::SISTERS_ASKED:
      if (run_.phase == phase::received && run_.bears_failures())  // RS-53
        note(log_event::debug,
             "job waiting up to " + std::to_string(waits_.join_alarm_s) + " secs ($sister_join_job_alarm) for all sister moms to join");
      return;
    default: return;
  }
}

}  // namespace annals::actors
