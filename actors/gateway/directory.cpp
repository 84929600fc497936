#include "actors/gateway/directory.hpp"

#include <algorithm>

#include "actors/runtime/log_writer.hpp"
#include "hooks-runtime/catalog/events.hpp"

namespace annals::actors {

using which = schema::Event::Which;

namespace {
void erase_stream(directory::names& names, std::uint64_t stream) {
  std::erase_if(names, [&](const auto& entry) { return entry.second == stream; });
}
}  // namespace

void directory::fold_job(const model::event_place& at, schema::Event::Reader event) {
  switch (event.which()) {
    case which::JOB_QUEUED: {
      const auto number = event.getJobQueued().getNumber();
      next_number_ = std::max(next_number_, number + 1);
      serial_of_number_[number] = at.stream;
      number_of_serial_[at.stream] = number;
      break;
    }
    case which::JOB_ASSIGNED: {
      auto& place = runs_[at.stream];
      place = {event.getJobAssigned().getRun(), {}, {}, at.sequence};
      for (auto h : event.getJobAssigned().getHosts()) place.hosts.push_back(schema::str(h));
      if (!place.hosts.empty()) place.primary = place.hosts.front();
      break;
    }
    case which::VNODE_HANDED_BACK: {
      auto& hosts = runs_[at.stream].hosts;
      std::erase(hosts, schema::str(event.getVnodeHandedBack().getHost()));
      if (hosts.empty()) runs_.erase(at.stream);
      break;
    }
    case which::JOB_FORGOTTEN:
      serial_of_number_.erase(number_of_serial_[at.stream]);
      number_of_serial_.erase(at.stream);
      break;
    default: break;
  }
}

void directory::fold(const log::record& record) {
  const auto at = place_of(record);
  sequence_ = at.sequence;
  fold_stream(at, record);
  fold_looks(record);
}

void directory::fold_stream(const model::event_place& at, const log::record& record) {
  const auto event = record.event();
  switch (record.get().getStreamKind()) {
    case schema::StreamKind::JOB: return fold_job(at, event);
    case schema::StreamKind::SERVER:
      model::apply(server_, at, event);
      return rebuild_site();
    case schema::StreamKind::QUEUE: {
      auto& queue = queue_states_[at.stream];
      model::apply(queue, at, event);
      if (queue.exists) queues_[queue.name] = at.stream;
      else {
        erase_stream(queues_, at.stream);
        queue_states_.erase(at.stream);
      }
      return rebuild_site();
    }
    case schema::StreamKind::HOST:
      if (event.which() == which::HOST_ADDED) {
        hosts_[schema::str(event.getHostAdded().getName())] = at.stream;
        host_names_[at.stream] = schema::str(event.getHostAdded().getName());
      } else if (event.which() == which::HOST_REMOVED) {
        erase_stream(hosts_, at.stream);
        erase_stream(vnodes_, at.stream);
      } else if (event.which() == which::HOST_CAME_UP) {
        moms_[host_names_[at.stream]] = {schema::str(event.getHostCameUp().getAddress()), event.getHostCameUp().getPort()};
      } else if (event.which() == which::VNODE_CREATED) {
        vnodes_[schema::str(event.getVnodeCreated().getName())] = at.stream;
      } else if (event.which() == which::VNODE_DELETED) {
        vnodes_.erase(schema::str(event.getVnodeDeleted().getName()));
      }
      return;
    case schema::StreamKind::SCHEDULER:
      if (event.which() == which::SCHEDULER_CREATED) schedulers_[schema::str(event.getSchedulerCreated().getName())] = at.stream;
      else if (event.which() == which::SCHEDULER_DELETED) erase_stream(schedulers_, at.stream);
      return;
    case schema::StreamKind::HOOK: return fold_hook(at, event);
    case schema::StreamKind::RUN:
    case schema::StreamKind::PART: return;
  }
}

void directory::fold_hook(const model::event_place& at, schema::Event::Reader event) {
  auto& hook = hook_states_[at.stream];
  model::apply(hook, at, event);
  had_hooks_ = true;
  if (event.which() == which::HOOK_RAN) return;
  if (hook.exists) {
    hooks_[hook.name] = at.stream;
  } else {
    erase_stream(hooks_, at.stream);
    hook_states_.erase(at.stream);
  }
  hook_events_ = 0;
  for (const auto& [serial, h] : hook_states_)
    for (const auto& e : hooks::hook_events())
      if (h.runs_at(e.name)) hook_events_ |= e.bit;
}

std::vector<std::string> directory::subjects_of(const model::look& look, std::uint64_t stream) const {
  std::vector<std::string> subjects;
  if (look.of_job) {
    if (const auto number = job_number(stream)) subjects.push_back(std::to_string(*number) + "." + site_->server_name);
    return subjects;
  }
  for (const auto& [vnode, host] : vnodes_)
    if (host == stream && (look.vnode.empty() || look.vnode == vnode)) subjects.push_back(vnode);
  return subjects;
}

void directory::fold_looks(const log::record& record) {
  const auto event = record.event();
  const auto stream = record.get().getStream();
  if (event.isHookRan()) {
    looks_.erase({record.get().getCause(), schema::str(event.getHookRan().getSubject()), stream});
    return;
  }
  // A hook that was turned off or deleted owes nothing.
  if (record.get().getStreamKind() == schema::StreamKind::HOOK) {
    const auto hook = hook_states_.find(stream);
    std::erase_if(looks_, [&](const auto& look) {
      return look.first.hook == stream && (hook == hook_states_.end() || !hook->second.runs_at(look.second->name));
    });
    return;
  }
  const auto look = hook_events_ == 0 ? std::nullopt : model::look_at(event);
  const auto* of = look ? hooks::find_event(look->event) : nullptr;
  if (!of || (hook_events_ & of->bit) == 0) return;
  const auto subjects = subjects_of(*look, stream);
  for (const auto& [serial, hook] : hook_states_)
    if (hook.runs_at(of->name))
      for (const auto& subject : subjects) looks_.emplace(owed_look{record.sequence(), subject, serial}, of);
}

const model::hook_state* directory::hook(const std::string& name) const {
  const auto at = hooks_.find(name);
  return at == hooks_.end() ? nullptr : &hook_states_.at(at->second);
}

void directory::rebuild_site() {
  auto s = std::make_shared<model::site>();
  s->server_name = server_.server_name;
  s->host_name = server_.host_name;
  s->home = home_;
  s->server = server_.attributes;
  s->resources = server_.resources;
  for (const auto& [serial, queue] : queue_states_)
    if (queue.exists) s->queues[queue.name] = {queue.order, queue.attributes};
  site_ = std::move(s);
}

std::optional<std::uint64_t> directory::job_serial(std::uint64_t number) const {
  const auto at = serial_of_number_.find(number);
  return at == serial_of_number_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::uint64_t> directory::job_number(std::uint64_t serial) const {
  const auto at = number_of_serial_.find(serial);
  return at == number_of_serial_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::string> directory::host_of_vnode(std::string_view vnode) const {
  const auto at = vnodes_.find(vnode);
  return at == vnodes_.end() ? std::nullopt : std::optional(host_names_.at(at->second));
}

directory::mom_place directory::mom_of(std::string_view host) const {
  const auto at = moms_.find(host);
  return at == moms_.end() ? mom_place{} : at->second;
}

bool directory::has_run(const std::string& host, std::uint64_t serial, std::uint32_t run) const {
  const auto at = runs_.find(serial);
  if (at == runs_.end() || at->second.run != run) return false;
  return std::find(at->second.hosts.begin(), at->second.hosts.end(), host) != at->second.hosts.end();
}

std::vector<std::uint64_t> directory::jobs_with_runs() const {
  std::vector<std::uint64_t> serials;
  for (const auto& [serial, place] : runs_) serials.push_back(serial);
  return serials;
}

std::vector<expected_run> directory::runs_on(const std::string& host) const {
  std::vector<expected_run> runs;
  for (const auto& [serial, place] : runs_)
    if (place.primary == host && std::find(place.hosts.begin(), place.hosts.end(), host) != place.hosts.end())
      runs.push_back({serial, job_number(serial).value_or(0), place.run, place.assigned});
  return runs;
}

}  // namespace annals::actors
