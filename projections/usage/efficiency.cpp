#include "projections/usage/efficiency.hpp"

#include <utility>

#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::projections {

using which = schema::JobEvent::Which;

namespace {

// What counts of Resource_List: all else is not kept.
constexpr std::string_view counted[] = {"ncpus", "mem", "walltime"};

bool counts(std::string_view resource) {
  for (const auto c : counted)
    if (c == resource) return true;
  return false;
}

std::string_view text_of(const std::map<std::string, std::string, std::less<>>& values, std::string_view resource) {
  const auto at = values.find(resource);
  return at == values.end() ? std::string_view() : at->second;
}

std::uint64_t not_negative(std::optional<std::int64_t> n) { return n && *n > 0 ? static_cast<std::uint64_t>(*n) : 0; }

}  // namespace

// -- the fold ----------------------------------------------------------------------------------------------------------------

void job_efficiency::queue(const log::record& record) {
  const auto e = record.event().getJob().getQueued();
  const auto owner = schema::text(e.getOwner());
  const auto user = owner.substr(0, owner.find('@'));
  if (wanted_ && !wanted_(schema::text(e.getId()), user)) return;
  job fresh;
  fresh.run.job = schema::str(e.getId());
  fresh.run.user = user;
  fresh.run.queue = schema::str(e.getQueue());
  take_changes(fresh, e.getAttributes());
  jobs_.insert_or_assign(record.get().getStream(), std::move(fresh));
}

void job_efficiency::begin(job& of, const log::record& record) {
  of.run.run = record.event().getJob().getAssigned().getRun();
  of.run.assigned_ns = record.get().getWallNs();
  of.run.ended_ns = 0;
  of.run.ended_sequence = 0;
  of.used = {};
  const auto shrunk = record.event().getJob().getAssigned().getWalltimeSeconds();
  if (shrunk == 0) return;
  if (!of.asked_before) of.asked_before = of.asked;
  of.asked.insert_or_assign("walltime", values::print_duration(static_cast<std::int64_t>(shrunk)));
}

void job_efficiency::take_changes(job& of, capnp::List<schema::Attribute>::Reader changes) {
  for (auto c : changes) {
    const auto resource = schema::text(c.getResource());
    const bool gone = c.getOp() == schema::AttributeOp::UNSET;
    if (schema::text(c.getName()) != "Resource_List" || !counts(resource)) continue;
    of.asked.erase(std::string(resource));
    if (!gone) of.asked.emplace(resource, schema::str(c.getValue()));
  }
}

// The end of a run that was lost nobody measured: what was known before counts.
void job_efficiency::take_usage(job& of, schema::Usage::Reader usage) {
  if (auto used = model::read_usage(usage); model::was_measured(used)) of.used = std::move(used);
}

run_efficiency job_efficiency::told(const job& of) {
  const auto& used = of.used;
  auto run = of.run;
  run.cput_s = used.seconds("cput");
  run.walltime_s = used.seconds("walltime");
  run.mem_kb = used.kb("mem");
  run.ncpus = used.count("ncpus");
  if (run.ncpus == 0) run.ncpus = not_negative(values::parse_integer(text_of(of.asked, "ncpus")));
  if (const auto size = values::parse_size(text_of(of.asked, "mem"))) run.mem_asked_kb = size->to_kb();
  if (const auto seconds = values::parse_duration(text_of(of.asked, "walltime"))) run.walltime_asked_s = not_negative(seconds);
  return run;
}

// Its run, and what it asks for, are over.
std::optional<run_efficiency> job_efficiency::close(job& of) {
  const bool ran = of.run.run != 0 && of.run.ended_sequence != 0;
  auto run = ran ? std::optional(told(of)) : std::nullopt;
  of.run.run = 0;
  if (of.asked_before) of.asked = *std::exchange(of.asked_before, std::nullopt);
  return run;
}

std::optional<run_efficiency> job_efficiency::fold(const log::record& record) {
  if (record.kind() != schema::StreamKind::JOB) return std::nullopt;
  const auto event = record.event().getJob();
  if (event.isQueued()) queue(record);
  const auto at = jobs_.find(record.get().getStream());
  if (at == jobs_.end()) return std::nullopt;
  auto& of = at->second;
  switch (event.which()) {
    case which::QUEUED: break;  // begun above
    case which::ALTERED: take_changes(of, event.getAltered().getChanges()); break;
    case which::MOVED:
      of.run.queue = schema::str(event.getMoved().getQueue());
      take_changes(of, event.getMoved().getChanges());
      break;
    case which::ASSIGNED: begin(of, record); break;
    case which::REDUCED:
      if (event.getReduced().getStageOut()) break;  // its program has ended
      if (!of.asked_before) of.asked_before = of.asked;
      take_changes(of, event.getReduced().getChanges());
      break;
    case which::USAGE_REPORTED: take_usage(of, event.getUsageReported().getUsage()); break;
    case which::START_FAILED: of.run.run = 0; break;
    case which::EXITED:
      take_usage(of, event.getExited().getUsage());
      of.run.ended_ns = record.get().getWallNs();
      of.run.ended_sequence = record.sequence();
      break;
    case which::REQUEUED: return close(of);
    case which::ENDED: {
      auto run = close(of);
      jobs_.erase(at);
      return run;
    }
    case which::FORGOTTEN: jobs_.erase(at); break;  // a subjob that is its array's again
    default: break;
  }
  return std::nullopt;
}

std::vector<run_efficiency> job_efficiency::open() const {
  std::vector<run_efficiency> runs;
  for (const auto& [stream, of] : jobs_)
    if (of.run.run != 0) runs.push_back(told(of));
  return runs;
}

}  // namespace annals::projections
