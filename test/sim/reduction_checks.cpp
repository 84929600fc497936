// What must hold between the logs and the hosts of a simulated world when runs go on with less than they had.
#include <algorithm>

#include "events/log/log_reader.hpp"
#include "test/sim/host_checks.hpp"
#include "test/sim/processes.hpp"

namespace annals::sim {

namespace {

// A line for each chunk of one cpu, in no order: hosts of this world have one vnode of the same name.
std::string lines_of(std::string_view exec_vnode) {
  std::string lines;
  for (const auto& part : model::parts_of(exec_vnode)) lines += part.vnode + '\n';
  return lines;
}

// What each run had on the host that is its first, one after the other, by that host's log.
std::map<values::run_key, std::vector<std::string>> exec_vnodes_of(const mom_process& mom) {
  std::map<std::uint64_t, values::run_key> keys;
  std::map<values::run_key, std::vector<std::string>> had;
  (void)log::log_reader(*mom.store).read(1, [&](const log::record_ptr& r) {
    if (!r->event().isRun()) return true;
    const auto e = r->event().getRun();
    auto& key = keys[r->get().getStream()];
    if (e.isAllocationReduced()) had[key].push_back(schema::str(e.getAllocationReduced().getExecVnode()));
    if (!e.isReceived()) return true;
    key = {schema::str(e.getReceived().getJob()), e.getReceived().getRun()};
    const auto order = schema::sealed_message::from_bytes(schema::bytes_of(e.getReceived().getOrder()));
    if (order) had[key] = {schema::str(order->root<schema::ToMom>().getStartRun().getExecVnode())};
    return true;
  });
  return had;
}

}  // namespace

// A host that a run goes on without is rid of the job, and nobody waits for ever that it is.
std::string world::check_reduced() {
  if (auto why = reduced_.fault(); !why.empty()) return why + " at sequence " + std::to_string(freed_.sequence());
  for (const auto& gone : reduced_.take_handed_back()) {
    const auto& mom = static_cast<mom_process&>(*processes_[index_of(gone.host)]);
    for (const auto& part : actors::read_mom_log(log::log_reader(*mom.store)).known_parts)
      if (part.what.key == gone.key)
        return gone.host + " still has a part of " + print(gone.key) + ", whose vnodes there it has handed back";
  }
  constexpr auto heals_within_ns = 60 * second, leaves_within_ns = 60 * second;
  for (const auto& d : reduced_.dropped())
    if (clock.now > std::max(d.since_ns, calm_since_ns_ + heals_within_ns) + leaves_within_ns)
      return d.host + " was dropped by " + print(d.key) + " and is not rid of it";
  return "";
}

// The ledger is ahead of the disk while an append is on its way.
std::string world::check_sums() {
  const auto& server = static_cast<server_process&>(*processes_[0]);
  if (!server.parts() || server.wants_crash || stands_still(0)) return "";
  return reduced_.fault_of_sums(server.parts()->ledger().holdings());
}

// Every program began with what its run had been left with, and its tasks found the same. While vnodes are released, with what it had
// at some time, and what the job shows may be released before its MoM has heard of it.
std::string world::check_reductions() {
  std::map<values::run_key, std::set<std::string>> programs;  // node files that the run may show
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<const mom_process&>(*processes_[i]);
    const auto all = exec_vnodes_of(mom);
    for (const auto& [program, node_file] : mom.machine().node_files) {
      if (!program.is_own()) continue;
      const auto& key = program.run();
      const auto has = all.find(key);
      if (has == all.end()) {  // its log is lost, and with it what was released
        if (o.releases == 0) programs[key] = {node_file};
        continue;
      }
      const auto& last = has->second.back();
      for (const auto& one : has->second)
        if (o.releases > 0 || &one == &last) programs[key].insert(lines_of(one));
      if (!programs.at(key).contains(node_file)) return print(key) + " began on " + node_file + "and had " + last;
      const auto* told = reduced_.told_at_the_end(key);
      if (o.releases == 0 && told && *told != last) return print(key) + " ended with " + last + ", and the job shows " + *told;
    }
  }
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<const mom_process&>(*processes_[i]);
    const auto names_it = [&](const std::string& node_file) { return node_file.find(mom.name() + '\n') != std::string::npos; };
    for (const auto& [key, times] : mom.machine().executions) {
      const auto program = programs.find(key.run());
      if (program != programs.end() && std::ranges::none_of(program->second, names_it))
        return mom.name() + " ran " + print(key) + ", and was no host of it any more";
    }
    for (const auto& [key, node_file] : mom.machine().node_files)
      if (const auto program = programs.find(key.run()); program != programs.end() && !program->second.contains(node_file))
        return print(key) + " found " + node_file + "on " + mom.name() + ", and its job has " + *program->second.begin();
  }
  return "";
}

}  // namespace annals::sim
