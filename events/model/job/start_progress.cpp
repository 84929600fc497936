// How far the start of a job on several hosts has come: shown behind the comment until its program runs.
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

}  // namespace

void note_progress(job_state& job, schema::RunEvent::Reader step) {
  auto p = job.progress;
  if (step.isSistersAsked()) p = {step.getSistersAsked().getHosts().size() + 1, 1, 0};
  if (step.isSisterJoined()) ++p.joined;
  if (step.isSisterFailed()) ++p.failed;
  if (p == job.progress) return;
  std::string comment(job.attribute(ids::comment));
  if (const auto before = text_of(job.progress); comment.ends_with(before)) comment.resize(comment.size() - before.size());
  job.progress = p;
  if (!comment.empty()) job.attributes.set(ids::comment, comment + text_of(p));
}

}  // namespace annals::model
