// A run that goes on with less, as its primary tells (job.release_nodes() of hooks): what the job shows then, and what comes back
// when. docs/design/0033-allocations-and-holdings.md.
#include "events/attributes/ids.hpp"
#include "events/attributes/request_check.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/job/rules.hpp"
#include "events/model/limits.hpp"
#include "events/model/vnodes/planned_release.hpp"

namespace annals::model {

namespace ids = attributes::job;

namespace {

// Without what is no amount: of that the MoM has more to go by.
values::select_spec amounts_of(values::select_spec select, const attributes::resource_catalogue& resources) {
  for (auto& chunk : select.chunks)
    std::erase_if(chunk.resources, [&](const values::named_value& r) {
      const auto* known = resources.find(r.name);
      return !known || !known->is_numeric() || !known->has(attributes::consumable);
    });
  return select;
}

// A MoM says what the run is to have. The server believes it if what is left could have it, and shows what is left.
std::optional<select_of_left> believed_select(std::string_view keep_select, const allocation& left, const allocation& had,
                                              const shown_request& before, const attributes::resource_catalogue& resources) {
  if (keep_select.size() > limits::keep_select_bytes_max) return std::nullopt;
  const auto select = values::parse_select(keep_select);
  if (!select || !attributes::has_good_values(*select, resources)) return std::nullopt;
  const auto kept = reduce(left, amounts_of(*select, resources), {}, resources);
  if (!kept) return std::nullopt;
  return chunks_left(left, kept->released.empty() ? kept->satisfies : std::vector<std::uint32_t>{}, *select, had, before);
}

event reduced_event(const job_state& job, schema::AllocationReduced::Reader r, const select_of_left& now,
                    const std::vector<shown_value>& changes) {
  return make_event([&](auto e) {
    auto to = e.initJob().initReduced();
    to.setRun(job.run);
    to.setReleased(r.getReleased());
    to.setExecVnode(r.getExecVnode());
    to.setExecHost(r.getExecHost());
    to.setKeepSelect(values::print(now.select));
    auto satisfies = to.initSatisfies(static_cast<unsigned>(now.satisfies.size()));
    for (unsigned i = 0; i < satisfies.size(); ++i) satisfies.set(i, now.satisfies[i]);
    write_changes(changes, to.initChanges(static_cast<unsigned>(changes.size())));
  });
}

// On hosts that it keeps nobody has to say that it is gone.
event released_at_once(const job_state& job, const std::string& exec_vnode) {
  return make_event([&](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setRun(job.run);
    r.setExecVnode(exec_vnode);
    r.setWhy(schema::ReleaseReason::REDUCED);
  });
}

std::vector<event> on_reduced(const job_state& job, schema::AllocationReduced::Reader r, const settings& settings) {
  const auto left = job.uses().reduced_to(schema::text(r.getExecVnode()), schema::text(r.getExecHost()), schema::text(r.getReleased()));
  const bool may_be = job.bears_failures && may_happen(job.phase, schema::JobEvent::REDUCED);
  if (!may_be || !left) return {};
  const shown_request before{attributes::resources_of(job.attributes, ids::Resource_List), std::string(job.attribute(ids::schedselect))};
  const auto now = believed_select(schema::text(r.getKeepSelect()), *left, job.uses(), before, settings.resources);
  if (!now) return {};
  std::vector<event> out{reduced_event(job, r, *now, shown_after(before, now->select, settings.resources))};
  if (const auto parts = job.uses().on_kept_hosts(schema::text(r.getReleased()), *left); !parts.empty())
    out.push_back(released_at_once(job, parts));
  return out;
}

}  // namespace

event released(const job_state& job, const std::vector<std::string>& hosts, schema::ReleaseReason why) {
  return make_event([&](auto e) {
    auto r = e.initJob().initVnodesReleased();
    r.setRun(job.run);
    r.setExecVnode(job.allocated.on(hosts));
    r.setWhy(why);
    auto list = r.initHosts(static_cast<unsigned>(hosts.size()));
    for (unsigned i = 0; i < hosts.size(); ++i) list.set(i, hosts[i]);
  });
}

std::vector<event> events_of_step(const job_state& job, schema::RunEvent::Reader step, const settings& settings) {
  if (step.isAllocationReduced()) return on_reduced(job, step.getAllocationReduced(), settings);
  if (!step.isSisterLeft() || step.getSisterLeft().getAbandoned()) return {};
  const auto host = schema::str(step.getSisterLeft().getHost());
  if (!job.drops(host)) return {};
  return {released(job, {host}, schema::ReleaseReason::LEFT)};
}

}  // namespace annals::model
