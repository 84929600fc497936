#include "projections/exports/told.hpp"

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/schema/event.hpp"
#include "projections/exports/words.hpp"

namespace annals::exports {

using job_event = schema::JobEvent::Which;

namespace {

row hook_row(const log::record& record, std::int64_t entry, schema::HookRun::Reader run, std::string_view subject, std::string_view host) {
  row_builder r(table_id::hook_runs, record.get().getWallNs());
  r.count("sequence", record.sequence()).integer("entry", entry).at("at", record.get().getWallNs());
  r.text("hook", schema::text(run.getHook())).text("event", schema::text(run.getEvent())).text("verdict", word_of(run.getVerdict()));
  r.text_unless_empty("message", schema::text(run.getMessage())).count("duration_us", run.getDurationUs());
  r.text_unless_empty("subject", subject).text_unless_empty("host", host);
  if (record.event().isJob()) r.count("job", record.get().getStream());
  return r.text_unless_empty("script", hex_of(run.getCode())).done(true);
}

// The requests that are one row.
struct told_request {
  const char* request = nullptr;  // nullptr: none was made
  std::string detail;
};

std::string holds_of(schema::JobHeld::Reader held) {
  std::string all;
  for (const auto hold : held.getHolds()) all += (all.empty() ? "" : ",") + word_of(hold);
  return all;
}

told_request request_of(schema::JobEvent::Reader event) {
  switch (event.which()) {
    case job_event::HELD: return {"hold", holds_of(event.getHeld())};
    case job_event::RELEASED: return {"release", holds_of(event.getReleased())};
    case job_event::MOVED: return {"move", schema::str(event.getMoved().getQueue())};
    case job_event::REORDERED: return {"order", {}};
    case job_event::DELETE_REQUESTED: return {"delete", {}};
    case job_event::RERUN_REQUESTED: return {"rerun", {}};
    case job_event::SIGNALLED: return {"signal", schema::str(event.getSignalled().getSignal())};
    case job_event::MESSAGED: return {"message", schema::str(event.getMessaged().getText())};
    case job_event::SUSPENDED: return {"suspend", {}};
    case job_event::RESUMED: return {"resume", {}};
    case job_event::SUBJOBS_ASKED:
      return {event.getSubjobsAsked().getRerun() ? "rerun_subjobs" : "delete_subjobs", schema::str(event.getSubjobsAsked().getIndices())};
    default: return {};
  }
}

row_builder request_row(const model::event_place& at, const char* request, std::int64_t entry) {
  row_builder r(table_id::job_requests, at.wall_ns);
  r.count("sequence", at.sequence).integer("entry", entry).at("at", at.wall_ns).count("job", at.stream).text("request", request);
  r.text("requested_by", at.by.at_host()).text("role", word_of(at.by.role));
  return r;
}

// What the server itself says in the comment nobody asked for, and the key to a user's display is nobody's business.
bool is_exported(const model::event_place& at, std::string_view attribute) {
  const auto* known = attributes::find(schema::ObjectKind::JOB, attribute);
  return !(known && known->id == attributes::job::forward_x11_cookie) && !(attribute == "comment" && at.by.role >= schema::Role::SERVER);
}

void tell_changes(const model::event_place& at, schema::AttributesChanged::Reader changed, const model::job_state& job,
                  const row_taker& take) {
  std::int64_t entry = 0;
  for (const auto c : changed.getChanges()) {
    const auto name = schema::text(c.getName()), resource = schema::text(c.getResource());
    ++entry;
    if (!is_exported(at, name)) continue;
    auto r = request_row(at, "alter", entry);
    r.text("attribute", name).text_unless_empty("resource", resource);
    const auto* known = attributes::find(schema::ObjectKind::JOB, name);
    if (c.getOp() != schema::AttributeOp::UNSET) r.text("attribute_value", schema::text(c.getValue()));
    else if (const auto falls_back_to = known ? job.attributes.get(known->id, resource) : std::nullopt)
      r.text("attribute_value", *falls_back_to);
    take(r.boolean("derived", c.getDerived()).done(true));
  }
}

}  // namespace

void tell_hook_runs(const log::record& record, const row_taker& take) {
  std::int64_t entry = 0;
  for (const auto run : record.get().getHooks()) take(hook_row(record, ++entry, run, {}, {}));
  if (!schema::is(record.event(), schema::HookEvent::RAN)) return;
  const auto ran = record.event().getHook().getRan();
  take(hook_row(record, ++entry, ran.getRun(), schema::text(ran.getSubject()), schema::text(ran.getHost())));
}

void tell_refusal(const log::record& record, const refusal& what, const row_taker& take) {
  const auto who = record.get().getWho();
  row_builder r(table_id::refusals, record.get().getWallNs());
  r.count("sequence", record.sequence()).at("at", record.get().getWallNs()).text("kind", what.kind);
  r.text("requested_by", schema::str(who.getUser()) + "@" + schema::str(who.getHost())).text("role", word_of(who.getRole()));
  r.text_unless_empty("subject", what.subject);
  if (what.job != 0) r.count("job", what.job);
  if (what.has_cycle) r.count("cycle_number", what.cycle);
  r.text_unless_empty("exec_vnode", what.exec_vnode);
  if (what.has_code) r.integer("code", what.code);
  take(r.text("reason", what.reason).done(true));
}

void tell_refusals(const log::record& record, std::string_view name, const row_taker& take) {
  const auto event = record.event();
  if (schema::is(event, schema::SchedulerEvent::PROPOSAL_REFUSED)) {
    const auto e = event.getScheduler().getProposalRefused();
    tell_refusal(record,
                 {"run", name, schema::text(e.getReason()), schema::text(e.getExecVnode()), e.getJob(), e.getCycle(), true}, take);
  }
  if (schema::is(event, schema::SchedulerEvent::START_FAILED))
    tell_refusal(record, {"scheduler_start", name, schema::text(event.getScheduler().getStartFailed().getText())}, take);
  if (schema::is(event, schema::HostEvent::VNODES_REFUSED))
    tell_refusal(record, {"vnodes", name, schema::text(event.getHost().getVnodesRefused().getText())}, take);
  if (schema::is(event, schema::JobEvent::START_FAILED)) {
    const auto e = event.getJob().getStartFailed();
    refusal what{"start", {}, schema::text(e.getText())};
    what.job = record.get().getStream();
    what.has_code = true;
    what.code = e.getCode();
    tell_refusal(record, what, take);
  }
  if (schema::is(event, schema::HookEvent::RAN)) {
    const auto run = event.getHook().getRan().getRun();
    if (run.getVerdict() == schema::HookVerdict::REJECTED)
      tell_refusal(record, {"hook", schema::text(run.getHook()), schema::text(run.getMessage())}, take);
  }
}

void tell_job_requests(const model::event_place& at, schema::JobEvent::Reader event, const model::job_state& job, const row_taker& take) {
  if (event.isAltered()) return tell_changes(at, event.getAltered(), job, take);
  const auto told = request_of(event);
  if (!told.request) return;
  auto r = request_row(at, told.request, 1);
  take(r.text_unless_empty("detail", told.detail).done(true));
}

}  // namespace annals::exports
