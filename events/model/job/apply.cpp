// What each event means to a job. Which may happen when stands in table.cpp, what a state still owes in effects.cpp.
#include "events/model/job/job.hpp"

#include <algorithm>
#include <array>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/model/job/explained.hpp"
#include "events/model/job/failed_starts.hpp"
#include "events/model/job/gathered_attributes.hpp"
#include "events/model/job/routing.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/usage.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/date_time.hpp"
#include "events/values/duration.hpp"
#include "events/values/hold_set.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"
#include "events/values/tolerance.hpp"

namespace annals::model {

namespace ids = attributes::job;
using which = schema::JobEvent::Which;
using phase = job_phase;

namespace {

std::uint8_t bits_of(capnp::List<schema::HoldType>::Reader holds) {
  std::uint8_t bits = 0;
  for (auto h : holds) bits |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(h));
  return bits;
}

// A usage takes the place of the one before as a whole.
void put_usage(job_state& job, const usage_set& usage) {
  job.attributes.erase_all(ids::resources_used);
  for (const auto& used : usage) job.attributes.set(ids::resources_used, used.resource, used.value);
}

void add_request(job_state& job, run_request request) {
  ANNALS_INVARIANT(request.id == job.last_request + 1, "what is asked of a run is numbered without gaps");
  job.last_request = request.id;
  job.requests.push_back(std::move(request));
}

// What is asked of a run ends with it, and so does what keeps it stopped.
void forget_requests(job_state& job) {
  job.requests.clear();
  job.last_request = 0;
  job.busy_hosts.clear();
}

void on_load(job_state& job, schema::JobSignalled::Reader e) {
  const auto host = schema::str(e.getLoadHost());
  const auto at = std::ranges::lower_bound(job.busy_hosts, host);
  if (e.getStopped()) job.busy_hosts.insert(at, host);
  else std::erase(job.busy_hosts, host);
  const auto what = e.getStopped() ? run_request::kind::suspend : run_request::kind::resume;
  if (e.getRequest() != 0) add_request(job, {e.getRequest(), what, {}, false, false});
}

// One attribute as the event has it; its row, nullptr for a name that no longer exists.
const attributes::attribute* take_change(job_state& job, schema::Attribute::Reader change) {
  const auto* row = attributes::find(schema::ObjectKind::JOB, schema::text(change.getName()));
  if (!row) return nullptr;
  const auto resource = schema::text(change.getResource());
  const auto op = change.getOp();
  if (op == schema::AttributeOp::INCREMENT || op == schema::AttributeOp::DECREMENT) {
    ANNALS_INVARIANT(row->id == ids::depend, "only entries of depend come and go");
    change_depend(job, change);
  } else if (op == schema::AttributeOp::UNSET) job.attributes.erase(row->id, resource);
  else job.attributes.set(row->id, resource, schema::text(change.getValue()));
  return row;
}

// What a suspended job has again, or has lost with its run.
void forget_suspension(job_state& job) {
  job.released.clear();
  job.released_partly = job.admin_suspended = job.resume_wanted = false;
  job.attributes.erase(ids::resources_released);
  job.attributes.erase_all(ids::resource_released_list);
}

void on_suspended(job_state& job, schema::JobSuspended::Reader e) {
  if (e.getRequest() != 0) add_request(job, {e.getRequest(), run_request::kind::suspend, {}, false, false});
  job.admin_suspended = e.getAdmin();
}

std::string words_of_run(std::int64_t since_s, std::string_view exec_vnode) {
  return "Job run at " + values::print_comment_date(since_s) + " on " + std::string(exec_vnode);
}

// Meanwhile cycles may have said why it waits.
void on_resumed(job_state& job, const event_place& at, schema::JobResumed::Reader e) {
  if (e.getRequest() != 0) add_request(job, {e.getRequest(), run_request::kind::resume, {}, false, false});
  if (!job.resume_wanted) return;
  job.attributes.set(ids::comment, words_of_run(at.seconds(), job.attribute(ids::exec_vnode)));
}

// What a suspended job gives up until it goes on: it stays allocated to the run.
void on_given_up(job_state& job, schema::VnodesReleased::Reader e) {
  job.released = schema::str(e.getExecVnode());
  job.released_partly = e.getAmountsOnly();
  if (!job.released_partly) return;
  job.attributes.set(ids::resources_released, job.released);
  amounts sum;
  for (const auto& part : parts_of(job.released)) sum.add(part.asked, +1);
  for (const auto& [resource, a] : sum) job.attributes.set(ids::resource_released_list, resource, a.print());
}

void on_moved(job_state& job, const event_place& at, schema::JobMoved::Reader e) {
  for (auto change : e.getChanges()) take_change(job, change);
  job.queue_rank = e.getQueueRank();
  job.attributes.set(ids::queue, schema::text(e.getQueue()));
  set_number(job, ids::queue_rank, job.queue_rank);
  set_number(job, ids::qtime, at.seconds());
}

// Returns what the comment said of the start; empty if the job was not started.
std::string words_of_start(const job_state& job) {
  if (job.array) return job.array->began;
  if (job.stage_in == job_stage_in::coming || job.stage_in == job_stage_in::failed) return {};
  const auto since = values::parse_integer(job.attribute(ids::stime));
  const auto exec_vnode = job.attribute(ids::exec_vnode);
  return since && !exec_vnode.empty() ? words_of_run(*since, exec_vnode) : std::string();
}

// How it ended stands behind how it was started, also when meanwhile a hold took its words away. Only of a deletion nothing is said
// where the comment is empty, as in PBS: who deleted the job knows why.
void add_to_comment(job_state& job, std::string_view suffix) {
  forget_progress(job);
  if (suffix.empty()) return;
  std::string words(job.attribute(ids::comment));
  if (words.empty() && suffix.starts_with(" and terminated")) return;
  if (words.empty() || words.starts_with("Job held by "))
    if (auto start = words_of_start(job); !start.empty()) words = std::move(start);
  if (!words.empty()) job.attributes.set(ids::comment, words + std::string(suffix));
}

void set_or_clear_comment(job_state& job, std::string_view text) {
  if (!text.empty()) job.attributes.set(ids::comment, text);
}

// -- what each event means, one function each ----------------------------------------------------------------------------

void put_queued_defaults(job_state& job) {
  for (const auto& [id, value] : queued_defaults)
    if (!job.attributes.has(id)) job.attributes.set(id, value);
}

void on_queued(job_state& job, const event_place& at, schema::JobQueued::Reader e) {
  job.serial = at.stream;
  job.number = e.getNumber();
  job.id = schema::str(e.getId());
  job.holds = bits_of(e.getHolds());
  job.execution_time = e.getExecutionTime();
  job.wait_over = job.execution_time == 0;
  job.queue_rank = e.getQueueRank();
  const auto hash = e.getScript().getHash();
  job.script_hash.assign(reinterpret_cast<const char*>(hash.begin()), hash.size());
  job.script_size = e.getScript().getSize();
  job.run = e.getRuns();
  if (const auto indices = values::parse_index_range(schema::text(e.getIndices()))) {
    const auto all = values::index_set::all(*indices), none = values::index_set(*indices);
    job.array = array_state{.remaining = all, .running = {}, .begun = {}, .failed = none, .deleting = none, .began = {}};
  }

  const auto now = std::to_string(at.seconds()), rank = std::to_string(job.queue_rank), waits_for = std::to_string(job.execution_time);
  gathered_attributes all;
  all.put(ids::queue_type, "E");  // unless the event says otherwise
  all.put(ids::etime, now);       // the same; refresh_shown takes it from a job that is not eligible
  const auto asked = e.getAttributes();
  for (unsigned i = 0; i < asked.size(); ++i)
    all.put(i, schema::text(asked[i].getName()), schema::text(asked[i].getResource()), schema::text(asked[i].getValue()));
  all.put(ids::Job_Owner, schema::text(e.getOwner()));
  all.put(ids::euser, schema::text(e.getEuser()));
  all.put(ids::egroup, schema::text(e.getEgroup()));
  all.put(ids::queue, schema::text(e.getQueue()));
  all.put(ids::queue_rank, rank);
  if (!job.is_subjob()) {  // a subjob's are those of its array
    all.put(ids::ctime, now);
    all.put(ids::qtime, now);
  }
  // What refresh() sets has its place already.
  all.put(ids::job_state, "H");
  all.put(ids::substate, "20");
  all.put(ids::Hold_Types, "n");
  all.put(ids::mtime, now);
  if (job.execution_time != 0) all.put(ids::Execution_Time, waits_for);
  if (const auto dot = job.id.find('.'); dot != std::string::npos) all.put(ids::server, std::string_view(job.id).substr(dot + 1));
  job.attributes = all.pack();
}

void tell_altered(job_state& job, schema::AttributesChanged::Reader e) {
  if (e.getRequest() == 0) return;
  run_request told{e.getRequest(), run_request::kind::alter, {}, false, false};
  for (auto change : e.getChanges())
    if (concerns_run(schema::text(change.getName()))) told.changes.push_back(read_change(change));
  add_request(job, std::move(told));
}

void on_altered(job_state& job, const event_place& at, schema::AttributesChanged::Reader e) {
  tell_altered(job, e);
  for (auto change : e.getChanges()) {
    const auto* row = take_change(job, change);
    if (!row) continue;
    if (row->id == ids::Resource_List && job.has_phases()) alter_original(job, change);
    keep_altered_walltime(job, change);
    if (row->id == ids::Execution_Time) {
      job.stage_in = job_stage_in::none;  // what it waits for is another thing now
      const auto wanted =
          change.getOp() == schema::AttributeOp::UNSET ? 0 : values::parse_integer(schema::text(change.getValue())).value_or(0);
      job.execution_time = wanted > at.seconds() ? wanted : 0;  // a past time takes it away (pbs guide: Execution_Time)
      job.wait_over = job.execution_time == 0;
      if (job.wait_over) job.attributes.erase(row->id);
    } else if (row->id == ids::Hold_Types) {
      job.holds = values::parse_hold_set(schema::text(change.getValue())).value_or(values::hold_set{}).bits;
    }
  }
  put_queued_defaults(job);
}

// Starts so far; a start whose files could not be staged in is none.
bool says_that_it_bears(const job_state& job) {
  values::tolerance_words words;
  for (const auto& [attribute, resource] : values::tolerance_words::names)
    if (const auto* row = attributes::find(schema::ObjectKind::JOB, attribute))
      words.take(attribute, resource, job.attribute(row->id, resource));
  return words.bears() != values::tolerance::none;
}

void on_assigned(job_state& job, const event_place& at, schema::JobAssigned::Reader e) {
  ANNALS_INVARIANT(e.getRun() == job.run + 1, "a job's runs are numbered without gaps");
  ANNALS_INVARIANT(job.allocated.empty(), "a job is assigned only when it holds nothing");
  job.run = e.getRun();
  job.hosts.clear();
  for (auto h : e.getHosts()) job.hosts.push_back(schema::str(h));
  job.allocated = {schema::text(e.getExecVnode()), schema::text(e.getExecHost()), job.hosts, schema::text(e.getPlace())};
  job.used = {};
  job.asked.clear();
  job.unheard.clear();
  job.rests_until_ns = 0;
  job.primary_abandoned = false;
  job.bears_failures = says_that_it_bears(job);
  job.steps = 0;
  job.progress = {};
  job.explained.clear();
  job.stage_in = job.attributes.has(ids::stagein) ? job_stage_in::coming : job_stage_in::none;
  job.usage_known = job.exited = job.can_checkpoint = false;
  forget_requests(job);
  job.rerun_requested = job.rerun_forced = false;
  job.rerun_exit_status = 0;
  job.rerun_by_hook = false;
  if (e.getWalltimeSeconds() > 0) give_walltime(job, e.getWalltimeSeconds());
  auto& a = job.attributes;
  a.erase(ids::Exit_status);
  a.set(ids::exec_vnode, schema::text(e.getExecVnode()));
  a.set(ids::exec_host, schema::text(e.getExecHost()));
  a.set(ids::hashname, job.id);
  set_number(job, ids::run_count, counted_starts(job) + 1);
  set_number(job, ids::run_version, job.run);
  set_number(job, ids::stime, at.seconds());
  set_or_clear_comment(job, schema::text(e.getComment()));
  a.erase(ids::prov_vnode);
  std::vector<std::string> first;
  for (const auto& v : vnodes_to_provision(schema::text(e.getExecVnode()))) first.push_back(v.vnode);
  if (!first.empty()) a.set(ids::prov_vnode, values::join_list(first));
}

void on_usage(job_state& job, const event_place& at, schema::UsageReported::Reader e) {
  job.usage_known = true;
  job.usage_at_s = at.seconds();
  put_usage(job, read_usage(e.getUsage()));
  note_in_phase(job, e.getUsage(), e.getHosts());
  if (e.getSession() > 0) set_number(job, ids::session_id, e.getSession());
  if (e.hasJobdir() && e.getJobdir().size() > 0) job.attributes.set(ids::jobdir, schema::text(e.getJobdir()));
}

void on_exited(job_state& job, const event_place& at, schema::JobExited::Reader e) {
  job.exited = true;
  forget_requests(job);
  forget_suspension(job);
  job.exit_status = e.getExitStatus();
  job.has_exit_status = true;
  if (e.getReported()) {
    if (e.getSession() > 0) set_number(job, ids::session_id, e.getSession());
  }
  // Nobody measured the end of a lost run: what was known of it before stays.
  if (const auto usage = read_usage(e.getUsage()); was_measured(usage)) {
    put_usage(job, usage);
    note_in_phase(job, e.getUsage(), e.getHosts());
  } else if (!job.attributes.has(ids::resources_used)) {
    job.attributes.set(ids::resources_used, "walltime", "00:00:00");
  }
  set_number(job, ids::Exit_status, job.exit_status);
  set_number(job, ids::obittime, at.seconds());
  add_to_comment(job, schema::text(e.getCommentSuffix()));
}

void note_failed_start(job_state& job, const std::string& host) {
  std::erase_if(job.failed_starts, [&](const auto& f) { return f.host == host; });
  job.failed_starts.push_back({host, job.run});
  if (job.failed_starts.size() > failed_starts_max) job.failed_starts.erase(job.failed_starts.begin());
}

// The host that said why is to blame: another one of the run that did not join, or else the primary. Of a job that bears the
// failure of others it is the primary.
void on_start_failed(job_state& job, schema::JobStartFailed::Reader e) {
  job.exited = true;
  forget_requests(job);
  job.exit_status = e.getCode();
  job.has_exit_status = true;
  const bool blamed = !job.bears_failures && !job.failed_starts.empty() && job.failed_starts.back().run == job.run;
  if (e.getCode() == exit_retry && job.stage_in != job_stage_in::failed && !blamed) note_failed_start(job, job.hosts.front());
}

// As if it had not been run: it has no exit status of this run, and the run does not count (pbs guide: W 37).
void on_stage_in_failed(job_state& job, std::int64_t wait_until) {
  job.execution_time = wait_until;
  job.wait_over = false;
  set_number(job, ids::Execution_Time, wait_until);
  const auto before = counted_starts(job) - 1;
  if (before > 0) set_number(job, ids::run_count, before);
  else job.attributes.erase(ids::run_count);
}

void show(job_state& job, const shown_value& v) {
  const auto* row = attributes::find(schema::ObjectKind::JOB, v.name);
  if (!row) return;
  if (v.value) job.attributes.set(row->id, v.resource, *v.value);
  else job.attributes.erase(row->id, v.resource);
}

// What it does without is allocated to the run until it is released.
void on_reduced(job_state& job, const event_place& at, schema::JobReduced::Reader e) {
  auto left = job.uses().reduced_to(schema::text(e.getExecVnode()), schema::text(e.getExecHost()), schema::text(e.getReleased()));
  ANNALS_INVARIANT(left, "a run is reduced to what it has");
  if (ends_phase(e)) begin_phase(job, at, e);
  if (e.getRequest() > 0) add_request(job, {e.getRequest(), run_request::kind::release, {}, false, false, change_asked(e)});
  std::vector<std::uint32_t> numbers;  // of the select that it answers from now on
  for (const auto n : e.getSatisfies()) numbers.push_back(n);
  if (numbers.size() == left->chunks()) left->renumber(std::move(numbers), schema::str(e.getKeepSelect()));
  job.used = std::move(*left);
  for (auto c : e.getChanges()) {
    const auto change = read_change(c);
    const auto* row = attributes::find(schema::ObjectKind::JOB, change.name);
    if (!row) continue;
    const bool known = std::any_of(job.asked.begin(), job.asked.end(),
                                   [&](const auto& v) { return v.name == change.name && v.resource == change.resource; });
    if (!known) job.asked.push_back({change.name, change.resource, std::nullopt});
    if (const auto before = job.attributes.get(row->id, change.resource); before && !known) job.asked.back().value.emplace(*before);
    show(job, change);
  }
  job.attributes.set(ids::exec_vnode, job.used.exec_vnode());
  job.attributes.set(ids::exec_host, job.used.exec_host());
  show_deallocated(job);
}

// The next run asks what the job asked before it was reduced.
void forget_reduction(job_state& job) {
  for (const auto& before : job.asked) show(job, before);
  job.asked.clear();
  forget_phases(job);
  job.used = {};
}

// Its run has just given it all up, but shows it still. Any other run that was begun has used the checkpoint up, unless it never started.
void keep_checkpoint(job_state& job, std::int32_t exit_status) {
  if (exit_status == exit_checkpointed) job.checkpointed_at = job.attribute(ids::exec_vnode);
  else if (job.attributes.has(ids::obittime)) job.checkpointed_at.clear();
}

void on_requeued(job_state& job, schema::JobRequeued::Reader e) {
  ANNALS_INVARIANT(job.allocated.empty(), "a job is requeued only when it holds nothing");
  keep_checkpoint(job, e.getExitStatus());
  forget_reduction(job);
  job.hosts.clear();
  job.exited = job.usage_known = false;
  job.rerun_requested = job.rerun_forced = false;
  job.rerun_exit_status = 0;
  job.rerun_by_hook = false;
  job.exit_status = e.getExitStatus();
  if (e.getRestsUntilNs() > 0) take_rest(job, e.getRestsUntilNs());
  else job.failed_in_a_row = 0;
  job.holds |= bits_of(e.getHolds());
  auto& a = job.attributes;
  for (auto id : {ids::exec_host, ids::exec_vnode, ids::session_id, ids::jobdir, ids::stime, ids::obittime, ids::hashname,
                  ids::run_version, ids::Stageout_status, ids::prov_vnode})
    a.erase(id);
  a.erase_all(ids::resources_used);
  if (e.getWaitUntil() > 0) return on_stage_in_failed(job, e.getWaitUntil());
  job.stage_in = job_stage_in::none;
  set_number(job, ids::Exit_status, e.getExitStatus());
  set_or_clear_comment(job, schema::text(e.getComment()));
}

void on_ended(job_state& job, const event_place& at, schema::JobEnded::Reader e) {
  ANNALS_INVARIANT(job.allocated.empty(), "a job ends only when every vnode was released");
  job.has_exit_status = e.getHasExitStatus();
  job.exit_status = e.getExitStatus();
  if (job.has_exit_status) set_number(job, ids::Exit_status, job.exit_status);
  if (job.array) set_number(job, ids::obittime, at.seconds());  // of all others their program's end is
  set_number(job, ids::substate, e.getSubstate());
  set_number(job, ids::history_timestamp, at.seconds());
  add_to_comment(job, schema::text(e.getCommentSuffix()));
  job.explained = schema::str(e.getReason());
  if (e.getReason().size() > 0 && in_routing_queue(job)) job.attributes.set(ids::comment, schema::text(e.getReason()));
}

// Who asked stands in the record. The server itself asks only when it stops: it aborts jobs and queues them again.
bool by_the_server_itself(const event_place& at) { return at.by.role == schema::Role::SERVER; }
constexpr std::int32_t exit_killed = 265;  // pbs guide: qterm

// What the primary tells of its run. Its hosts and tasks are its own affair, but for hosts that did not join; the job shows how
// its files fared.
void on_step(job_state& job, schema::RunEvent::Reader step) {
  ++job.steps;
  if (job.phase == phase::assigned) note_progress(job, step);
  if (step.isSisterFailed() && job.phase == phase::assigned) note_failed_start(job, schema::str(step.getSisterFailed().getHost()));
  if (step.isSisterLeft() && step.getSisterLeft().getAbandoned() && job.drops(schema::text(step.getSisterLeft().getHost())))
    job.unheard.push_back(schema::str(step.getSisterLeft().getHost()));
  if (step.isTaskSettled()) note_killed(job, step.getTaskSettled());
  if (!step.isFilesStagedIn()) return;
  const auto files = step.getFilesStagedIn();
  job.stage_in = files.getOk() ? job_stage_in::there : job_stage_in::failed;
  if (!files.getOk()) note_missing_files(job, schema::text(files.getText()));
}

// What a job has while it runs is what it shows, or, when its run was reduced, what that goes on with; when its run is over it shows
// what it had.
void on_released(job_state& job, schema::VnodesReleased::Reader e) {
  if (e.getWhy() == schema::ReleaseReason::SUSPENDED) return on_given_up(job, e);
  ANNALS_INVARIANT(job.phase != phase::suspended || job.reduced(), "a suspended run keeps its allocation");
  const bool primary_was_there = job.allocated.is_on(job.hosts.front());
  ANNALS_INVARIANT(job.allocated.release(schema::text(e.getExecVnode())), "a run releases what it has, once");
  const bool primary_left = primary_was_there && !job.allocated.is_on(job.hosts.front());
  job.primary_abandoned |= primary_left && e.getWhy() == schema::ReleaseReason::ABANDONED;
  for (auto host : e.getHosts()) std::erase(job.unheard, schema::text(host));
  show_deallocated(job);
  if (!job.running()) return;
  ANNALS_INVARIANT(!primary_left, "a run that goes on keeps its first host");
  if (job.reduced()) return;
  job.attributes.set(ids::exec_vnode, job.allocated.exec_vnode());
  job.attributes.set(ids::exec_host, job.allocated.exec_host());
}

void take_meaning(job_state& job, const event_place& at, schema::JobEvent::Reader event) {
  switch (event.which()) {
    case which::QUEUED: return on_queued(job, at, event.getQueued());
    case which::ALTERED: return on_altered(job, at, event.getAltered());
    case which::HELD:
      job.holds |= bits_of(event.getHeld().getHolds());
      return set_or_clear_comment(job, schema::text(event.getHeld().getComment()));
    case which::RELEASED:
      job.holds &= static_cast<std::uint8_t>(~bits_of(event.getReleased().getHolds()));
      if (job.holds != 0) return;  // the comment says by whom it is held
      job.attributes.erase(ids::comment);
      if (job.array) set_or_clear_comment(job, job.array->began);
      return;
    case which::WAIT_ENDED:
      job.wait_over = true;
      job.stage_in = job_stage_in::none;
      return;
    case which::ASSIGNED: return on_assigned(job, at, event.getAssigned());
    case which::STARTED:
      job.failed_starts.clear();
      job.failed_in_a_row = 0;
      job.can_checkpoint = event.getStarted().getCanCheckpoint();
      job.preempted = false;
      job.attributes.erase(ids::prov_vnode);
      return set_or_clear_comment(job, schema::text(event.getStarted().getComment()));
    case which::START_FAILED: return on_start_failed(job, event.getStartFailed());
    case which::RUN_STEP: return on_step(job, event.getRunStep().getStep());
    case which::REDUCED: return on_reduced(job, at, event.getReduced());
    case which::USAGE_REPORTED: return on_usage(job, at, event.getUsageReported());
    case which::DELETE_REQUESTED:
      if (by_the_server_itself(at)) {
        job.aborted = true;
        return;
      }
      job.delete_requested = true;
      if (job.array) job.array->remaining = values::index_set(job.array->indices());
      job.delete_forced |= event.getDeleteRequested().getForce();
      job.purge_history |= event.getDeleteRequested().getPurgeHistory();
      if (job.deleted_by.empty()) job.deleted_by = at.by.at_host();
      return;
    case which::RERUN_REQUESTED:
      job.rerun_requested = true;
      job.rerun_forced |= event.getRerunRequested().getForce();
      job.rerun_by_hook |= at.by.role == schema::Role::MOM;
      job.preempted |= event.getRerunRequested().getPreempted();
      job.rerun_exit_status = by_the_server_itself(at) ? exit_killed : 0;
      return;
    case which::SIGNALLED: {
      const auto e = event.getSignalled();
      if (e.getLoadHost().size() > 0) return on_load(job, e);
      job.preempted |= e.getPreempted();
      const auto what = e.getCheckpoint() ? run_request::kind::checkpoint : run_request::kind::signal;
      return add_request(job, {e.getRequest(), what, schema::str(e.getSignal()), false, false});
    }
    case which::MESSAGED: {
      const auto e = event.getMessaged();
      return add_request(job, {e.getRequest(), run_request::kind::message, schema::str(e.getText()), e.getToErrors(), e.getToOutput()});
    }
    case which::SUSPENDED: return on_suspended(job, event.getSuspended());
    case which::RESUME_WANTED: job.resume_wanted = true; return;
    case which::RESUMED: return on_resumed(job, at, event.getResumed());
    case which::VNODES_TAKEN: return forget_suspension(job);
    case which::MOVED: return on_moved(job, at, event.getMoved());
    case which::REORDERED:
      job.queue_rank = event.getReordered().getQueueRank();
      return set_number(job, ids::queue_rank, job.queue_rank);
    case which::REQUEST_DONE:
      if (job.is_checkpointing() && event.getRequestDone().getRequest() >= job.requests.front().id) {  // its script has failed
        job.can_checkpoint = false;
        job.preempted &= job.rerun_requested;
      }
      std::erase_if(job.requests, [&](const run_request& w) { return w.id <= event.getRequestDone().getRequest(); });
      return;
    case which::EXITED: return on_exited(job, at, event.getExited());
    case which::OUTPUT_DELIVERED:
      job.attributes.set(ids::Stageout_status, event.getOutputDelivered().getOk() ? "1" : "0");
      if (!event.getOutputDelivered().getOk()) note_undelivered(job, schema::text(event.getOutputDelivered().getText()));
      return;
    case which::VNODES_RELEASED: return on_released(job, event.getVnodesReleased());
    case which::REQUEUED: return on_requeued(job, event.getRequeued());
    case which::ENDED: return on_ended(job, at, event.getEnded());
    case which::FORGOTTEN: return;
    case which::SUBJOB_BEGAN: return on_subjob_began(job, at, event.getSubjobBegan());
    case which::SUBJOB_LEFT: return on_subjob_left(job, event.getSubjobLeft());
    case which::SUBJOBS_ASKED: return on_subjobs_asked(job, event.getSubjobsAsked());
  }
}

}  // namespace

void apply(job_state& job, const event_place& at, schema::JobEvent::Reader event) {
  const auto before = job.phase;
  const bool was_stopped = job.stopped();
  ANNALS_INVARIANT(may_happen(before, event.which()), "an event the job's table does not list");
  take_meaning(job, at, event);
  job.phase = phase_after(job, event.which());
  if (was_stopped && !job.stopped()) job.usage_at_s = at.seconds();  // meanwhile its walltime stood still
  ANNALS_INVARIANT(leads_to(before, event.which(), job.phase), "a transition the job's table does not list");
  if (before == phase::assigned && job.phase != phase::assigned) forget_progress(job);
  job.version = at.version;
  refresh_shown(job, at);
}

}  // namespace annals::model
