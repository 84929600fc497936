// What is done with a job by hand: signals and messages for its processes. Source: pbs guide, qsig, qmsg.
#include "events/attributes/ids.hpp"
#include "events/model/job_rules.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;

namespace {

// What must hold before a run can be told anything.
std::optional<rejection> cannot_tell(const job_state& job, const requester& by) {
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!may_act(job, by)) return refuse(pbs_error::unauthorized);
  if (!job.running()) return refuse(pbs_error::bad_state);
  if (job.wishes.size() >= limits::open_wishes_max)
    return refuse(pbs_error::try_again, "Please retry: the job's host has not taken " + std::to_string(limits::open_wishes_max) + " signals and messages");
  return std::nullopt;
}

bool is_suspension(std::string_view signal) {
  return signal == "suspend" || signal == "resume" || signal == "admin-suspend" || signal == "admin-resume";
}

}  // namespace

// Any name is taken, as by PBS: the host knows which signals it has.
outcome decide_signal(const job_state& job, schema::SignalJob::Reader command, const stamp& now, const site&) {
  if (auto why = cannot_tell(job, now.by)) return *why;
  if (is_suspension(schema::text(command.getSignal()))) return refuse(pbs_error::no_support);
  return std::vector<event>{make_event([&](auto e) {
    auto s = e.initJobSignalled();
    s.setRun(job.run);
    s.setWish(job.last_wish + 1);
    s.setSignal(command.getSignal());
  })};
}

outcome decide_message(const job_state& job, schema::MessageJob::Reader command, const stamp& now) {
  if (auto why = cannot_tell(job, now.by)) return *why;
  if (command.getText().size() > limits::message_bytes_max)
    return refuse(pbs_error::bad_value, "Illegal attribute or resource value: a message has at most " + std::to_string(limits::message_bytes_max) + " bytes");
  return std::vector<event>{make_event([&](auto e) {
    auto m = e.initJobMessaged();
    m.setRun(job.run);
    m.setWish(job.last_wish + 1);
    m.setText(command.getText());
    m.setToErrors(command.getToErrors());
    m.setToOutput(command.getToOutput());
  })};
}

}  // namespace annals::model
