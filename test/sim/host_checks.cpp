#include "test/sim/host_checks.hpp"

#include <kj/string.h>

#include <algorithm>

#include "events/log/log_reader.hpp"
#include "events/model/usage.hpp"
#include "projections/accounting/accounting.hpp"
#include "test/sim/network.hpp"
#include "test/sim/processes.hpp"
#include "test/sim/site_hooks.hpp"
#include "test/sim/world.hpp"

namespace annals::sim {

// -- vnodes and processes ------------------------------------------------------------------------------------------------------

void freed_vnodes::fold(const log::record& r) {
  sequence_ = r.sequence();
  const auto stream = r.get().getStream();
  const auto event = r.event();
  auto& j = jobs_[stream];
  if (schema::is(event, schema::HostEvent::ADDED)) hosts_[stream] = schema::str(event.getHost().getAdded().getName());
  if (schema::is(event, schema::HostEvent::CAME_UP)) up_.insert(hosts_[stream]);
  if (schema::is(event, schema::HostEvent::WENT_DOWN)) up_.erase(hosts_[stream]);
  if (!event.isJob()) return;
  const auto e = event.getJob();
  if (e.isQueued()) j.id = schema::str(e.getQueued().getId());
  if (e.isAssigned()) j.run = e.getAssigned().getRun();
  if (e.isDeleteRequested() && e.getDeleteRequested().getForce()) forced_.insert({j.id, j.run});
  if (e.isRerunRequested() && e.getRerunRequested().getForce()) forced_.insert({j.id, j.run});
  if (e.isVnodesReleased())
    for (auto host : e.getVnodesReleased().getHosts()) gone_[schema::str(host)][{j.id, j.run}] = r.get().getWallNs();
}

std::int64_t freed_vnodes::gone_ns(const std::string& host, const values::run_key& key) const {
  const auto of_host = gone_.find(host);
  if (!up_.contains(host) || of_host == gone_.end() || forced_.contains(key)) return 0;
  const auto at = of_host->second.find(key);
  return at == of_host->second.end() ? 0 : at->second;
}

namespace {
// When the host joined the run, by its own log.
std::int64_t joined_ns(const mom_process& mom, const values::run_key& key) {
  std::int64_t when = 0;
  (void)log::log_reader(*mom.store).read(1, [&](const log::record_ptr& r) {
    if (!schema::is(r->event(), schema::PartEvent::JOINED)) return true;
    const auto e = r->event().getPart().getJoined();
    if (values::run_key{schema::str(e.getJob()), e.getRun()} == key) when = r->get().getWallNs();
    return when == 0;
  });
  return when;
}
}  // namespace

bool world::hears_server(std::size_t mom) const {
  const auto at = links_.find(mom);
  return processes_[0]->up() && can_talk(0, mom) && at != links_.end() && at->second && !at->second->broken();
}

bool world::joined_just_now(std::size_t i, const values::run_key& key) const {
  constexpr std::int64_t told_within_ns = 10'000'000'000;
  const auto& mom = static_cast<const mom_process&>(*processes_[i]);
  const auto joined = joined_ns(mom, key);
  const auto deaf = deaf_ns_.find(i);
  return joined > freed_.gone_ns(mom.name(), key) &&
         clock.now - std::max(joined, deaf == deaf_ns_.end() ? 0 : deaf->second) < told_within_ns;
}

std::int64_t world::last_deaf_ns() const {
  std::int64_t last = 0;
  for (const auto& [mom, when] : deaf_ns_) last = std::max(last, when);
  return last;
}

// Looked at after every step of the world.
std::string world::check_vnodes() {
  if (server_store().last_sequence() != freed_.sequence())
    (void)log::log_reader(server_store()).read(freed_.sequence() + 1, [&](const log::record_ptr& r) {
      freed_.fold(*r);
      suspended_.fold(*r);
      if (o.reduces()) reduced_.fold(*r);
      return true;
    });
  if (o.reduces())
    if (auto why = check_reduced(); !why.empty()) return why;
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<mom_process&>(*processes_[i]);
    if (!hears_server(i)) deaf_ns_[i] = clock.now;
    for (const auto& [key, node_file] : mom.machine().places)
      if (freed_.believes_gone(mom.name(), key) && !joined_just_now(i, key))
        return mom.name() + " has a place for " + print(key) + " while its vnode is free at sequence " + std::to_string(freed_.sequence());
    for (const auto& [key, p] : mom.machine().programs) {
      if (p.started > clock.now || clock.now >= p.ends) continue;
      const auto& run = key.run();
      if (freed_.believes_gone(mom.name(), run) && !joined_just_now(i, run))
        return mom.name() + " has processes of " + print(key) + " while its vnode is free at sequence " + std::to_string(freed_.sequence());
      if (!o.watch_suspension) continue;
      if (const auto fault = suspended_.fault(run, p.stopped, std::max(p.started, last_deaf_ns()), clock.now); !fault.empty())
        return mom.name() + ": " + print(key) + " " + fault;
    }
  }
  return "";
}

std::string world::story() const {
  std::string text;
  const auto tell = [&](const std::string& who, const log::fault_store& store) {
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      const auto kind = r->kind();
      if (kind != schema::StreamKind::JOB && kind != schema::StreamKind::RUN && kind != schema::StreamKind::PART &&
          kind != schema::StreamKind::HOST && kind != schema::StreamKind::RESERVATION && kind != schema::StreamKind::QUEUE)
        return true;
      const std::string event = kj::str(r->event()).cStr();
      text += std::to_string(r->get().getWallNs() / 1'000'000 % 100'000'000) + " " + who + " " + std::to_string(r->get().getStream()) +
              " " + event.substr(0, 200) + "\n";
      return true;
    });
  };
  tell("server", static_cast<const server_process&>(*processes_[0]).store);
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<const mom_process&>(*processes_[i]);
    tell(mom.name(), *mom.store);
  }
  return text;
}

// -- when all is over ----------------------------------------------------------------------------------------------------------

// Nothing of any job is left: no process, no file, no directory, no actor.
std::string world::check_leaks() {
  const std::size_t idle = mom_process::idle_actors + (o.any_hooks() ? 1 : 0);  // who writes what hooks report
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& mom = static_cast<mom_process&>(*processes_[i]);
    if (!mom.machine().programs.empty()) return mom.name() + " still has files of " + print(mom.machine().programs.begin()->first);
    if (!mom.machine().places.empty()) return mom.name() + " still has a place for " + print(mom.machine().places.begin()->first);
    if (!mom.machine().outputs.empty()) return mom.name() + " still has what was written by " + print(*mom.machine().outputs.begin());
    if (mom.actors() > idle) return mom.name() + " has " + std::to_string(mom.actors()) + " actors, and no job";
  }
  return "";
}

// The records of each job: a start for each run, which was requeued or ended; one end for a job that ran in the end.
std::string world::check_accounting() {
  std::map<std::string, std::string> letters;  // by job id
  std::map<std::uint64_t, std::string> ids;
  std::map<std::string, int> runs;
  std::set<std::string> ended_running;
  projections::accounting accounting;
  (void)log::log_reader(server_store()).read(1, [&](const log::record_ptr& r) {
    const auto event = r->event();
    const auto& id = ids[r->get().getStream()];
    if (schema::is(event, schema::JobEvent::QUEUED)) ids[r->get().getStream()] = schema::str(event.getJob().getQueued().getId());
    if (schema::is(event, schema::JobEvent::ASSIGNED)) ++runs[id];
    if (schema::is(event, schema::JobEvent::ENDED) && event.getJob().getEnded().getHasExitStatus()) ended_running.insert(id);
    accounting.fold(*r, [&](std::int64_t, std::string_view line) {
      const auto letter = line.find(';') + 1, job = letter + 2;
      if (std::string_view("SRE").find(line[letter]) != std::string_view::npos)
        letters[std::string(line.substr(job, line.find(';', job) - job))] += line[letter];
    });
    return true;
  });
  for (const auto& [stream, id] : ids) {
    std::string expected;
    for (int i = 1; i < runs[id]; ++i) expected += "SR";
    if (runs[id] > 0) expected += ended_running.contains(id) ? "SE" : "SR";
    if (letters[id] != expected) return "the records of " + id + " are " + letters[id] + ", and it had " + expected;
  }
  return "";
}

// On so many hosts hooks have set what a run used there, by the hosts' own logs.
std::map<values::run_key, std::uint64_t> world::hosts_whose_hooks_used() const {
  std::map<values::run_key, std::uint64_t> count;
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    std::map<std::uint64_t, values::run_key> keys;  // by stream
    std::set<values::run_key> used;
    (void)log::log_reader(*static_cast<const mom_process&>(*processes_[i]).store).read(1, [&](const log::record_ptr& r) {
      const auto e = r->event();
      auto& key = keys[r->get().getStream()];
      if (schema::is(e, schema::RunEvent::RECEIVED))
        key = {schema::str(e.getRun().getReceived().getJob()), e.getRun().getReceived().getRun()};
      if (schema::is(e, schema::PartEvent::JOINED))
        key = {schema::str(e.getPart().getJoined().getJob()), e.getPart().getJoined().getRun()};
      if (schema::is(e, schema::RunEvent::HOOK_USED) || schema::is(e, schema::PartEvent::HOOK_USED)) used.insert(key);
      return true;
    });
    for (const auto& key : used) ++count[key];
  }
  return count;
}

// A run used what its programs used, on all its hosts: every program of this world uses one second of cpu time. And what hooks set
// there.
std::string world::check_usage() {
  struct used {
    std::uint64_t told = 0, by_host = 0, accelerators = 0;
    std::size_t hosts = 0;
  };
  std::map<std::uint64_t, std::string> ids;
  std::map<values::run_key, used> runs;  // whose end was reported
  wholly_known_runs_.clear();
  std::set<values::run_key> partly_known;  // a host did not say what it used
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    for (const auto& key : static_cast<mom_process&>(*processes_[i]).machine().lost_with_disk) partly_known.insert(key.run());
  (void)log::log_reader(server_store()).read(1, [&](const log::record_ptr& r) {
    const auto event = r->event();
    const auto& id = ids[r->get().getStream()];
    if (schema::is(event, schema::JobEvent::QUEUED)) ids[r->get().getStream()] = schema::str(event.getJob().getQueued().getId());
    if (schema::is(event, schema::JobEvent::RUN_STEP)) {
      const auto step = event.getJob().getRunStep();
      const auto what = step.getStep();
      if (what.isSisterFailed() || (what.isSisterLeft() && what.getSisterLeft().getAbandoned()))
        partly_known.insert({id, step.getRun()});
    }
    if (!schema::is(event, schema::JobEvent::EXITED) || !event.getJob().getExited().getReported()) return true;
    const auto e = event.getJob().getExited();
    auto& u = runs[{id, e.getRun()}];
    u.told = model::read_usage(e.getUsage()).seconds("cput");
    u.accelerators = model::read_usage(e.getUsage()).count("naccelerators");
    u.hosts = e.getHosts().size();
    for (auto h : e.getHosts()) u.by_host += model::read_usage(h.getUsage()).seconds("cput");
    return true;
  });
  auto of_hooks = hosts_whose_hooks_used();
  for (const auto& [key, u] : runs) {
    if (u.hosts > 0 && u.by_host != u.told)
      return "the hosts of " + print(key) + " used " + std::to_string(u.by_host) + " s, all together " + std::to_string(u.told);
    const auto programs = executions_of(key);
    if (u.told > programs || (u.told < programs && !partly_known.contains(key)))
      return print(key) + " used " + std::to_string(programs) + " s of cpu time, and " + std::to_string(u.told) + " were told";
    const auto expected = accelerators_of_hooks * of_hooks[key];
    if (u.accelerators > expected || (u.accelerators < expected && !partly_known.contains(key)))
      return "hooks have set " + std::to_string(expected) + " naccelerators of " + print(key) + ", and " + std::to_string(u.accelerators) +
             " were told";
    if (!partly_known.contains(key)) wholly_known_runs_.insert(key);
  }
  return "";
}

// What tasks wrote came to who asked for it or is in the job's files, all of it.
std::string world::check_output() {
  std::set<std::string> came;
  for (std::size_t i = first_mom(); i < processes_.size(); ++i) {
    const auto& lines = static_cast<const mom_process&>(*processes_[i]).machine().lines;
    came.insert(lines.begin(), lines.end());
  }
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    for (const auto& [key, executed] : static_cast<const mom_process&>(*processes_[i]).machine().executions) {
      const auto* task = key.task();
      if (!task || !wholly_known_runs_.contains(task->run)) continue;
      for (const bool errors : {false, true})
        for (const auto& line : lines_of_task(*task, errors))
          if (!came.contains(line)) return "\"" + line + "\" of a task was lost";
    }
  return "";
}

// How many programs of a run were ever started, on all hosts.
std::size_t world::executions_of(const values::run_key& key) const {
  std::size_t count = 0;
  for (std::size_t i = first_mom(); i < processes_.size(); ++i)
    for (const auto& [program, times] : static_cast<const mom_process&>(*processes_[i]).machine().executions)
      if (program.run() == key) ++count;
  return count;
}

}  // namespace annals::sim
