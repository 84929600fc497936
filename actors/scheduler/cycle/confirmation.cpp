#include "actors/scheduler/cycle/confirmation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "events/values/exec_vnode.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

constexpr const char* no_place = "No available resources on nodes";

bool runs(const reservation& r, const reservation_window& w) { return r.running != 0 && w.index == r.running; }

}  // namespace

reservation_answer confirmation::answer(const reservation& r) {
  auto out = r.kind == schema::ReservationKind::MAINTENANCE ? take_hosts(r) : find_places(r);
  out.reservation = r.serial;
  out.ask = r.ask;
  const auto say = [&](std::string text) { log_.line(event_resv, "Resv", r.id, log_.keep(std::move(text))); };
  if (out.places.empty()) {
    say("PBS Failed to confirm resv: " + out.refused);
    if (!r.avoid.empty()) say("Reservation is in degraded mode");  // it stays so
    return out;
  }
  say("Confirming " + std::to_string(out.places.size()) + " Occurrences");
  say("Reservation Confirmed");
  dates_.rebook(r, r.booked_with(out.places));
  return out;
}

// All windows, or none of them.
reservation_answer confirmation::find_places(const reservation& r) {
  reservation_answer out;
  refusal why;
  find_used(r);
  const auto barred = barred_for(r);
  dates_.begin_placing(r);
  begin_at_place_before(r);
  for (auto w : r.wanted) {
    auto place = jobs_.request_of(r.asked).understood ? place_for(r, w, barred, why) : std::nullopt;
    if (!place) {
      out.places.clear();
      break;
    }
    out.places.push_back({w, std::move(*place)});
    if (out.places.back().exec_vnode == last_) continue;
    last_ = out.places.back().exec_vnode;
    last_claim_ = dates_.claim_for(r, last_);
  }
  dates_.finish_placing();
  if (out.places.empty()) out.refused = why.text.empty() ? no_place : why.text;
  return out;
}

// Later occurrences of a standing reservation go where the earlier ones are.
void confirmation::begin_at_place_before(const reservation& r) {
  last_.clear();
  if (r.wanted.empty()) return;
  const auto is_before = [&](const auto& p) { return p.when.index < r.wanted.front().index; };
  const auto before = std::find_if(r.places.rbegin(), r.places.rend(), is_before);
  if (before == r.places.rend()) return;
  last_ = part_of(r, before->exec_vnode).value_or("");
  if (!last_.empty()) last_claim_ = dates_.claim_for(r, last_);
}

// Rising.
std::vector<index> confirmation::barred_for(const reservation& r) const {
  auto barred = avoided_by(r);
  for (index at = 0; at < vnodes_.size(); ++at)
    if (!vnodes_[at].takes_reservations) barred.push_back(at);
  std::sort(barred.begin(), barred.end());
  return barred;
}

std::vector<index> confirmation::avoided_by(const reservation& r) const {
  std::vector<index> avoided;
  for (const auto& name : r.avoid)
    if (const index at = vnodes_.find(name); at != none) avoided.push_back(at);
  std::sort(avoided.begin(), avoided.end());
  return avoided;
}

// The vnodes it has are the first choice, then those of the window before: an occurrence is where people know it to be.
std::optional<std::string> confirmation::place_for(const reservation& r, reservation_window& w, const std::vector<index>& barred,
                                                   refusal& why) {
  const calendar::trial t{r.asked, w.start(), w.end(), r.serial, barred};
  if (auto kept = kept_place(r, w)) return kept;
  if (r.kind == schema::ReservationKind::ASAP && r.places.empty()) {
    auto found = dates_.place_soonest(t, why);
    if (!found) return std::nullopt;
    const auto start_ns = found->start * reservation_window::ns_per_second;
    w = {w.index, start_ns, start_ns + (w.end_ns - w.start_ns)};
    return std::move(found->exec_vnode);
  }
  const auto is_enough = [&](const std::string& place) { return !runs(r, w) || has_all_jobs(r, place); };
  if (!last_.empty() && dates_.can_have(last_claim_, t) && is_enough(last_)) return last_;
  auto found = dates_.place_at(t, why);
  if (!found) return std::nullopt;
  if (is_enough(found->exec_vnode)) return std::move(found->exec_vnode);
  why.text = no_place;
  return std::nullopt;
}

// What it has at that time, or the part of it that it asks for now. A vnode that takes no reservations any more keeps those it has.
std::optional<std::string> confirmation::kept_place(const reservation& r, const reservation_window& w) const {
  const auto old = std::find_if(r.places.begin(), r.places.end(), [&](const auto& p) { return p.when.index == w.index; });
  if (old == r.places.end()) return std::nullopt;
  const auto avoided = avoided_by(r);
  auto place = part_of(r, old->exec_vnode);
  if (!place || !dates_.can_have(dates_.claim_for(r, *place), {r.asked, w.start(), w.end(), r.serial, avoided})) return std::nullopt;
  if (runs(r, w) && !has_all_jobs(r, *place)) return std::nullopt;
  return place;
}

// Of the chunks that it has those that the select still asks for; first those that its jobs use. A vnode that is gone is no part of it.
std::optional<std::string> confirmation::part_of(const reservation& r, const std::string& exec_vnode) const {
  const auto has = values::parse_exec_vnode(exec_vnode);
  if (!has) return std::nullopt;
  for (const auto& name : has->vnodes())
    if (vnodes_.find(name) == none) return std::nullopt;
  const request& asked = jobs_.request_of(r.asked);
  if (dates_.asks_for(r.asked, dates_.claim_for(r, exec_vnode))) return exec_vnode;
  if (asked.share == values::sharing::exclhost) return std::nullopt;
  std::vector<values::exec_chunk> left = has->chunks;
  std::stable_partition(left.begin(), left.end(), [&](const auto& c) { return is_used(c); });
  values::exec_vnode_spec part;
  for (const chunk& c : asked.chunks)
    for (std::uint32_t n = 0; n < c.count; ++n) {
      const auto fit = std::find_if(left.begin(), left.end(), [&](const auto& old) { return answers(c, old); });
      if (fit == left.end()) return std::nullopt;
      part.chunks.push_back(std::move(*fit));
      left.erase(fit);
    }
  return values::print(part);
}

void confirmation::find_used(const reservation& r) {
  used_.clear();
  if (r.running == 0) return;
  for (index at = 0; at < jobs_.size(); ++at)
    if (holds_within(r, jobs_[at]))
      for (const auto& t : view_.claims().held_by(at).vnodes) used_.insert(t.vnode);
}

bool confirmation::holds_within(const reservation& r, const job& j) const {
  return (j.where == job_place::running || j.where == job_place::proposed) && view_.reservations().of(j) == &r;
}

bool confirmation::is_used(const values::exec_chunk& c) const {
  return std::any_of(c.parts.begin(), c.parts.end(), [&](const auto& part) { return used_.contains(vnodes_.find(part.vnode)); });
}

// Whether this chunk was placed for that one.
bool confirmation::answers(const chunk& asked, const values::exec_chunk& placed) const {
  return std::all_of(asked.wants.begin(), asked.wants.end(), [&](const want& w) {
    const auto& r = view_.resources()[w.resource];
    if (!dates_.is_checked(w.resource)) return true;
    if (r.is_text()) {
      const auto* texts = vnodes_[vnodes_.find(placed.parts.front().vnode)].text(w.resource);
      return texts && std::any_of(texts->begin(), texts->end(), [&](const auto& t) { return values::equal_any_case(t, w.text); });
    }
    if (r.is_boolean() || !r.consumable) return true;
    amount sum = 0;
    for (const auto& part : placed.parts)
      if (const auto* value = part.find(r.name)) sum += view_.resources().read(w.resource, *value, rounding::up).value_or(0);
    return sum == w.value;
  });
}

// What its jobs hold stays in it.
bool confirmation::has_all_jobs(const reservation& r, const std::string& exec_vnode) const {
  const auto has = dates_.claim_for(r, exec_vnode);
  std::map<std::pair<index, resource_id>, amount> left;
  for (const auto& t : has.amounts) left[{t.vnode, t.resource}] += t.value;
  const auto has_vnode = [&](index at) {
    return std::any_of(has.vnodes.begin(), has.vnodes.end(), [&](const auto& t) { return t.vnode == at; });
  };
  for (index at = 0; at < jobs_.size(); ++at) {
    if (!holds_within(r, jobs_[at])) continue;
    for (const auto& t : view_.claims().held_by(at).vnodes)
      if (!has_vnode(t.vnode)) return false;
    for (const auto& t : view_.claims().held_by(at).amounts)
      if (const auto part = left.find({t.vnode, t.resource}); part != left.end() && (part->second -= t.value) < 0) return false;
  }
  return true;
}

// -- maintenance -------------------------------------------------------------------------------------------------------------

// Whole hosts, whatever is there: all their vnodes with all their cpus.
reservation_answer confirmation::take_hosts(const reservation& r) {
  reservation_answer out;
  const resource_id ncpus = view_.resources().find("ncpus");
  std::string place;
  for (const auto& name : r.hosts) {
    const auto at = std::find_if(vnodes_.hosts().begin(), vnodes_.hosts().end(),
                                 [&](const host& h) { return !h.vnodes.empty() && values::equal_any_case(h.name, name); });
    if (at == vnodes_.hosts().end()) return {0, 0, {}, "Host with resources not found: " + name, {}};
    std::string chunk, others;
    for (const index v : at->vnodes) {
      const auto& node = vnodes_[v];
      if (const amount cpus = node.available(ncpus); cpus > 0)
        (chunk += chunk.empty() ? "(" : "+") += node.name + ":ncpus=" + view_.resources().print(ncpus, cpus);
      else others += "+(" + node.name + ")";
    }
    if (!chunk.empty()) chunk += ")";
    else if (!others.empty()) others.erase(0, 1);
    (place += place.empty() ? "" : "+") += chunk + others;
  }
  if (place.empty()) return {0, 0, {}, no_place, {}};
  for (const auto& w : r.wanted) out.places.push_back({w, place});
  out.conflicts = conflicts_with(r, out);
  return out;
}

std::vector<std::string> confirmation::conflicts_with(const reservation& r, const reservation_answer& answer) const {
  std::vector<std::string> ids;
  if (answer.places.empty()) return ids;
  const auto has = dates_.claim_for(r, answer.places.front().exec_vnode);
  for (const auto& b : dates_.bookings()) {
    if (b.reservation == 0 || b.reservation == r.serial || std::find(ids.begin(), ids.end(), b.id) != ids.end()) continue;
    const bool meets = std::any_of(answer.places.begin(), answer.places.end(),
                                   [&](const auto& p) { return b.start < p.when.end() && p.when.start() < b.end; });
    const bool there = meets && std::any_of(b.what->vnodes.begin(), b.what->vnodes.end(), [&](const auto& mine) {
                         return std::any_of(has.vnodes.begin(), has.vnodes.end(), [&](const auto& t) { return t.vnode == mine.vnode; });
                       });
    if (there) ids.push_back(b.id);
  }
  return ids;
}

}  // namespace annals::cycle
