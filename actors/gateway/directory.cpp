#include "actors/gateway/directory.hpp"

#include <algorithm>
#include <unordered_set>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/attributes/unreleasable.hpp"
#include "events/log/place.hpp"

namespace annals::actors {

namespace {
void erase_stream(directory::names& names, std::uint64_t stream) {
  std::erase_if(names, [&](const auto& entry) { return entry.second == stream; });
}
}  // namespace

void directory::fold_job(const model::event_place& at, schema::JobEvent::Reader event) {
  using which = schema::JobEvent::Which;
  switch (event.which()) {
    case which::QUEUED: queued(at.stream, event.getQueued()); break;
    case which::ENDED:
      scripts_.erase(at.stream);
      if (const auto number = job_number(at.stream)) ended(*number);
      program_ended(at.stream);
      break;
    case which::EXITED:
    case which::START_FAILED:
    case which::REQUEUED: program_ended(at.stream); break;
    case which::ASSIGNED: {
      auto& place = runs_[at.stream];
      place = {event.getAssigned().getRun(), {}, {}, at.sequence, false};
      for (auto h : event.getAssigned().getHosts()) place.hosts.push_back(schema::str(h));
      if (!place.hosts.empty()) place.primary = place.hosts.front();
      break;
    }
    case which::VNODES_RELEASED: {
      std::unordered_set<std::string_view> gone;
      for (auto h : event.getVnodesReleased().getHosts()) gone.insert(schema::text(h));
      auto& hosts = runs_[at.stream].hosts;
      std::erase_if(hosts, [&](const std::string& host) { return gone.contains(host); });
      if (hosts.empty()) runs_.erase(at.stream);
      break;
    }
    case which::FORGOTTEN: {
      scripts_.erase(at.stream);  // a subjob that is its array's again has not ended
      const auto number = job_number(at.stream);
      if (!number) break;
      if (values::is_subjob(*number)) ended(*number);
      else arrays_.erase(*number);
      if (const auto named = serial_of_number_.find(*number); named && *named == at.stream) serial_of_number_.erase(*number);
      number_of_serial_.erase(at.stream);
      break;
    }
    default: break;
  }
}

void directory::queued(std::uint64_t serial, schema::JobQueued::Reader e) {
  const auto number = e.getNumber();
  next_number_ = std::max(next_number_, values::array_of(number) + 1);
  serial_of_number_.put(number, serial);
  number_of_serial_.put(serial, number);
  if (e.getIndices().size() > 0) arrays_[number] = {};
  if (values::is_subjob(number)) arrays_[values::array_of(number)].runs.insert(values::index_of(number));
  const auto hash = schema::bytes_of(e.getScript().getHash());
  if (!hash.empty())
    scripts_[serial] = {std::string(reinterpret_cast<const char*>(hash.data()), hash.size()), e.getScript().getSize()};
}

void directory::ended(std::uint64_t number) {
  const auto array = arrays_.find(values::array_of(number));
  if (array == arrays_.end()) return;
  if (values::is_subjob(number)) array->second.runs.erase(values::index_of(number));
  else array->second.ended = true;
}

std::optional<std::uint64_t> directory::job_named(const values::job_id& id) const {
  const bool is_whole = id.form == (array(id.number) ? values::id_form::array : values::id_form::job);
  return is_whole && !values::is_subjob(id.number) && job_serial(id.number) ? std::optional(id.number) : std::nullopt;
}

const directory::array_place* directory::array(std::uint64_t number) const {
  const auto at = arrays_.find(number);
  return at == arrays_.end() ? nullptr : &at->second;
}

std::string directory::job_id(std::uint64_t number) const {
  const auto& server = settings()->server_name;
  return array(number) ? values::array_id(number, server) : values::id_of_number(number, server);
}

void directory::program_ended(std::uint64_t serial) {
  if (const auto run = runs_.find(serial); run != runs_.end()) run->second.over = true;
}

void directory::fold(const log::record& record) {
  const auto at = log::place_of(record);
  sequence_ = at.sequence;
  mom_hooks_.fold(record);
  fold_stream(at, record);
}

void directory::fold_stream(const model::event_place& at, const log::record& record) {
  const auto event = record.event();
  switch (record.kind()) {
    case schema::StreamKind::JOB: return fold_job(at, event.getJob());
    case schema::StreamKind::SERVER:
      if (schema::is(event, schema::ServerEvent::STARTED)) server_stream_ = at.stream;
      settings_.fold(at, event);
      return;
    case schema::StreamKind::QUEUE:
      settings_.fold(at, event);
      if (const auto queue = settings_.queues().find(at.stream); queue != settings_.queues().end()) queues_[queue->second.name] = at.stream;
      else erase_stream(queues_, at.stream);
      return;
    case schema::StreamKind::HOST: return fold_host(at, event.getHost());
    case schema::StreamKind::SCHEDULER:
      settings_.fold(at, event);
      scheduler_table_.fold(record);
      if (schema::is(event, schema::SchedulerEvent::CREATED))
        schedulers_[schema::str(event.getScheduler().getCreated().getName())] = at.stream;
      else if (schema::is(event, schema::SchedulerEvent::DELETED)) erase_stream(schedulers_, at.stream);
      return;
    case schema::StreamKind::HOOK: return fold_hook(record);
    case schema::StreamKind::RESERVATION: return fold_reservation(at, event.getReservation());
    case schema::StreamKind::RUN:
    case schema::StreamKind::PART: return;
    case schema::StreamKind::LOG:
      if (event.getLog().isSalvaged()) next_number_ = std::max(next_number_, event.getLog().getSalvaged().getNextJobNumber());
      if (event.getLog().isLossAccepted()) next_number_ = std::max(next_number_, event.getLog().getLossAccepted().getNextNumber());
      return losses_.fold(record);
  }
}

std::vector<directory::resource_values> directory::values_of(const std::function<bool(std::string_view)>& is_one) const {
  std::vector<resource_values> all;
  const auto look = [&](schema::ObjectKind kind, const std::string& name, const attributes::attribute_set& at) {
    resource_values found{kind, name, {}};
    for (const auto& e : at)
      if (!e.resource.empty() && is_one(e.resource)) found.set.emplace_back(attributes::find(kind, e.id)->name, e.resource);
    if (!found.set.empty()) all.push_back(std::move(found));
  };
  look(schema::ObjectKind::SERVER, "", settings()->server);
  for (const auto& [name, queue] : settings()->queues) look(schema::ObjectKind::QUEUE, name, queue.attributes);
  for (const auto& [stream, host] : host_states_)
    for (const auto& v : host.vnodes) look(schema::ObjectKind::NODE, v.name, v.attributes);
  return all;
}

void directory::fold_host(const model::event_place& at, schema::HostEvent::Reader event) {
  using which = schema::HostEvent::Which;
  model::apply(host_states_[at.stream], at, event);
  switch (event.which()) {
    case which::ADDED: hosts_[schema::str(event.getAdded().getName())] = at.stream; return;
    case which::REMOVED:
      erase_stream(hosts_, at.stream);
      erase_stream(vnodes_, at.stream);
      host_states_.erase(at.stream);
      return;
    case which::VNODE_CREATED: vnodes_[schema::str(event.getVnodeCreated().getName())] = at.stream; return;
    case which::VNODE_DELETED: vnodes_.erase(schema::str(event.getVnodeDeleted().getName())); return;
    default: return;
  }
}

void directory::fold_reservation(const model::event_place& at, schema::ReservationEvent::Reader event) {
  auto& r = reservations_[at.stream];
  model::apply(r, at, event);
  if (event.isSubmitted()) {
    next_number_ = std::max(next_number_, model::number_of(r) + 1);
    reservation_names_[r.id] = at.stream;
  }
  if (r.phase != model::reservation_phase::ended) return;
  reservation_names_.erase(r.id);
  reservations_.erase(at.stream);
}

void directory::fold_hook(const log::record& record) {
  if (!hook_table_.fold(record)) return;
  const auto stream = record.get().getStream();
  const auto hook = hook_states().find(stream);
  if (hook == hook_states().end()) erase_stream(hooks_, stream);
  else hooks_[hook->second.name] = stream;
}

const model::hook_state* directory::hook(const std::string& name) const {
  const auto at = hooks_.find(name);
  return at == hooks_.end() ? nullptr : &hook_states().at(at->second);
}

std::optional<std::uint64_t> directory::job_serial(std::uint64_t number) const {
  return serial_of_number_.find(number);
}

std::optional<std::uint64_t> directory::job_number(std::uint64_t serial) const {
  return number_of_serial_.find(serial);
}

std::optional<std::string> directory::host_of_vnode(std::string_view vnode) const {
  const auto at = vnodes_.find(vnode);
  return at == vnodes_.end() ? std::nullopt : std::optional(host_states_.at(at->second).name);
}

const model::host_state* directory::host_named(std::string_view host) const {
  const auto at = hosts_.find(host);
  return at == hosts_.end() ? nullptr : &host_states_.at(at->second);
}

mom_place directory::mom_of(std::string_view host) const {
  const auto* state = host_named(host);
  return state ? mom_place{state->address, state->port} : mom_place{};
}

bool directory::has_run(const std::string& host, std::uint64_t serial, std::uint32_t run) const {
  const auto at = runs_.find(serial);
  if (at == runs_.end() || at->second.run != run) return false;
  return std::find(at->second.hosts.begin(), at->second.hosts.end(), host) != at->second.hosts.end();
}

bool directory::has_program(const std::string& host, std::uint64_t serial, std::uint32_t run) const {
  const auto at = runs_.find(serial);
  return at != runs_.end() && !at->second.over && has_run(host, serial, run);
}

attributes::unreleasable_vnodes directory::unreleasable_vnodes(std::uint64_t serial) const {
  namespace node = attributes::node;
  attributes::unreleasable_vnodes found;
  const auto run = runs_.find(serial);
  if (run == runs_.end()) return found;
  for (const auto& name : run->second.hosts) {
    const auto host = hosts_.find(name);
    if (name == run->second.primary || host == hosts_.end()) continue;
    for (const auto& vnode : host_states_.at(host->second).vnodes) {
      const auto of = [&](std::string_view resource) { return vnode.attributes.get(node::resources_available, resource).value_or(""); };
      if (auto why = attributes::why_unreleasable(vnode.name, of("vntype"), of("arch"))) found.emplace(vnode.name, std::move(*why));
    }
  }
  return found;
}

template <class Wanted>
void directory::add_words(const model::vnode_state& vnode, Wanted wanted, model::vnode_words& to) const {
  auto& words = to[vnode.name];
  for (const auto& e : vnode.attributes) {
    if (e.id != attributes::node::resources_available || !wanted(e.resource)) continue;
    const auto* r = settings()->resources.find(e.resource);
    if (r && !r->has(attributes::consumable)) words.emplace(std::string(e.resource), std::string(e.value));
  }
}

model::vnode_words directory::words_of(const std::vector<std::string>& vnodes) const {
  model::vnode_words out;
  for (const auto& name : vnodes) {
    const auto of = host_of_vnode(name);
    const auto* host = of ? host_named(*of) : nullptr;
    if (const auto* vnode = host ? host->vnode(name) : nullptr) add_words(
        *vnode, [](std::string_view) { return true; }, out);
  }
  return out;
}

model::vnode_words directory::words_of_hosts(std::uint64_t serial, const std::set<std::string, std::less<>>& resources) const {
  model::vnode_words out;
  const auto run = runs_.find(serial);
  if (run == runs_.end()) return out;
  for (const auto& name : run->second.hosts)
    if (const auto* host = host_named(name))
      for (const auto& vnode : host->vnodes) add_words(
          vnode, [&](std::string_view r) { return resources.contains(r); }, out);
  return out;
}

const directory::script* directory::script_of(std::uint64_t serial) const {
  const auto at = scripts_.find(serial);
  return at == scripts_.end() ? nullptr : &at->second;
}

std::vector<std::uint64_t> directory::numbers_of_jobs_on(const std::string& host) const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [serial, place] : runs_)
    if (std::find(place.hosts.begin(), place.hosts.end(), host) != place.hosts.end())
      if (const auto number = job_number(serial)) numbers.push_back(*number);
  return numbers;
}

std::vector<expected_run> directory::runs_on(const std::string& host) const {
  std::vector<expected_run> runs;
  for (const auto& [serial, place] : runs_)
    if (place.primary == host && std::find(place.hosts.begin(), place.hosts.end(), host) != place.hosts.end())
      runs.push_back({serial, job_number(serial).value_or(0), place.run, place.assigned});
  return runs;
}

}  // namespace annals::actors
