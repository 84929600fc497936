// Job arrays: what an array makes of what is asked of it and of its subjobs, and how a subjob is born. One that has not begun is a number
// in a set; when it is run it becomes a job, whose first events are written together with its array's. Source: pbs guide, "job arrays";
// governed by docs/design/0057-job-arrays.md.
#include <algorithm>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/job/failed_starts.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/refuse.hpp"
#include "events/schema/client.capnp.h"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/values/date_time.hpp"
#include "events/values/output_index.hpp"

namespace annals::model {

namespace ids = attributes::job;
namespace pbs_error = values::pbs_error;
using phase = job_phase;
using values::index_set;

namespace {

constexpr std::int64_t array_size_default = 10'000;  // pbs guide: max_array_size

// -- how it ends ---------------------------------------------------------------------------------------------------------

void take_left(array_state& array, schema::SubjobLeft::Reader e) {
  const auto index = e.getIndex();
  array.running.erase(index);
  array.deleting.remove(index);
  if (e.getRequeued()) {
    array.remaining.add(index);
    array.begun[index] = {e.getRun(), e.getRunCount()};
  } else if (e.getFailed()) {
    array.failed.add(index);
  }
}

void take_asked(array_state& array, schema::SubjobsAsked::Reader e) {
  const auto asked = index_set::parse(schema::text(e.getIndices()), array.indices()).value_or(index_set(array.indices()));
  if (e.getRerun()) return;
  const auto waiting = index_set::parse(schema::text(e.getWaiting()), array.indices()).value_or(index_set(array.indices()));
  array.remaining.remove(waiting);
  array.failed.add(waiting);
  for (const auto& [index, run] : array.running)
    if (asked.has(index)) array.deleting.add(index);
}

// pbs guide: its exit status is 0 when that of each subjob was; of a deleted one 1, or 2 if nothing of it was run.
void end_array(const job_state& job, const array_state& array, const settings& settings, std::vector<event>& out) {
  const bool deleted = job.delete_requested;
  const std::int32_t code = deleted && array.began.empty() ? 2 : deleted || !array.failed.empty() ? 1
                                                                                                  : 0;
  end_job(job, code, true, deleted ? " and terminated" : code == 0 ? " and finished"
                                                                   : " and failed",
          settings, out);
}

// -- what is asked of its subjobs -------------------------------------------------------------------------------------------

// The subjobs that an id names: "12[]", "12[3]", "12[2-9:2]".
index_set named(const array_state& array, const values::job_id& id) {
  if (id.form == values::id_form::array) return index_set::all(array.indices());
  return index_set::parse(id.indices, array.indices()).value_or(index_set(array.indices()));
}

index_set running_of(const array_state& array) {
  index_set set(array.indices());
  for (const auto& [index, run] : array.running) set.add(index);
  return set;
}

event subjobs_asked(const index_set& asked, const index_set& waiting, schema::Request::Reader r) {
  return make_event([&](auto e) {
    auto a = e.initJob().initSubjobsAsked();
    a.setIndices(asked.print());
    a.setWaiting(waiting.print());
    a.setWaitingCount(waiting.count());
    a.setRerun(r.isRerunJob());
    a.setNoMail(r.isDeleteJob() && r.getDeleteJob().getNoMail());
    a.setForce(r.isRerunJob() ? r.getRerunJob().getForce() : r.getDeleteJob().getForce());
  });
}

outcome delete_array(const job_state& job, schema::DeleteJob::Reader command, const stamp& now, const settings& settings) {
  if (!may_act(job, now.by)) return refuse(pbs_error::unauthorized);
  if (job.delete_requested && (job.delete_forced || !command.getForce())) return no_change;  // asked already
  std::vector<event> out{delete_requested(command)};
  if (!job.array->running.empty()) return out;
  auto gone = job;
  gone.delete_requested = true;
  gone.purge_history |= command.getPurgeHistory();
  end_array(gone, *gone.array, settings, out);
  return out;
}

outcome delete_subjobs(const job_state& job, const values::job_id& id, schema::Request::Reader r, const stamp& now,
                       const settings& settings) {
  const auto& array = *job.array;
  if (r.getDeleteJob().getPurgeHistory()) return refuse(pbs_error::finished_subjob);
  if (!may_act(job, now.by)) return refuse(pbs_error::unauthorized);
  const auto asked = named(array, id);
  if (asked.empty()) return refuse(pbs_error::invalid_request);
  const auto waiting = asked.also_in(array.remaining);
  auto there = asked.also_in(running_of(array));
  there.add(waiting);
  if (there.empty()) return refuse(pbs_error::finished_subjob);
  if (job.delete_requested) return no_change;
  std::vector<event> out{subjobs_asked(there, waiting, r)};
  auto left = array;
  take_asked(left, out.front().get().getJob().getSubjobsAsked());
  if (left.over()) end_array(job, left, settings, out);
  return out;
}

// What has ended stays as it is.
outcome rerun_subjobs(const job_state& job, const values::job_id& id, schema::Request::Reader r, const stamp& now) {
  const auto& array = *job.array;
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!now.by.is_operator()) return refuse(pbs_error::unauthorized);
  auto asked = named(array, id);
  if (asked.empty()) return refuse(id.form == values::id_form::range ? pbs_error::bad_state : pbs_error::invalid_request);
  asked = asked.also_in(running_of(array));
  if (asked.empty() || job.delete_requested) return refuse(pbs_error::bad_state);
  return std::vector<event>{subjobs_asked(asked, index_set(array.indices()), r)};
}

outcome tell_no_subjob(const job_state& job, const values::job_id& id, const requester& by) {
  if (job.ended()) return refuse(pbs_error::job_has_finished);
  if (!may_act(job, by)) return refuse(pbs_error::unauthorized);
  return refuse(named(*job.array, id).empty() ? pbs_error::unknown_job : pbs_error::bad_state);
}

std::optional<outcome> decide_array_request(const job_state& job, const client_request& command, const stamp& now,
                                            const settings& settings) {
  const auto r = command.request.get();
  const auto parsed = [](capnp::Text::Reader id) { return values::parse_job_id(schema::text(id)).value_or(values::job_id{}); };
  switch (r.which()) {
    case schema::Request::DELETE_JOB: {
      const auto id = parsed(r.getDeleteJob().getJob());
      const bool whole = id.form == values::id_form::array || id.form == values::id_form::job;
      if (job.ended() && (whole || !r.getDeleteJob().getPurgeHistory())) return std::nullopt;
      return whole ? delete_array(job, r.getDeleteJob(), now, settings) : delete_subjobs(job, id, r, now, settings);
    }
    case schema::Request::RERUN_JOB: return rerun_subjobs(job, parsed(r.getRerunJob().getJob()), r, now);
    case schema::Request::SIGNAL_JOB: return tell_no_subjob(job, parsed(r.getSignalJob().getJob()), now.by);
    case schema::Request::MESSAGE_JOB:
    case schema::Request::RELEASE_NODES: return refuse(pbs_error::no_support, "not supported for Array Jobs");
    default: return std::nullopt;
  }
}

// -- a subjob begins ---------------------------------------------------------------------------------------------------------

// What it has of its array's; the rest is the array's own, or comes with its first events.
attributes::attribute_set attributes_of_subjob(const job_state& array, std::uint32_t index) {
  auto a = array.attributes;
  for (const auto id : {ids::array, ids::array_indices_submitted, ids::max_run_subjobs, ids::Submit_arguments, ids::comment, ids::Job_Owner,
                        ids::euser, ids::egroup, ids::queue, ids::queue_rank, ids::job_state, ids::substate, ids::Hold_Types, ids::mtime,
                        ids::server, ids::Execution_Time, ids::stime, ids::depend, ids::topjob, ids::Exit_status, ids::block})
    a.erase(id);
  a.erase_all(ids::estimated);
  a.set(ids::array_id, array.id);
  a.set(ids::array_index, std::to_string(index));
  const bool one_file = a.get(ids::indexed_output) == "True";  // then the word stays: it is the file of all subjobs of a host
  for (const auto id : {ids::Output_Path, ids::Error_Path, ids::stagein, ids::stageout})
    if (const auto value = a.get(id); value && !(one_file && (id == ids::Output_Path || id == ids::Error_Path)))
      a.set(id, values::with_array_index(std::string(*value), index));
  if (const auto before = array.array->begun.find(index); before != array.array->begun.end())
    a.set(ids::run_count, std::to_string(before->second.run_count));
  return a;
}

event queued_subjob(const job_state& array, std::uint32_t index, const stamp& now) {
  const auto attributes = attributes_of_subjob(array, index);
  const auto before = array.array->begun.find(index);
  return make_event([&](auto e) {
    auto q = e.initJob().initQueued();
    q.setId(values::id_of_number(values::subjob_number(array.number, index), array.attribute(ids::server)));
    q.setNumber(values::subjob_number(array.number, index));
    q.setOwner(std::string(array.owner()));
    q.setEuser(std::string(array.attribute(ids::euser)));
    q.setEgroup(std::string(array.attribute(ids::egroup)));
    q.setQueue(std::string(array.queue()));
    fill_attributes(attributes, q);
    auto script = q.initScript();
    script.setHash({reinterpret_cast<const kj::byte*>(array.script_hash.data()), array.script_hash.size()});
    script.setSize(array.script_size);
    q.setQueueRank(now.wall_ns / 1000);
    q.setRuns(before == array.array->begun.end() ? 0 : before->second.run);
  });
}

// What it is before it has a stream.
job_state born(const event& queued, const stamp& now) {
  job_state subjob;
  apply(subjob, {0, 0, 1, now.wall_ns, now.by}, queued.get().getJob());
  return subjob;
}

bool may_begin_one(const job_state& job) {
  const auto most = attributes::integer_of(job.attributes, ids::max_run_subjobs);
  return !most || static_cast<std::int64_t>(job.array->running.size()) < *most;
}

outcome begin_subjob(const job_state& job, const proposed_run& proposed, const stamp& now, const settings& settings) {
  if (auto why = proposal_refusal(job, proposed, now.by, settings)) return *why;
  const auto p = proposed.message.get().getRun();
  const bool may_run = job.phase == phase::queued || (proposed.asked && (job.phase == phase::held || job.phase == phase::waiting));
  const auto index = p.getIndex();
  if (!may_run || job.delete_requested || !p.getOfArray() || !job.array->remaining.has(index))
    return proposed.asked ? refuse(pbs_error::bad_state) : refuse(pbs_error::bad_state, "Job not in queued state");
  if (!proposed.asked && rests(job, now.wall_ns))
    return refuse(pbs_error::bad_state, "The start of a subjob has failed" + words_of_rest(job.rests_until_ns));
  if (!proposed.asked && !may_begin_one(job))
    return refuse(pbs_error::bad_state, "Number of concurrent running subjobs limit reached");
  auto queued = queued_subjob(job, index, now);
  const auto subjob = born(queued, now);
  auto run = decide_run(subjob, proposed, now, settings);
  if (!run.accepted()) return run;
  outcome begun(std::vector<event>{make_event([&](auto e) {
    auto b = e.initJob().initSubjobBegan();
    b.setIndex(index);
    b.setRun(subjob.run + 1);
  })});
  begun.born.push_back(std::move(queued));
  std::move(run.events().begin(), run.events().end(), std::back_inserter(begun.born));
  return begun;
}

}  // namespace

// -- commands ----------------------------------------------------------------------------------------------------------------

std::optional<outcome> decide_array(const job_state& job, const job_command& command, const stamp& now, const settings& settings) {
  if (!job.array || job.phase == phase::forgotten) return std::nullopt;
  if (const auto* request = std::get_if<client_request>(&command)) return decide_array_request(job, *request, now, settings);
  if (const auto* proposed = std::get_if<proposed_run>(&command)) return begin_subjob(job, *proposed, now, settings);
  return std::nullopt;
}

outcome decide_subjob_told(const job_state& job, const subjob_told& told, const stamp& now, const settings& settings) {
  if (!job.array || job.ended()) return no_change;
  const auto& array = *job.array;
  const auto running = array.running.find(told.index);
  if (running == array.running.end() || running->second != told.run) return no_change;
  // What was deleted while it was on its way back does not come back.
  const bool returns = told.requeued && !job.delete_requested && !array.deleting.has(told.index);
  const auto rests_until = returns && told.not_started && told.held.empty() ? rest_until_ns(job, now.wall_ns) : 0;
  std::vector<event> out{make_event([&](auto e) {
    auto l = e.initJob().initSubjobLeft();
    l.setIndex(told.index);
    l.setRun(told.run);
    l.setRequeued(returns);
    l.setFailed(told.failed || (told.requeued && !returns));
    l.setRunCount(told.run_count);
    l.setRestsUntilNs(rests_until);
    if (rests_until > 0) l.setComment(told.comment + words_of_rest(rests_until));
  })};
  auto left = array;
  take_left(left, out.front().get().getJob().getSubjobLeft());
  if (!told.held.empty() && returns)
    out.push_back(make_event([&](auto e) {
      auto h = e.initJob().initHeld();
      h.initHolds(1).set(0, schema::HoldType::SYSTEM);
      h.setComment(told.held);
    }));
  if (left.over()) end_array(job, left, settings, out);
  return out;
}

std::optional<rejection> indexed_output_refusal(std::string_view indexed_output, std::string_view keep_files) {
  if (indexed_output != "True" || keep_files.find_first_of("oe") == std::string_view::npos) return std::nullopt;
  return refuse(pbs_error::bad_value, "Illegal attribute or resource value: indexed_output and Keep_Files exclude each other");
}

std::optional<rejection> array_refusal(std::string_view indices, std::string_view queue, const attributes::attribute_set& asked,
                                       const settings& settings) {
  const auto range = values::parse_index_range(indices);
  if (!range || range->first == range->last) return refuse(pbs_error::bad_value);
  if (range->last > values::largest_index) return refuse(pbs_error::array_too_large);
  const auto most = attributes::integer_of(settings.server, attributes::server::max_array_size).value_or(array_size_default);
  const auto* at = settings.queue(queue);
  const auto most_there = at ? attributes::integer_of(at->attributes, attributes::queue::max_array_size) : std::nullopt;
  if (std::int64_t{range->count()} > std::min(most, most_there.value_or(most))) return refuse(pbs_error::array_too_large);
  if (asked.get(ids::create_resv_from_job) == "True") return refuse(pbs_error::reservation_from_array);
  const auto resources = attributes::resources_of(asked, ids::Resource_List);
  if (resources.contains("min_walltime") || resources.contains("max_walltime")) return refuse(pbs_error::shrink_in_array);
  return std::nullopt;
}

void leave_to_array(const job_state& job, std::vector<event>& out) {
  if (job.is_subjob()) out.push_back(make_event([](auto e) { e.initJob().setForgotten(); }));
}

job_state subjob_to_begin(const job_state& array, std::uint32_t index, const stamp& now) {
  return born(queued_subjob(array, index, now), now);
}

// -- what its events mean ------------------------------------------------------------------------------------------------------

void on_subjob_began(job_state& job, const event_place& at, schema::SubjobBegan::Reader e) {
  ANNALS_INVARIANT(job.array && job.array->remaining.has(e.getIndex()), "a subjob begins once");
  auto& array = *job.array;
  array.remaining.remove(e.getIndex());
  array.begun.erase(e.getIndex());
  array.running[e.getIndex()] = e.getRun();
  const bool rested = std::exchange(job.rests_until_ns, 0) > 0;
  if (rested && !array.began.empty()) job.attributes.set(ids::comment, array.began);
  if (!array.began.empty()) return;
  array.began = "Job Array Began at " + values::print_comment_date(at.seconds());
  job.attributes.set(ids::comment, array.began);
  set_number(job, ids::stime, at.seconds());
}

void on_subjob_left(job_state& job, schema::SubjobLeft::Reader e) {
  take_left(*job.array, e);
  if (!e.getRequeued()) job.failed_in_a_row = 0;
  if (e.getRestsUntilNs() == 0) return;
  take_rest(job, e.getRestsUntilNs());
  job.attributes.set(ids::comment, schema::text(e.getComment()));
}

void on_subjobs_asked(job_state& job, schema::SubjobsAsked::Reader e) { take_asked(*job.array, e); }

}  // namespace annals::model
