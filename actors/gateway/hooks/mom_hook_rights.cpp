#include "actors/gateway/hooks/mom_hook_rights.hpp"

#include "hooks-runtime/catalog/events.hpp"

namespace annals::actors {
namespace {

// What is set of the job that the hook is about (exechost_periodic: of one of its list).
bool may_set_job(const hooks::hook_event& event, schema::HookReport::Reader r) {
  const auto* job = hooks::find_parameter(event, "job");
  if (!job) job = hooks::find_parameter(event, "job_list");
  const bool rejected = r.getRun().getVerdict() != schema::HookVerdict::ACCEPTED;
  for (auto c : r.getJobChanges())
    if (!job || hooks::stays_on_host(schema::text(c.getName())) ||
        hooks::may_write(*job, schema::text(c.getName()), rejected) != hooks::set_answer::yes)
      return false;
  return true;
}

}  // namespace

rightful_requests rightful(const directory& where, const std::string& host, schema::HookReport::Reader r) {
  rightful_requests out;
  const auto* event = hooks::find_event(schema::text(r.getRun().getEvent()));
  if (!event || !hooks::is_on_mom(*event)) return out;
  const auto serial = r.getRef().getJobSerial();
  const auto run = r.getRef().getRun();
  const auto has_run = [&](const std::string& on) { return serial != 0 && where.has_run(on, serial, run); };
  const bool runs_here = has_run(host);
  out.job = runs_here && r.getJobChanges().size() > 0 && may_set_job(*event, r);
  out.ends_run = runs_here && (r.getRerun() || r.getDelete());
  if (r.getJobChanges().size() > 0 && !out.job) out.refused.push_back("job");
  out.suspend_again =
      runs_here && schema::text(r.getRun().getEvent()) == "execjob_preresume" && r.getRun().getVerdict() != schema::HookVerdict::ACCEPTED;
  const auto* hook = where.hook(schema::str(r.getRun().getHook()));
  out.resources = std::string_view(event->name) == "exechost_startup" && hook && hook->runs_at(event->name);
  if (r.getResources().size() > 0 && !out.resources) out.refused.push_back("resources");
  for (auto v : r.getVnodes()) {
    const auto on = where.host_of_vnode(schema::text(v.getVnode()));
    if (on && (*on == host || (runs_here && has_run(*on)))) out.vnodes.push_back(v);
    else out.refused.push_back(schema::text(v.getVnode()));
  }
  return out;
}

}  // namespace annals::actors
