// The table of accounting records, and the fold.
#include "projections/accounting/accounting.hpp"

#include "events/attributes/ids.hpp"
#include "events/log/place.hpp"
#include "events/model/exit_codes.hpp"
#include "projections/accounting/record_fields.hpp"
#include "projections/accounting/record_text.hpp"
#include "projections/accounting/reservation_records.hpp"

namespace annals::projections {

using which = schema::JobEvent::Which;
using phase = model::job_phase;

namespace {

// Which job a record shows: as it was before the event (its run is still there), or as the event left it.
enum class moment { before,
                    after };

struct record_rule {
  which event;
  char letter;
  moment when;
  bool (*applies)(const occasion&);
  void (*put_fields)(std::string& line, const occasion&);
  bool blank_at_end;  // PBS ends some records with a blank
};

bool always(const occasion&) { return true; }
bool enters_queue(const occasion& o) { return !o.job.is_subjob(); }  // a subjob comes to a host at once
bool began_array(const occasion& o) { return o.job.array && !o.job.array->began.empty(); }
bool begins_array(const occasion& o) { return !began_array(o); }
// Of Resource_List's aoe: a run that waits for its vnodes to get it.
bool provisions(const occasion& o) { return o.job.provisioning(); }
// Somebody altered the job: it is no step of provisioning or of a dependency, and no mere remark.
bool is_asked_for(const occasion& o) {
  bool altered = false;
  for (auto change : o.event.getAltered().getChanges()) {
    const auto op = change.getOp();
    if (op == schema::AttributeOp::INCREMENT || op == schema::AttributeOp::DECREMENT || schema::text(change.getName()) == "prov_vnode")
      return false;
    altered |= !is_remark(o, schema::text(change.getName()));
  }
  return altered;
}
bool has_provisioned(const occasion& o) {
  for (auto change : o.event.getAltered().getChanges())
    if (schema::text(change.getName()) == "prov_vnode") return change.getOp() == schema::AttributeOp::UNSET;
  return false;
}
bool began(const occasion& o) { return o.job.stage_in != model::job_stage_in::failed; }  // its files were there
// S shows a run as it began. When it is told to go on with less, that comes before s; else with its start.
bool goes_on_reduced(const occasion& o) { return o.job.phase == phase::assigned && !o.job.reduced(); }
bool starts_whole(const occasion& o) { return !o.job.reduced(); }
bool began_whole(const occasion& o) { return began(o) && !o.job.reduced(); }
// RS-43: what it begins with stands in s too.
bool has_reliable_startup(const occasion& o) {
  return o.job.attributes.get(attributes::job::Resource_List, "select_reliable_startup").has_value();
}
bool is_padded(const occasion& o) { return goes_on_reduced(o) && has_reliable_startup(o); }
bool starts_padded(const occasion& o) { return starts_whole(o) && has_reliable_startup(o); }
bool began_padded(const occasion& o) { return began_whole(o) && has_reliable_startup(o); }
bool ends_one(const occasion& o) { return model::ends_phase(o.event.getReduced()); }
bool is_told(const occasion& o) { return !ends_one(o); }  // by its MoM
bool ends_phases(const occasion& o) { return began(o) && o.job.has_phases(); }
bool checkpointed(const occasion& o) { return o.event.getRequeued().getExitStatus() == model::exit_checkpointed; }
bool runs_again(const occasion& o) { return began(o) && !checkpointed(o); }
bool restarts(const occasion& o) { return !o.job.checkpointed_at.empty(); }
bool had_a_run(const occasion& o) { return o.job.phase == phase::exiting; }
bool suspended(const occasion& o) { return o.event.getVnodesReleased().getWhy() == schema::ReleaseReason::SUSPENDED; }
bool by_server(const occasion& o) { return o.at.by.role == schema::Role::SERVER; }  // it stops, and aborts the job
bool by_somebody(const occasion& o) { return !by_server(o); }
// Of an array there may be nothing left but subjobs that somebody has deleted one by one: that has no reason.
bool nobody_asked(const occasion& o) {
  if (o.job.array && o.event.getEnded().getReason().size() == 0) return false;
  return o.job.phase != phase::exiting && !o.job.delete_requested;
}

constexpr record_rule rules[] = {
    // event                    letter when        only if       fields         blank at the end
    {which::QUEUED, 'Q', moment::after, enters_queue, queued_fields, true},
    {which::SUBJOB_BEGAN, 'S', moment::before, begins_array, array_started_fields, true},
    {which::ALTERED, 'a', moment::after, is_asked_for, changed_fields, false},
    {which::ASSIGNED, 'P', moment::after, provisions, provision_start_fields, false},
    {which::ALTERED, 'p', moment::before, has_provisioned, provision_end_fields, false},
    {which::START_FAILED, 'p', moment::before, provisions, provision_failed_fields, false},
    {which::REDUCED, 'S', moment::before, goes_on_reduced, started_fields, true},
    {which::REDUCED, 's', moment::before, is_padded, reduced_fields, true},
    {which::REDUCED, 's', moment::after, is_told, reduced_fields, true},
    {which::REDUCED, 'u', moment::before, ends_one, phase_fields, false},
    {which::REDUCED, 'c', moment::after, ends_one, next_phase_fields, true},
    {which::STARTED, 'S', moment::before, starts_whole, started_fields, true},
    {which::STARTED, 's', moment::before, starts_padded, reduced_fields, true},
    {which::STARTED, 'T', moment::before, restarts, no_fields, false},
    {which::START_FAILED, 'S', moment::before, began_whole, started_fields, true},  // R or E follows
    {which::START_FAILED, 's', moment::before, began_padded, reduced_fields, true},
    {which::DELETE_REQUESTED, 'D', moment::before, by_somebody, requestor_field, false},
    {which::DELETE_REQUESTED, 'A', moment::before, by_server, stop_text, false},
    {which::MOVED, 'Q', moment::after, always, queued_fields, true},
    {which::VNODES_RELEASED, 'z', moment::before, suspended, suspended_fields, false},
    {which::RESUMED, 'r', moment::before, always, no_fields, false},
    {which::REQUEUED, 'e', moment::before, ends_phases, phase_fields, false},
    {which::REQUEUED, 'C', moment::before, checkpointed, run_fields, false},
    {which::REQUEUED, 'R', moment::before, runs_again, run_fields, false},
    {which::ENDED, 'e', moment::before, ends_phases, phase_fields, false},
    {which::ENDED, 'E', moment::before, had_a_run, run_fields, false},
    {which::ENDED, 'E', moment::before, began_array, array_ended_fields, false},
    {which::ENDED, 'A', moment::before, nobody_asked, abort_text, false},
};

void write_line(std::string line, bool blank_at_end, const occasion& o, const accounting::line_taker& take) {
  if (!blank_at_end && line.ends_with(' ')) line.pop_back();
  take(o.at.seconds(), line);
}

void tell_records(moment when, const occasion& o, accounting_watcher& watcher) {
  for (const auto& rule : rules)
    if (rule.event == o.event.which() && rule.when == when && rule.applies(o))
      watcher.recorded(rule.letter, o, rule.put_fields, rule.blank_at_end);
}

// Subjobs that a deletion finds queued: the one that it names, and, when it is the whole array's, those that were run before. No other one
// leaves anything, none of a range either (pbs guide, "accounting").
values::index_set deleted_in_queue(const occasion& o) {
  values::index_set all(o.job.array->indices());
  if (o.event.isSubjobsAsked()) {
    const auto asked = o.event.getSubjobsAsked();
    const bool one = asked.getWaitingCount() == 1 && schema::text(asked.getIndices()) == schema::text(asked.getWaiting());
    return one ? values::index_set::parse(schema::text(asked.getWaiting()), all.of()).value_or(all) : all;
  }
  if (o.event.isDeleteRequested() && by_somebody(o))
    for (const auto& [index, before] : o.job.array->begun)
      if (o.job.array->remaining.has(index)) all.add(index);
  return all;
}

void write_deleted_in_queue(const occasion& o, const accounting::line_taker& take) {
  const auto server = std::string_view(o.job.id).substr(o.job.id.find('.') + 1);
  deleted_in_queue(o).each([&](std::uint32_t index) {
    auto line = begun_line(o.at.seconds(), 'D', values::id_of_number(values::subjob_number(o.job.number, index), server));
    requestor_field(line, o);
    write_line(std::move(line), false, o, take);
    return true;
  });
}

// Most of a job's bytes are its environment and paths, which no record shows.
attributes::attribute_set without_unseen(const attributes::attribute_set& all, accounting::attribute_choice keeps) {
  attributes::attribute_set_writer kept;
  kept.buffer().reserve(all.packed().size());
  for (const auto& e : all)
    if (keeps(e.id)) kept.put(e.id, e.resource, e.value);
  return *attributes::attribute_set::from_packed(kept.take());
}

// Makes the lines.
class line_writer : public accounting_watcher {
 public:
  explicit line_writer(const accounting::line_taker& take) : take_(take) {}
  void before(const occasion& o) override {
    if (o.job.array) write_deleted_in_queue(o, take_);
  }
  void recorded(char letter, const occasion& o, put_fields put, bool blank_at_end) override {
    std::string line = begun_line(o.at.seconds(), letter, o.job.id);
    put(line, o);
    write_line(std::move(line), blank_at_end, o, take_);
  }
  void changed(const reservation_occasion& o) override { projections::write_records(o, take_); }

 private:
  const accounting::line_taker& take_;
};

}  // namespace

void accounting::fold(const log::record& record, const line_taker& take) {
  line_writer lines(take);
  fold_any(record, &lines);
}
void accounting::fold(const log::record& record, accounting_watcher& watcher) { fold_any(record, &watcher); }
void accounting::learn(const log::record& record) {
  if (history_ && record.kind() == schema::StreamKind::JOB) sequence_ = record.sequence();
  else fold_any(record, nullptr);
}

void accounting::fold_any(const log::record& record, accounting_watcher* watcher) {
  const auto event = record.event();
  if (event.isJob()) fold_job(place_of(record), event.getJob(), watcher);
  if (event.isReservation()) fold_reservation(place_of(record), event.getReservation(), watcher);
  if (event.isHost()) fold_host(place_of(record), event.getHost());
  sequence_ = record.sequence();
}

void accounting::fold_job(const model::event_place& at, schema::JobEvent::Reader event, accounting_watcher* watcher) {
  const bool begins = event.which() == which::QUEUED;
  if (event.which() == which::FORGOTTEN) {
    jobs_.erase(at.stream);  // a subjob that is its array's again has not ended
    return;
  }
  if (!begins && !jobs_.contains(at.stream) && !remembers(at)) return;  // it has ended: its history is nobody's bill
  auto& job = jobs_[at.stream];
  const find_vnode find = [this](std::string_view name) { return vnode(name); };
  occasion o{job, at, event, find, reservation_name(job)};
  if (watcher && !begins) {
    watcher->before(o);
    tell_records(moment::before, o, *watcher);
    watcher->leaving(o);
  }
  if (event.which() == which::ENDED) {
    jobs_.erase(at.stream);
    return;
  }
  model::apply(job, at, event);
  o.reservation_name = reservation_name(job);  // a new job is in one from here on
  if (watcher) {
    tell_records(moment::after, o, *watcher);
    watcher->after(o);
  }
  if (begins || event.which() == which::ALTERED || event.which() == which::MOVED) job.attributes = without_unseen(job.attributes, keeps_);
}

void accounting::fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event, accounting_watcher* watcher) {
  auto& r = reservations_[at.stream];
  const auto before = r.phase;
  model::apply(r, at, event);
  if (watcher) watcher->changed({r, before, at, event});
  if (event.isSubmitted() || event.isChanged()) reservation_names_[full_id(r)] = std::string(r.name());
  if (r.phase != model::reservation_phase::ended) return;
  reservation_names_.erase(full_id(r));
  reservations_.erase(at.stream);
}

std::string_view accounting::reservation_name(const model::job_state& job) const {
  const auto name = reservation_names_.find(std::string(job.attribute(attributes::job::reserve_ID)));
  return name == reservation_names_.end() ? std::string_view() : name->second;
}

// Reads a job that was learned of only. False: it has ended.
bool accounting::remembers(const model::event_place& at) {
  if (!history_) return false;
  model::job_state job;
  history_(at.stream, at.sequence, [&](const log::record& r) { model::apply(job, place_of(r), r.event()); });
  if (job.ended() || job.phase == phase::none) return false;
  job.attributes = without_unseen(job.attributes, keeps_);
  jobs_.emplace(at.stream, std::move(job));
  return true;
}

void accounting::fold_host(const model::event_place& at, schema::HostEvent::Reader event) {
  if (event.isRemoved()) {
    hosts_.erase(at.stream);
    return;
  }
  model::apply(hosts_[at.stream], at, event);
  if (event.isVnodeCreated()) host_of_vnode_[schema::str(event.getVnodeCreated().getName())] = at.stream;
  if (event.isVnodeDeleted()) host_of_vnode_.erase(schema::str(event.getVnodeDeleted().getName()));
}

const model::host_state* accounting::host(std::uint64_t stream) const {
  const auto at = hosts_.find(stream);
  return at == hosts_.end() ? nullptr : &at->second;
}

const model::vnode_state* accounting::vnode(std::string_view name) const {
  const auto at = host_of_vnode_.find(std::string(name));
  return at == host_of_vnode_.end() ? nullptr : hosts_.at(at->second).vnode(name);
}

}  // namespace annals::projections
