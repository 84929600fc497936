// How far the start of a job on several hosts has come: shown behind the comment until its program runs, or will not.
#include "events/attributes/ids.hpp"
#include "events/model/job/rules.hpp"

namespace annals::model {

namespace ids = attributes::job;

namespace {

std::string text_of(const start_progress& p) {
  if (p.hosts == 0) return {};
  std::string text = "; " + std::to_string(p.joined) + " of " + std::to_string(p.hosts) + " hosts have joined";
  if (p.failed > 0) text += ", " + std::to_string(p.failed) + " failed";
  return text;
}

std::string without(const std::string& end, std::string_view comment) {
  return std::string(comment.ends_with(end) ? comment.substr(0, comment.size() - end.size()) : comment);
}

}  // namespace

void note_progress(job_state& job, schema::RunEvent::Reader step) {
  auto p = job.progress;
  if (step.isSistersAsked() && p.hosts == 0) p = {step.getSistersAsked().getHosts().size() + 1, 1, 0};
  if (step.isSisterJoined()) ++p.joined;
  if (step.isSisterFailed()) {
    ++p.failed;
    if (step.getSisterFailed().getWhat() == schema::SisterStep::StartStep::EXEC_PROLOGUE && p.joined > 0) --p.joined;
  }
  if (p == job.progress) return;
  const auto comment = without(text_of(job.progress), job.attribute(ids::comment));
  job.progress = p;
  if (!comment.empty()) job.attributes.set(ids::comment, comment + text_of(p));
}

void forget_progress(job_state& job) {
  if (job.progress.hosts == 0) return;
  if (const auto comment = without(text_of(job.progress), job.attribute(ids::comment)); !comment.empty())
    job.attributes.set(ids::comment, comment);
  job.progress = {};
}

}  // namespace annals::model
