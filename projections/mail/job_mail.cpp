// The table of a job's mails.
#include "projections/mail/job_mail.hpp"

#include "events/model/exit_codes.hpp"
#include "events/model/job/explained.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/job_id.hpp"
#include "projections/mail/mail_text.hpp"

namespace annals::projections {

using which = schema::JobEvent::Which;

namespace {

constexpr std::string_view default_points = "a";
constexpr mail_subject of_job{"JOB", "PBS Job Id: ", "Job Name:   "};
// pbs guide: JOB_EXEC_FAIL2, what was there before the program has failed, and another try would not help.
constexpr std::int32_t exit_not_started = -2;

struct occasion {
  const mailed_job& job;
  const model::event_place& at;
  schema::JobEvent::Reader event;
  const efficiency_teller& efficiency;
};

struct mail_rule {
  which event;
  char point;  // of Mail_Points; always: whatever they say
  bool (*applies)(const occasion&);
  std::string (*body)(const occasion&);
  std::string (*about)(const occasion&);
};
constexpr char always = '\0';

std::string the_job(const occasion& o) { return o.job.id; }
std::string its_subjob(const occasion& o) {
  auto id = values::parse_job_id(o.job.id).value_or(values::job_id{});
  id.form = values::id_form::subjob;
  id.indices = schema::str(o.event.getSubjobsAsked().getWaiting());
  return values::print(id);
}

bool any(const occasion&) { return true; }
bool begins_array(const occasion& o) { return !o.job.run_over; }
// As far as its user can tell: a hook that refused the run, or a MoM that never got it, is not told of.
bool had_begun(const occasion& o) {
  const auto code = o.event.getStartFailed().getCode();
  return (code == exit_not_started || code == model::exit_retry) && !o.job.provisions && o.job.missing_files_on.empty();
}
bool by_server(const occasion& o) { return o.at.by.role == schema::Role::SERVER; }  // it stops
// Nobody is told what he did himself.
bool by_other(const occasion& o) {
  return !by_server(o) && o.at.by.user != std::string_view(o.job.owner).substr(0, o.job.owner.find('@'));
}
bool for_itself(const occasion& o) {
  return by_other(o) && !o.job.goes_with_array && !o.event.getDeleteRequested().getNoMail();
}
// Of its subjobs one alone, which has not begun; several are not told of.
bool deletes_one(const occasion& o) {
  const auto e = o.event.getSubjobsAsked();
  return !e.getRerun() && !e.getNoMail() && e.getWaitingCount() == 1 && e.getIndices() == e.getWaiting() && by_other(o);
}
bool waits_for_files(const occasion& o) { return o.event.getRequeued().getWaitUntil() > 0; }
bool failed(const occasion& o) { return o.job.run_over && !o.job.deleted && o.event.getEnded().getExitStatus() < 0; }
bool terminated(const occasion& o) { return o.job.run_over && !failed(o) && !o.job.not_started; }
// Of an array somebody may have deleted all subjobs one by one: that has no reason.
bool never_ran(const occasion& o) {
  return !o.job.run_over && !o.job.deleted && (!o.job.is_array || o.event.getEnded().getReason().size() > 0);
}
bool undelivered(const occasion& o) { return !o.job.undelivered_from.empty(); }

std::string begun(const occasion&) { return "Begun execution"; }
std::string deletion(const occasion& o) { return "Job to be deleted at request of " + o.at.by.at_host(); }
std::string shutdown(const occasion&) { return "Aborted by PBS Server  on Server shutdown"; }
// PBS's own line comes first, then what the hosts say.
std::string files_missing(const occasion& o) {
  return "Stage In of files failed; job " + o.job.id + " will be tried again later" + o.job.told_of_files;
}
std::string files_undelivered(const occasion& o) {
  return "Post job file processing error; job " + o.job.id + " on host " + o.job.undelivered_from + o.job.told_of_files;
}
// Behind an empty line. The mail ends its last line itself.
std::string efficiency_lines(const occasion& o) {
  auto lines = o.efficiency ? o.efficiency() : std::string();
  if (lines.empty()) return lines;
  lines.pop_back();
  return "\n\n" + lines;
}
std::string end(const occasion& o) {
  const auto why = model::why_killed(schema::text(o.event.getEnded().getCommentSuffix()));
  return "Execution terminated\nExit_status=" + std::to_string(o.event.getEnded().getExitStatus()) +
         (why.empty() ? "" : '\n' + printable(why)) + o.job.usage + efficiency_lines(o);
}

// pbs guide: JOB_EXEC_KILL_NCPUS_BURST and what follows.
std::string_view exceeded(std::int32_t code) {
  constexpr std::string_view limits[] = {"walltime", "cput", "mem", "vmem", "ncpus (sum)", "ncpus (burst)"};
  return code >= -29 && code <= -24 ? limits[code + 29] : std::string_view();
}
std::string why_aborted(const occasion& o) {
  const auto code = o.event.getEnded().getExitStatus();
  std::string why = "Job cannot be executed";
  if (const auto resource = exceeded(code); !resource.empty()) why = "Job exceeded resource " + std::string(resource);
  if (code == model::exit_host_lost) return "Aborted by PBS Server \nJob lost with its host";
  return "Aborted by PBS Server \n" + why + "\nSee job standard error file";
}
std::string aborted(const occasion& o) {
  const auto reason = schema::str(o.event.getEnded().getReason());
  return "Aborted by PBS Server " + (reason.empty() ? "" : "\n" + reason);
}

// In the order in which they are sent.
constexpr mail_rule rules[] = {
    {which::STARTED, 'b', any, begun, the_job},
    {which::START_FAILED, 'b', had_begun, begun, the_job},
    {which::SUBJOB_BEGAN, 'b', begins_array, begun, the_job},
    {which::DELETE_REQUESTED, always, for_itself, deletion, the_job},
    {which::SUBJOBS_ASKED, always, deletes_one, deletion, its_subjob},
    {which::DELETE_REQUESTED, 'a', by_server, shutdown, the_job},
    {which::REQUEUED, 'a', waits_for_files, files_missing, the_job},
    {which::REQUEUED, 'a', undelivered, files_undelivered, the_job},
    {which::ENDED, 'e', terminated, end, the_job},
    {which::ENDED, 'a', failed, why_aborted, the_job},
    {which::ENDED, 'a', never_ran, aborted, the_job},
    {which::ENDED, 'a', undelivered, files_undelivered, the_job},
};

// Subjobs are told of where their array asks for it too (pbs guide: qsub -m j).
bool asks_for(const mailed_job& job, char point) {
  const auto has = [&](char p) { return job.points.find(p) != std::string::npos; };
  return point == always || (has(point) && (!values::is_subjob(job.number) || has('j')));
}

// "\nresources_used.cpupercent=0\n..."
std::string usage_lines(schema::Usage::Reader usage) {
  const auto told = model::read_usage(usage);
  std::string text;
  for (const auto& used : told.empty() ? model::measured_usage({}) : told)
    text += "\nresources_used." + std::string(used.resource) + '=' + printable(used.value);
  return text;
}

std::string lines_of_files(std::string_view text) {
  std::string lines;
  for (const auto& line : model::told_of_first_file(text)) (lines += '\n') += printable(line);
  return lines;
}

template <class Attribute>
void take_attribute(mailed_job& job, Attribute a, bool unset) {
  const auto name = schema::text(a.getName());
  const auto set = [&](std::string& to, std::string_view fallback) { to = unset ? std::string(fallback) : schema::str(a.getValue()); };
  if (name == "Mail_Points") set(job.points, default_points);
  if (name == "Mail_Users") set(job.users, "");
  if (name == "Job_Name") set(job.name, job.name);
}

void begin_run(mailed_job& job, schema::JobAssigned::Reader e) {
  job.usage.clear();
  job.undelivered_from.clear();
  job.missing_files_on.clear();
  job.told_of_files.clear();
  job.run_over = false;
  job.not_started = false;
  job.provisions = !model::vnodes_to_provision(schema::text(e.getExecVnode())).empty();
}

void queued(mailed_job& job, schema::JobQueued::Reader e) {
  job.id = schema::str(e.getId());
  job.number = e.getNumber();
  job.is_array = e.getIndices().size() > 0;
  job.owner = schema::str(e.getOwner());
  job.points = default_points;
  for (auto a : e.getAttributes()) take_attribute(job, a, false);
}

void altered(mailed_job& job, schema::AttributesChanged::Reader e) {
  for (auto c : e.getChanges()) {
    const bool unset = c.getOp() == schema::AttributeOp::UNSET;
    take_attribute(job, c, unset);
    if (unset && schema::text(c.getName()) == "prov_vnode") job.provisions = false;
  }
}

}  // namespace

void mails_of(const mailed_job& job, const model::event_place& at, schema::JobEvent::Reader event, const efficiency_teller& efficiency,
              const job_mail_taker& take) {
  const occasion o{job, at, event, efficiency};
  for (const auto& rule : rules) {
    if (rule.event != event.which() || !asks_for(job, rule.point) || !rule.applies(o)) continue;
    auto to = recipients(job.users, job.owner);
    auto text = mail_text(of_job, to, rule.about(o), job.name, rule.body(o));
    if (!to.empty()) take({std::move(to), std::move(text)});
  }
}

void apply(mailed_job& job, schema::JobEvent::Reader event, const model::event_place& at) {
  switch (event.which()) {
    case which::QUEUED: return queued(job, event.getQueued());
    case which::ALTERED: return altered(job, event.getAltered());
    case which::ASSIGNED: return begin_run(job, event.getAssigned());
    case which::START_FAILED:
      job.not_started = true;
      job.run_over = true;
      return;
    case which::SUBJOB_BEGAN: job.run_over = true; return;
    case which::RUN_STEP:
      if (const auto step = event.getRunStep().getStep(); step.isFilesStagedIn() && !step.getFilesStagedIn().getOk()) {
        job.missing_files_on = at.by.host;
        job.told_of_files = lines_of_files(schema::text(step.getFilesStagedIn().getText()));
      }
      return;
    case which::DELETE_REQUESTED: job.deleted |= at.by.role != schema::Role::SERVER; return;
    case which::EXITED:
      job.run_over = true;
      job.usage = usage_lines(event.getExited().getUsage());
      return;
    case which::OUTPUT_DELIVERED:
      if (event.getOutputDelivered().getOk()) return;
      job.undelivered_from = at.by.host;
      job.told_of_files = lines_of_files(schema::text(event.getOutputDelivered().getText()));
      return;
    case which::REQUEUED:
      job.run_over = false;
      job.usage.clear();
      job.undelivered_from.clear();
      job.told_of_files.clear();
      return;
    default: return;
  }
}

}  // namespace annals::projections
