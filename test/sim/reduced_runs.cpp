#include "test/sim/reduced_runs.hpp"

#include <algorithm>
#include <utility>

#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/holdings.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/select.hpp"

namespace annals::sim {

namespace {

namespace ids = attributes::job;

cpus_by_vnode cpus_of(std::string_view exec_vnode) {
  cpus_by_vnode cpus;
  for (const auto& part : model::parts_of(exec_vnode)) cpus[part.vnode] += static_cast<int>(part.cpus);
  return cpus;
}

void add(cpus_by_vnode& to, const cpus_by_vnode& more) {
  for (const auto& [vnode, n] : more) to[vnode] += n;
}

// What ends while it is suspended holds nothing, and releases it all the same.
void take_away(cpus_by_vnode& from, const cpus_by_vnode& less) {
  for (const auto& [vnode, n] : less) from[vnode] = std::max(0, from[vnode] - n);
}

std::string print(const cpus_by_vnode& cpus) {
  std::string text;
  for (const auto& [vnode, n] : cpus)
    if (n != 0) text += (text.empty() ? "" : "+") + vnode + ":" + std::to_string(n);
  return text;
}

values::run_key key_of(const model::job_state& job) { return {job.id, job.run}; }

// Everything of its request that a reduction may change.
std::string request_of(const model::job_state& job) {
  std::string text = "schedselect=" + std::string(job.attribute(ids::schedselect));
  for (const auto& [name, value] : attributes::resources_of(job.attributes, ids::Resource_List)) text += "," + name + "=" + value;
  return text;
}

std::size_t chunks_of(std::string_view exec_vnode) {
  const auto spec = values::parse_exec_vnode(exec_vnode);
  return spec ? spec->chunks.size() : 0;
}

}  // namespace

void reduced_runs::fold(const log::record& r) {
  if (!r.event().isJob() || !fault_.empty()) return;
  auto& j = jobs_[r.get().getStream()];
  changed_.insert(r.get().getStream());
  const auto e = r.event().getJob();
  if (!j.believes && !e.isReduced()) fault_ = print(key_of(j.state)) + " was reduced, as its MoM tells, and the server does not believe it";
  model::apply(j.state, {r.sequence(), r.get().getStream(), r.get().getStreamVersion(), r.get().getWallNs(), {}}, e);
  see(j, r);
}

void reduced_runs::see(job& j, const log::record& r) {
  const auto e = r.event().getJob();
  const auto now = r.get().getWallNs();
  if (e.isQueued()) j.asked = request_of(j.state);
  if (e.isAssigned()) j = {j.state, j.asked, cpus_of(schema::text(e.getAssigned().getExecVnode())), {}, {}, {}, {}, true};
  if (e.isAssigned()) j.used = j.held;
  if (e.isRunStep() && e.getRunStep().getStep().isAllocationReduced()) on_told(j, e.getRunStep().getStep().getAllocationReduced());
  if (e.isReduced()) on_reduced(j, e.getReduced(), now);
  if (e.isVnodesReleased()) on_released(j, e.getVnodesReleased(), now);
  if (e.isVnodesTaken()) add(j.held, cpus_of(schema::text(e.getVnodesTaken().getExecVnode())));
  if (e.isVnodesTaken()) j.suspended = false;
  if (e.isExited() && e.getExited().getReported()) ended_[key_of(j.state)] = std::string(j.state.attribute(ids::exec_vnode));
  if (e.isExited() || e.isStartFailed() || e.isEnded()) j.goes_on = false;
  if (e.isRequeued()) j.reduced = false;
}

// What hooks or rjselect have reduced is believed in the next record; what was asked for the server knows.
void reduced_runs::on_told(job& j, schema::AllocationReduced::Reader e) {
  const auto left = schema::str(e.getExecVnode());
  if (schema::text(e.getBy()) != "pbs_release_nodes") j.believes = false;
  else if (!j.released.contains(left)) fault_ = print(key_of(j.state)) + " goes on with " + left + ", and nobody asked for it";
}

void reduced_runs::on_reduced(job& j, schema::JobReduced::Reader e, std::int64_t now_ns) {
  ++count_;
  j.believes = j.reduced = true;
  j.stages_out = e.getStageOut();
  const auto before = std::exchange(j.used, cpus_of(schema::text(e.getExecVnode())));
  const bool asked_for = model::ends_phase(e);
  if (asked_for) j.released.insert(schema::str(e.getExecVnode()));
  for (const auto& [vnode, n] : before)
    if (!j.used.contains(vnode)) j.dropped[vnode] = {now_ns, n + std::exchange(j.behind[vnode], 0)};
    else if (asked_for) j.behind[vnode] += n - j.used.at(vnode);
  if (!asked_for && !j.state.bears_failures) fault_ = print(key_of(j.state)) + " was reduced, and bears no failure";
}

void reduced_runs::on_released(job& j, schema::VnodesReleased::Reader e, std::int64_t now_ns) {
  take_away(j.held, cpus_of(schema::text(e.getExecVnode())));
  if (e.getWhy() == schema::ReleaseReason::SUSPENDED) j.suspended = true;
  for (auto host : e.getHosts())
    if (j.dropped.erase(schema::str(host)) != 0 && (j.goes_on || j.stages_out) && e.getWhy() == schema::ReleaseReason::LEFT)
      handed_back_.push_back({key_of(j.state), schema::str(host), now_ns});
}

// -- what must hold ----------------------------------------------------------------------------------------------------------

std::string reduced_runs::fault() {
  if (!fault_.empty()) return fault_;
  for (const auto stream : std::exchange(changed_, {}))
    if (auto why = fault_of(jobs_.at(stream)); !why.empty()) return print(key_of(jobs_.at(stream).state)) + " " + why;
  return "";
}

std::string reduced_runs::fault_of(const job& j) const {
  if (!j.believes) return "was reduced, as its MoM tells, and the server does not believe it";
  if (!j.reduced && !j.state.ended() && request_of(j.state) != j.asked)
    return "asks " + request_of(j.state) + ", and asked " + j.asked;
  if (!j.goes_on) return "";
  auto expected = j.suspended ? cpus_by_vnode() : j.used;
  add(expected, j.behind);  // until its host goes, whether it is suspended or not
  for (const auto& [host, part] : j.dropped) expected[host] += part.cpus;
  if (print(expected) != print(j.held)) return "holds " + print(j.held) + ", and has " + print(expected);
  const auto shown = j.state.attribute(ids::exec_vnode);
  if (print(cpus_of(shown)) != print(j.used)) return "shows " + std::string(shown) + ", and uses " + print(j.used);
  const auto select = values::parse_select(j.state.attribute(ids::schedselect));
  if (j.reduced && (!select || select->chunk_count() != chunks_of(shown)))
    return "shows the schedselect " + std::string(j.state.attribute(ids::schedselect)) + " on " + std::string(shown);
  return "";
}

std::string reduced_runs::fault_of_sums(const model::holdings& ledger) const {
  cpus_by_vnode sums;
  for (const auto& [stream, j] : jobs_) add(sums, j.held);
  for (const auto& [vnode, cpus] : sums) {
    const auto* use = ledger.find(vnode);
    const int kept = use ? static_cast<int>(use->assigned.value_of("ncpus")) : 0;
    if (kept != cpus) return "the ledger keeps " + std::to_string(kept) + " cpus of " + vnode + ", and jobs hold " + std::to_string(cpus);
  }
  return "";
}

std::vector<reduced_runs::dropped_host> reduced_runs::dropped() const {
  std::vector<dropped_host> all;
  for (const auto& [stream, j] : jobs_)
    if (j.goes_on)
      for (const auto& [host, part] : j.dropped) all.push_back({key_of(j.state), host, part.since_ns});
  return all;
}

std::vector<reduced_runs::dropped_host> reduced_runs::take_handed_back() { return std::exchange(handed_back_, {}); }

const std::string* reduced_runs::told_at_the_end(const values::run_key& key) const {
  const auto at = ended_.find(key);
  return at == ended_.end() ? nullptr : &at->second;
}

}  // namespace annals::sim
