#include "test/sim/reserved_checks.hpp"

#include <algorithm>
#include <vector>

#include "events/attributes/ids.hpp"
#include "events/log/place.hpp"
#include "events/model/vnodes/amounts.hpp"

namespace annals::sim {

namespace {

constexpr int cpus_of_vnode = 2;
using phase = model::reservation_phase;

std::map<std::string, int> cpus_in(std::string_view exec_vnode) {
  std::map<std::string, int> sum;
  for (const auto& part : model::parts_of(exec_vnode)) sum[part.vnode] += static_cast<int>(part.cpus);
  return sum;
}

bool is_maintenance(const model::reservation_state& r) { return r.kind == schema::ReservationKind::MAINTENANCE; }

const char* name_of(schema::ReservationEvent::Which event) {
  using which = schema::ReservationEvent::Which;
  switch (event) {
    case which::SUBMITTED: return "submitted";
    case which::CONFIRMED: return "confirmed";
    case which::REFUSED: return "refused";
    case which::DENIED: return "denied";
    case which::ALTER_REQUESTED: return "alter requested";
    case which::ALTER_DENIED: return "alter denied";
    case which::CHANGED: return "changed";
    case which::OCCURRENCE_BEGAN: return "began";
    case which::OCCURRENCE_ENDED: return "occurrence ended";
    case which::DEGRADED: return "degraded";
    case which::RESTORED: return "restored";
    case which::DELETE_REQUESTED: return "delete requested";
    case which::ENDED: return "ended";
    case which::LATER_ASKED: return "later asked";
    case which::LATER_PLACED: return "later placed";
  }
  return "";
}

}  // namespace

void reserved_vnodes::found(const std::string& fault) {
  if (fault_.empty()) fault_ = fault + " at sequence " + std::to_string(sequence_);
}

std::string reserved_vnodes::unfinished() const {
  std::string text;
  for (const auto& [serial, r] : reservations_) text += r.id + " is " + std::string(model::state_name(r)) + "; ";
  for (const auto& [stream, name] : queues_) text += "the queue " + name + " is there; ";
  return text;
}

std::uint64_t reserved_vnodes::made_by(const std::string& command_id) const {
  const auto at = by_command_.find(command_id);
  return at == by_command_.end() ? 0 : at->second;
}

std::string reserved_vnodes::id_of(std::uint64_t serial) const {
  const auto at = ids_.find(serial);
  return at == ids_.end() ? "" : at->second;
}

void reserved_vnodes::fold(const log::record& record) {
  sequence_ = record.sequence();
  const auto stream = record.get().getStream();
  const auto event = record.event();
  if (event.isReservation()) return fold_reservation(record);
  if (event.isJob()) return fold_job(stream, event.getJob());
  if (!event.isQueue()) return;
  const auto queue = event.getQueue();
  if (queue.isCreated() && queue.getCreated().getReservation() != 0) {
    const auto name = schema::str(queue.getCreated().getName());
    for (const auto& [other, there] : queues_)
      if (there == name) found("a reservation has two queues, " + name);
    queues_[stream] = name;
  }
  if (queue.isDeleted()) queues_.erase(stream);
}

void reserved_vnodes::fold_reservation(const log::record& record) {
  const auto stream = record.get().getStream();
  const auto event = record.event().getReservation();
  auto& r = reservations_[stream];
  check_window(r, record);
  model::apply(r, log::place_of(record), event);
  ++happened_[name_of(event.which())];
  if (event.isSubmitted()) {
    const auto c = record.get().getCommandId();
    if (!by_command_.emplace(std::string(reinterpret_cast<const char*>(c.begin()), c.size()), stream).second)
      found("a submission became two reservations: " + r.id);
    ids_[stream] = r.id;
  }
  if (event.isDeleteRequested()) deleted_.insert(stream);
  if ((event.isConfirmed() || r.kind == schema::ReservationKind::FROM_JOB) && r.placed) check_promises(stream);
  if (r.phase != phase::ended) return;
  check_end(r);
  reservations_.erase(stream);
}

// No window opens before its time or closes before its end, and each once.
void reserved_vnodes::check_window(const model::reservation_state& before, const log::record& record) {
  const auto event = record.event().getReservation();
  const auto now = record.get().getWallNs();
  const auto* window = before.current();
  if (event.isOccurrenceBegan()) {
    if (!window || before.phase != phase::confirmed || window->index != event.getOccurrenceBegan().getIndex())
      found("a window of " + before.id + " opened that is not next");
    else if (window->start_ns > now) found("a window of " + before.id + " opened before its time");
    else if (window->exec_vnode.empty()) found("a window of " + before.id + " opened without a place");
  }
  if (event.isOccurrenceEnded()) {
    if (!window || before.phase != phase::running || window->index != event.getOccurrenceEnded().getIndex())
      found("a window of " + before.id + " closed that is not open");
    else if (window->end_ns > now) found("a window of " + before.id + " closed before its end");
  }
}

// All that is promised of a vnode, at each moment when something of it begins. Maintenance takes what others have.
void reserved_vnodes::check_promises(std::uint64_t of) {
  struct promise {
    std::int64_t start_ns, end_ns;
    cpus vnodes;
  };
  const auto promises_of = [](const model::reservation_state& r) {
    std::vector<promise> all;
    for (auto o = r.occurrences.begin() + r.over; o != r.occurrences.end(); ++o)
      all.push_back({o->start_ns, o->end_ns, cpus_in(o->exec_vnode)});
    return all;
  };
  const auto& own = reservations_.at(of);
  if (is_maintenance(own)) return;
  std::vector<promise> all;
  for (const auto& [serial, r] : reservations_)
    if (!is_maintenance(r) && r.has_queue())
      for (auto& p : promises_of(r)) all.push_back(std::move(p));
  for (const auto& at : promises_of(own))
    for (const auto& begins : all) {
      const auto moment = std::max(at.start_ns, begins.start_ns);
      cpus sum;
      for (const auto& p : all)
        if (p.start_ns <= moment && moment < p.end_ns)
          for (const auto& [vnode, n] : p.vnodes) sum[vnode] += n;
      for (const auto& [vnode, n] : at.vnodes)
        if (moment < at.end_ns && sum[vnode] > cpus_of_vnode) found(vnode + " is promised twice, the last time to " + own.id);
    }
}

void reserved_vnodes::check_end(const model::reservation_state& r) {
  for (const auto& [stream, name] : queues_)
    if (name == r.id) found(r.id + " ended, and its queue is there");
  for (const auto& [stream, j] : jobs_)
    if (j.queue == r.id && !j.ended) found(r.id + " ended, and the job of stream " + std::to_string(stream) + " is in it");
}

// -- jobs --------------------------------------------------------------------------------------------------------------------

const model::reservation_state* reserved_vnodes::of_queue(const std::string& queue) const {
  for (const auto& [serial, r] : reservations_)
    if (r.id == queue) return &r;
  return nullptr;
}

// The job whose vnodes a reservation has is its own from the beginning on.
bool reserved_vnodes::belongs_to(std::uint64_t stream, const job& j, const model::reservation_state& r) const {
  return j.queue == r.id || (r.kind == schema::ReservationKind::FROM_JOB && r.job == stream);
}

void reserved_vnodes::fold_job(std::uint64_t stream, schema::JobEvent::Reader event) {
  auto& j = jobs_[stream];
  if (event.isQueued()) j.queue = schema::str(event.getQueued().getQueue());
  if (event.isMoved()) {
    j.queue = schema::str(event.getMoved().getQueue());
    ++happened_["job moved"];
  }
  if (event.isEnded()) j.ended = true;
  if (event.isVnodesReleased())
    for (const auto& [vnode, n] : cpus_in(schema::text(event.getVnodesReleased().getExecVnode())))
      if ((j.held[vnode] -= n) <= 0) j.held.erase(vnode);
  if (!event.isAssigned() && !event.isVnodesTaken()) return;
  for (const auto& [vnode, n] : cpus_in(
           schema::text(event.isAssigned() ? event.getAssigned().getExecVnode() : event.getVnodesTaken().getExecVnode())))
    j.held[vnode] += n;
  check_run(stream);
}

void reserved_vnodes::check_run(std::uint64_t stream) {
  const auto& j = jobs_.at(stream);
  if (const auto* r = of_queue(j.queue)) {
    check_inside(stream, *r);
    ++happened_["run inside"];
    return;
  }
  for (const auto& [vnode, n] : j.held) check_beside(vnode);
}

void reserved_vnodes::check_inside(std::uint64_t stream, const model::reservation_state& r) {
  const auto who = "the job of stream " + std::to_string(stream) + " in " + r.id;
  if (r.phase != phase::running) return found(who + " was started outside of its window");
  const auto own = cpus_in(r.current()->exec_vnode);
  cpus sum;
  for (const auto& [other, j] : jobs_)
    if (belongs_to(other, j, r))
      for (const auto& [vnode, n] : j.held) sum[vnode] += n;
  for (const auto& [vnode, n] : jobs_.at(stream).held) {
    const auto at = own.find(vnode);
    if (at == own.end()) return found(who + " got " + vnode + ", which is not of its reservation");
    if (!is_maintenance(r) && sum[vnode] > at->second) return found(who + " got more of " + vnode + " than its reservation has");
  }
}

// What jobs of nobody have, and what is open there, fits on the vnode.
void reserved_vnodes::check_beside(const std::string& vnode) {
  int sum = 0;
  std::string who;
  for (const auto& [serial, r] : reservations_) {
    if (r.phase != phase::running || r.in_conflict) continue;
    const auto own = cpus_in(r.current()->exec_vnode);
    if (!own.contains(vnode)) continue;
    sum += is_maintenance(r) ? cpus_of_vnode : own.at(vnode);
    who = r.id;
  }
  if (sum == 0) return;
  for (const auto& [stream, j] : jobs_)
    if (const auto at = j.held.find(vnode); at != j.held.end()) {
      const auto of_some = std::any_of(reservations_.begin(), reservations_.end(),
                                       [&, s = stream, job = &j](const auto& r) { return belongs_to(s, *job, r.second); });
      if (!of_some) sum += at->second;
    }
  if (sum > cpus_of_vnode) found("a job of nobody got what " + who + " has of " + vnode);
}

}  // namespace annals::sim
