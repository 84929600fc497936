// What the state of a job still owes the world, and the order that starts its run. Read off the state after each commit
// and after each start, so nothing here remembers anything (docs/design/0001-shape.md).
#include <algorithm>
#include <string>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/attributes/table.hpp"
#include "events/model/job/job.hpp"
#include "events/schema/daemon/to_mom.capnp.h"

namespace annals::model {

namespace ids = attributes::job;
using phase = job_phase;

namespace {
std::uint32_t kill_delay_of(const job_state& job, const settings& settings) {
  const auto* q = settings.queue(job.queue());
  const auto set = q ? attributes::integer_of(q->attributes, attributes::queue::kill_delay) : std::nullopt;
  return set && *set >= 0 && *set <= UINT32_MAX ? static_cast<std::uint32_t>(*set) : 10;  // pbs guide: kill_delay
}

// Only before SIGKILL.
std::uint32_t resend_term_of(const settings& settings, std::uint32_t kill_delay_s) {
  const auto set = attributes::integer_of(settings.server, attributes::server::resend_term_delay).value_or(5);  // pbs guide
  return set > 0 && set < kill_delay_s ? static_cast<std::uint32_t>(set) : 0;
}

// The id names the run and the reason, so that a repeat is recognised and a stronger request is not taken for one.
signal_run signal_for(const job_state& job, const settings& settings) {
  signal_run s{.host = job.hosts.front(),
               .run = job.run,
               .id = 0,
               .signal = "SIGTERM",
               .kill_delay_s = kill_delay_of(job, settings),
               .exit_status = 271,
               .overrides_exit = true};
  if (job.rerun_requested) {
    s.id = 3;
    s.signal = "SIGKILL";
    s.kill_delay_s = 0;
    s.exit_status = -11;
  } else if (job.delete_forced || job.aborted) {
    s.id = 2;
    s.signal = "SIGKILL";
    s.kill_delay_s = 0;
    s.exit_status = 265;
  } else {
    s.id = 1;
    s.resend_term_s = resend_term_of(settings, s.kill_delay_s);
  }
  return s;
}
}  // namespace

std::vector<job_effect> pending_effects(const job_state& job, const settings& settings) {
  std::vector<job_effect> owed;
  if (job.phase == phase::waiting) owed.push_back(wake_at{job.execution_time * 1'000'000'000});
  const bool unwanted = job.delete_requested || job.rerun_requested || job.aborted;
  if (job.phase == phase::assigned && !unwanted && !job.provisioning()) owed.push_back(start_run{job.hosts.front(), job.run});
  if (job.running())
    for (const auto& request : job.requests) owed.push_back(tell_run{job.hosts.front(), job.run, request});
  if (job.running() && unwanted) owed.push_back(signal_for(job, settings));
  if (job.waits_for_hosts())
    for (const auto& host : job.allocated.hosts()) owed.push_back(discard_run{host, job.run});
  else
    for (const auto& host : job.unheard) owed.push_back(discard_run{host, job.run});
  return owed;
}

// Which it is, not when its turn comes: what a host is owed is sent in the order in which it is owed above.
effect_id id_of(const job_effect& effect) {
  struct visitor {
    effect_id operator()(const start_run& e) const { return {"start", {}, e.run}; }
    effect_id operator()(const signal_run& e) const { return {"signal", std::to_string(e.run), e.id}; }
    effect_id operator()(const tell_run& e) const { return {"tell", std::to_string(e.run), e.request.id}; }
    effect_id operator()(const discard_run& e) const { return {"discard", e.host, e.run}; }
    effect_id operator()(const wake_at& e) const { return {"wake", {}, static_cast<std::uint64_t>(e.wall_ns)}; }
  };
  return std::visit(visitor{}, effect);
}

schema::sealed<schema::ToMom> start_order(const job_state& job, const settings& settings, schema::byte_span inline_script) {
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    auto o = m.initStartRun();
    auto ref = o.initRef();
    ref.setJobSerial(job.serial);
    ref.setRun(job.run);
    ref.setJob(job.id);
    o.setOwner(std::string(job.owner()));
    o.setEuser(std::string(job.attribute(ids::euser)));
    o.setEgroup(std::string(job.attribute(ids::egroup)));
    o.setExecVnode(job.uses().exec_vnode());
    o.setExecHost(job.uses().exec_host());
    o.setQueue(std::string(job.queue()));
    o.setServerName(settings.server_name);
    o.setKillDelaySeconds(kill_delay_of(job, settings));
    o.setRestart(!job.checkpointed_at.empty());
    const auto& hosts = job.uses().hosts();
    if (hosts.size() > 1) {  // their addresses and the ticket come with the way out
      auto sisters = o.initSisters(static_cast<unsigned>(hosts.size() - 1));
      for (unsigned i = 0; i < sisters.size(); ++i) sisters[i].setHost(hosts[i + 1]);
    }
    auto script = o.initScript();
    script.setHash({reinterpret_cast<const kj::byte*>(job.script_hash.data()), job.script_hash.size()});
    script.setSize(job.script_size);
    if (!inline_script.empty())
      o.setInlineScript({reinterpret_cast<const kj::byte*>(inline_script.data()), inline_script.size()});
    // What it has on its hosts is above; of hundreds of hosts it is long.
    const auto is_said = [](const auto& entry) { return entry.id == ids::exec_vnode || entry.id == ids::exec_host; };
    unsigned count = 0;
    for (const auto& entry : job.attributes) count += !is_said(entry);
    auto list = o.initAttributes(count);
    unsigned i = 0;
    for (const auto& entry : job.attributes) {
      if (is_said(entry)) continue;
      auto a = list[i++];
      a.setName(attributes::find(schema::ObjectKind::JOB, entry.id)->name);
      a.setResource(std::string(entry.resource));
      a.setValue(std::string(entry.value));
    }
  });
}

}  // namespace annals::model
