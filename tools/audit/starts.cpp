#include "tools/audit/starts.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "events/model/exit_codes.hpp"
#include "events/values/exec_host.hpp"

namespace annals::audit {

namespace {

// Somebody has still to say whether it joins. The first host is never waited for: what it is asked for is its own tasks.
bool waits_for_hosts(const job_start& start) {
  if (start.asked_ns == 0 || start.join_over_ns != 0) return false;
  return std::any_of(start.hosts.begin(), start.hosts.end(),
                     [](const host_part& p) { return p.asked && p.joined_ns == 0 && !p.failure; });
}

bool bears(const job_start& start, failed_when when) {
  switch (start.tolerates.bears()) {
    case values::tolerance::none: return false;
    case values::tolerance::job_start: return when == failed_when::before_start;
    case values::tolerance::all: return when != failed_when::at_the_end;
  }
  return false;
}

bool somebody_else_is_to_blame(const job_start& start) {
  return std::any_of(start.hosts.begin(), start.hosts.end(), [](const host_part& p) {
    return p.failure && p.failure->when == failed_when::before_start && !p.failure->borne;
  });
}

}  // namespace

std::size_t job_start::borne() const {
  return static_cast<std::size_t>(
      std::count_if(hosts.begin(), hosts.end(), [](const host_part& p) { return p.failure && p.failure->borne; }));
}

std::size_t job_start::let_go() const {
  return static_cast<std::size_t>(std::count_if(hosts.begin(), hosts.end(), [](const host_part& p) { return p.let_go_ns != 0; }));
}

host_part* job_starts::other_host(std::string_view host) {
  auto& hosts = starts_.back().hosts;
  const auto at = std::find_if(hosts.begin(), hosts.end(), [&](const host_part& p) { return p.host == host; });
  return at == hosts.end() || at == hosts.begin() ? nullptr : &*at;
}

void job_starts::fail(host_part& part, host_failure failure) {
  if (part.failure) return;
  told_.push_back({part.host, starts_.back().run, failure});
  part.failure = std::move(failure);
}

void job_starts::take_changes(capnp::List<schema::Attribute>::Reader changes) {
  for (auto a : changes)
    tolerates_.take(schema::text(a.getName()), schema::text(a.getResource()),
                    a.getOp() == schema::AttributeOp::UNSET ? std::string_view() : schema::text(a.getValue()));
}

void job_starts::begin(const log::record& record) {
  const auto e = record.event().getJob().getAssigned();
  job_start start;
  start.run = e.getRun();
  start.assigned_ns = record.get().getWallNs();
  start.tolerates = tolerates_;
  for (auto host : e.getHosts()) start.hosts.push_back({.host = schema::str(host), .failure = {}});
  starts_.push_back(std::move(start));
  end_asked_ = forced_ = files_failed_ = false;
  session_ = 0;
}

void job_starts::take_started(const log::record& record) {
  auto& start = starts_.back();
  start.end = start_end::started;
  start.end_ns = record.get().getWallNs();
  session_ = record.event().getJob().getStarted().getSession();
}

// The host that said why is to blame: another one of the run, or else the first. Not for what was wanted, or is wrong with the job.
void job_starts::take_failed(const log::record& record) {
  const auto e = record.event().getJob().getStartFailed();
  auto& start = starts_.back();
  start.end = start_end::failed;
  start.end_ns = record.get().getWallNs();
  start.code = e.getCode();
  start.text = schema::str(e.getText());
  const bool no_host = end_asked_ || files_failed_ || e.getCode() == model::exit_script_lost || start.hosts.empty();
  if (!no_host && !somebody_else_is_to_blame(start))
    fail(start.hosts.front(), {failed_when::before_start, start.end_ns, start.code, start.text, false});
}

// What the first host did not report the server has concluded: it gave the run up. Then it also wrote down a start, without a session,
// if it knew of none.
void job_starts::take_exited(const log::record& record) {
  const auto e = record.event().getJob().getExited();
  auto& start = starts_.back();
  if (e.getReported()) {
    start.exit_status = e.getExitStatus();
    return;
  }
  const bool seen = session_ != 0;
  if (!seen) start.end = forced_ ? start_end::given_up : start_end::lost;
  else start.exit_status = e.getExitStatus();
  if (forced_ || start.hosts.empty()) return;
  fail(start.hosts.front(), {seen ? failed_when::while_running : failed_when::before_start, record.get().getWallNs(), e.getExitStatus(),
                             "the run was lost", false});
}

// The steps come in the order of the first host's log, but JobStarted may overtake them. A program starts when no host is waited for.
void job_starts::take_sister_failed(schema::SisterStep::Reader step, std::int64_t at_ns) {
  auto& start = starts_.back();
  const auto host = schema::text(step.getHost());
  auto* part = other_host(host);
  const bool in_prologue = step.getWhat() == schema::SisterStep::StartStep::EXEC_PROLOGUE;
  const bool before = start.end == start_end::on_its_way || in_prologue || (part && part->joined_ns == 0) || waits_for_hosts(start);
  const auto when = before ? failed_when::before_start : failed_when::while_running;
  host_failure failure{when, at_ns, step.getCode(), schema::str(step.getText()), false};
  if (part) {
    failure.borne = bears(start, when);
    fail(*part, std::move(failure));
  } else if (!start.hosts.empty() && start.hosts.front().host == host) {
    fail(start.hosts.front(), std::move(failure));  // its own tasks
  }
}

void job_starts::take_sister_left(schema::SisterLeft::Reader step, std::int64_t at_ns) {
  auto* part = other_host(schema::text(step.getHost()));
  if (!part) return;
  if (!step.getAbandoned()) part->left_ns = at_ns;
  else fail(*part, {failed_when::at_the_end, at_ns, 0, "the job was not gone from there in time", false});
}

void job_starts::take_reduced(schema::AllocationReduced::Reader step, std::int64_t at_ns) {
  const auto left = values::hosts_of(values::parse_exec_host(schema::text(step.getExecHost())).value_or(values::exec_host_spec{}));
  const std::unordered_set<std::string_view> kept(left.begin(), left.end());
  for (auto& part : starts_.back().hosts)
    if (part.let_go_ns == 0 && !kept.contains(part.host)) part.let_go_ns = at_ns;
}

void job_starts::take_step(schema::RunStep::Reader step) {
  const auto e = step.getStep();
  auto& start = starts_.back();
  if (e.isSistersAsked()) {
    for (auto host : e.getSistersAsked().getHosts())
      if (auto* part = other_host(schema::text(host))) {
        part->asked = true;
        if (start.asked_ns == 0) start.asked_ns = step.getAtNs();
      }
  } else if (e.isSisterJoined()) {
    if (auto* part = other_host(schema::text(e.getSisterJoined().getHost()))) part->joined_ns = step.getAtNs();
  } else if (e.isSisterReady()) {
    if (auto* part = other_host(schema::text(e.getSisterReady().getHost()))) part->prologue_ns = step.getAtNs();
  } else if (e.isJoinWaitEnded()) {
    start.join_over_ns = step.getAtNs();
  } else if (e.isSisterFailed()) {
    take_sister_failed(e.getSisterFailed(), step.getAtNs());
  } else if (e.isAllocationReduced()) {
    take_reduced(e.getAllocationReduced(), step.getAtNs());
  } else if (e.isSisterLeft()) {
    take_sister_left(e.getSisterLeft(), step.getAtNs());
  } else if (e.isFilesStagedIn()) {
    files_failed_ = !e.getFilesStagedIn().getOk();
  }
}

std::vector<told_failure> job_starts::fold(const log::record& record) {
  using which = schema::JobEvent::Which;
  if (!record.event().isJob()) return {};
  const auto event = record.event().getJob();
  switch (event.which()) {
    case which::QUEUED:
      id_ = schema::str(event.getQueued().getId());
      take_changes(event.getQueued().getAttributes());
      return {};
    case which::ALTERED: take_changes(event.getAltered().getChanges()); return {};
    case which::MOVED: take_changes(event.getMoved().getChanges()); return {};
    case which::ASSIGNED: begin(record); return {};
    case which::STARTED:
    case which::START_FAILED:
    case which::EXITED:
    case which::RUN_STEP:
    case which::DELETE_REQUESTED:
    case which::RERUN_REQUESTED: break;
    default: return {};
  }
  if (starts_.empty()) return {};  // its beginning is not in the log
  if (event.isStarted()) take_started(record);
  if (event.isStartFailed()) take_failed(record);
  if (event.isExited()) take_exited(record);
  if (event.isRunStep()) take_step(event.getRunStep());
  end_asked_ |= event.isDeleteRequested() || event.isRerunRequested();
  forced_ |= (event.isDeleteRequested() && event.getDeleteRequested().getForce()) ||
             (event.isRerunRequested() && event.getRerunRequested().getForce());
  return std::exchange(told_, {});
}

}  // namespace annals::audit
