#include "test/unit/actors/server/reactions/job_world.hpp"

#include <algorithm>
#include <utility>

#include "events/values/hold_set.hpp"
#include "events/values/job_id.hpp"

namespace annals::test {

using values::dependency_type;

namespace {

constexpr int mom_restarted = -4, try_again = -3, asked_to_rerun = -11, script_lost = -40, killed = 265;

bool waits(const values::dependency& d) { return values::is_after(d.type) || d.type == dependency_type::on; }
std::string text(const values::dependency& d) { return values::print({d}); }

template <class List, class One>
bool has(const List& all, const One& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}
std::string listed(const std::set<std::uint32_t>& all) {
  std::string out;
  for (const auto one : all) out += (out.empty() ? "" : ",") + std::to_string(one);
  return out.empty() ? "-" : out;
}
std::set<std::uint32_t> both(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  std::set<std::uint32_t> out;
  for (const auto one : a)
    if (b.contains(one)) out.insert(one);
  return out;
}

}  // namespace

std::string job_world::target(number n, bool is_array) { return std::to_string(n) + (is_array ? "[]" : "") + ".borg@borg"; }

job_world::job* job_world::find(number n) {
  const auto at = jobs.find(n);
  return at == jobs.end() ? nullptr : &at->second;
}
job_world::number job_world::number_of(const dependency& d) { return std::stoull(d.job); }

// An array is named with its brackets, any other job without.
job_world::job* job_world::named(const dependency& d) {
  const auto n = number_of(d);
  auto* j = find(n);
  return j && own_target(n) == d.job ? j : nullptr;
}

bool job_world::has_waits(const job& j) {
  return std::any_of(j.waits.begin(), j.waits.end(), [](const auto& c) { return waits(c.d); });
}

// -- what a job waits for ------------------------------------------------------------------------------------------------------

// As it stands when it is named.
job_world::fate job_world::look(number, const dependency& d) {
  const auto* other = named(d);
  if (!other) return fate::failed;
  if (other->is != stage::over) return d.type == dependency_type::after && other->began ? fate::met : fate::open;
  const bool ran = other->began;
  switch (d.type) {
    case dependency_type::after: return ran ? fate::met : fate::failed;
    case dependency_type::afterok: return ran && other->status == 0 ? fate::met : fate::failed;
    case dependency_type::afternotok: return ran && other->status == 0 ? fate::failed : fate::met;
    default: return fate::met;
  }
}

bool job_world::may_wait_for(number n, const dependencies& depend, bool is_new) const {
  std::vector<number> to, from;
  for (const auto& d : depend) {
    if (values::is_before(d.type)) to.push_back(number_of(d));
    if (values::is_after(d.type)) from.push_back(number_of(d));
  }
  if (is_new && to.empty()) return true;
  to.push_back(n);
  std::set<number> seen;
  while (!from.empty()) {
    const auto at = from.back();
    from.pop_back();
    if (has(to, at)) return false;
    if (!seen.insert(at).second) continue;
    if (const auto next = edges_.find(at); next != edges_.end()) from.insert(from.end(), next->second.begin(), next->second.end());
  }
  return true;
}

void job_world::take_on(number n, const dependencies& depend) {
  auto& j = jobs.at(n);
  edges_.erase(n);
  dependencies all;
  for (const auto& d : depend)
    if (!has(all, d)) all.push_back(d);
  for (const auto& d : all) {
    j.waits.push_back({d});
    if (values::is_after(d.type)) edges_[n].push_back(number_of(d));
  }
  for (const auto& d : all) take_on_one(n, d);
}

void job_world::take_on_one(number n, const dependency& d) {
  auto& j = jobs.at(n);
  auto* other = d.type == dependency_type::on ? nullptr : named(d);
  auto& is = std::find_if(j.waits.begin(), j.waits.end(), [&](const auto& c) { return c.d == d; })->is;
  if (values::is_after(d.type)) {
    is = look(n, d);
    if (is != fate::open) return;
    const dependency mirror{values::mirror_of(d.type), own_target(n)};
    const bool said = std::any_of(other->waits.begin(), other->waits.end(), [&](const auto& c) { return c.d == mirror; });
    if (!(said && is_unrun(*other)) && !other->shown.contains(text(mirror))) other->to_show.insert(text(mirror));
  } else if (values::is_before(d.type)) {
    if (!other || other->is == stage::over) {
      is = fate::failed;
    } else if (is_unrun(*other)) {
      const dependency mirror{values::mirror_of(d.type), own_target(n)};
      std::size_t left = 0;
      for (const auto& c : other->waits) left += c.d.count;
      const bool known = std::any_of(other->waits.begin(), other->waits.end(), [&](const auto& c) { return c.d == mirror; });
      if (left > other->to_count.size() && !known && !has(other->to_count, mirror)) other->to_count.push_back(mirror);
    }
  } else if (d.type == dependency_type::runone) {
    if (!other || other->is == stage::over || !join(n, number_of(d))) is = fate::failed;
  }
}

// -- sets of which one runs ------------------------------------------------------------------------------------------------------

job_world::set* job_world::set_of(number n) {
  const auto at = std::find_if(sets_.begin(), sets_.end(), [&](const auto& s) { return has(s.members, n); });
  return at == sets_.end() ? nullptr : &*at;
}

bool job_world::other_runs(number n) {
  const auto* s = set_of(n);
  return s && std::any_of(s->members.begin(), s->members.end(), [&](number m) { return m != n && runs(jobs.at(m)); });
}

bool job_world::stops_array(const dependencies& depend) {
  std::set<number> all;
  for (const auto& d : depend)
    if (d.type == dependency_type::runone) {
      all.insert(number_of(d));
      if (const auto* s = set_of(number_of(d))) all.insert(s->members.begin(), s->members.end());
    }
  std::size_t running = 0, arrays = 0;
  for (const auto n : all)
    if (const auto* j = find(n); j && runs(*j)) ++(j->size > 0 ? arrays : running);
  return arrays > 0 && arrays + running > 1;
}

bool job_world::is_blocked(number n) {
  const auto& j = jobs.at(n);
  const auto* s = set_of(n);
  const bool late = std::any_of(j.waits.begin(), j.waits.end(),
                                [](const auto& c) { return c.d.type == dependency_type::runone && c.is == fate::failed; });
  return (j.size == 0 || !j.began) && (late || other_runs(n) || (s && s->spent));
}

bool job_world::join(number n, number with) {
  if (const auto* s = set_of(with); s && s->spent) return false;
  if (!set_of(with)) sets_.push_back({{with}});
  if (!set_of(n)) sets_.push_back({{n}});
  if (set_of(n) != set_of(with)) {
    const auto more = set_of(n)->members;
    sets_.erase(sets_.begin() + (set_of(n) - sets_.data()));
    auto& all = set_of(with)->members;
    all.insert(all.end(), more.begin(), more.end());
  }
  for (const auto m : set_of(n)->members)
    if (auto& j = jobs.at(m); is_unrun(j) && other_runs(m)) j.may_be_held = j.must_be_held = true;
  return true;
}

void job_world::leave(number n, bool ran) {
  auto* s = set_of(n);
  if (!s) return;
  std::erase(s->members, n);
  s->spent |= ran;
  for (const auto m : s->members)
    if (auto& j = jobs.at(m); ran && is_unrun(j)) j.lost_set = true;
  if (s->members.size() < (s->spent ? 1u : 2u)) sets_.erase(sets_.begin() + (s - sets_.data()));
}

// -- what becomes of a job, for the others -----------------------------------------------------------------------------------------

void job_world::tell_after(number n) {
  for (auto& [other, j] : jobs)
    for (auto& c : j.waits)
      if (c.is == fate::open && c.d.type == dependency_type::after && c.d.job == own_target(n)) c.is = fate::met;
}

void job_world::begins(number n) {
  auto& j = jobs.at(n);
  for (const auto& d : j.to_count) j.stale.insert(text(d));
  j.to_count.clear();
  edges_.erase(n);
  tell_after(n);
  if (const auto* s = set_of(n))
    for (const auto m : s->members)
      if (auto& other = jobs.at(m); m != n && is_unrun(other)) other.may_be_held = other.must_be_held = true;
}

void job_world::ends(number n, std::optional<int> status, bool aborted) {
  auto& j = jobs.at(n);
  j.is = stage::over;
  j.status = status;
  j.aborted = aborted;
  edges_.erase(n);
  leave(n, j.began);
  if (!j.began && !aborted) return;  // deleted before it ran: who waits for it stays held
  for (auto& [other, w] : jobs)
    for (auto& c : w.waits)
      if (c.is == fate::open && values::is_after(c.d.type) && c.d.job == own_target(n))
        c.is = c.d.type == dependency_type::after ? fate::failed : look(other, c.d);
}

void job_world::end_of_run(number n) {
  auto& j = jobs.at(n);
  const int code = *j.status;
  const bool back = !j.delete_asked && (code == try_again || code == script_lost || code == mom_restarted ||
                                        (j.rerun_asked && code == asked_to_rerun));
  if (values::is_subjob(n)) {
    jobs.at(values::array_of(n)).unheard[values::index_of(n)] = {back, code != 0, code == script_lost};
    if (back) jobs.erase(n);
    else ends(n, code);
    return;
  }
  if (!back) return ends(n, code);
  j.is = stage::waits;
  j.began = j.rerun_asked = false;
  j.status.reset();
  if (code == script_lost) j.holds |= hold::system;
  j.was_run = true;
  for (auto& c : j.waits)  // left of what it waited for, when it was run by hand
    if (values::is_after(c.d.type)) {
      take_on_one(n, c.d);
    } else {
      if (c.is == fate::failed) j.stale.insert(text(c.d));
      c.is = fate::open;
    }
  if (const auto* s = set_of(n))
    for (const auto m : s->members)
      if (!other_runs(m)) jobs.at(m).may_be_freed = true;
  if (const auto* s = set_of(n); s && s->spent) j.lost_set = true;
}

void job_world::end_array_if_over(number n) {
  const auto& j = jobs.at(n);
  if (!j.remaining.empty() || !j.running.empty()) return;
  ends(n, j.delete_asked ? (j.began ? 1 : 2) : j.failed.empty() ? 0
                                                                : 1);
}

// -- what people do ----------------------------------------------------------------------------------------------------------------

bool job_world::submit(number n, std::uint32_t size, const std::string& queue, std::uint8_t holds, const dependencies& depend) {
  if (!queues.at(queue).enabled || !may_wait_for(n, depend, true)) return false;
  auto& j = jobs[n];
  j.size = size;
  j.queue = queue;
  j.holds = holds | (std::any_of(depend.begin(), depend.end(), waits) ? hold::system : 0);
  for (std::uint32_t i = 1; i <= size; ++i) j.remaining.insert(i);
  take_on(n, depend);
  return true;
}

bool job_world::set_hold(number n, std::uint8_t holds, bool on) {
  return set_all_holds(n, on ? jobs.at(n).holds | holds : jobs.at(n).holds & ~holds);
}

bool job_world::set_all_holds(number n, std::uint8_t holds) {
  auto& j = jobs.at(n);
  if (j.is >= stage::exiting) return false;
  if ((j.holds & hold::system) && !(holds & hold::system)) j.held_by_set = j.must_be_held = false;
  j.holds = holds;
  return true;
}

bool job_world::set_depend(number n, const dependencies& depend) {
  auto& j = jobs.at(n);
  if (!is_unrun(j) || !may_wait_for(n, depend, false)) return false;
  const bool waited = has_waits(j);
  for (const auto& c : j.waits) {
    j.stale.insert(text(c.d));
    if (auto* other = values::is_before(c.d.type) ? named(c.d) : nullptr) {
      const dependency counted{values::mirror_of(c.d.type), own_target(n)};
      if (std::erase(other->to_count, counted) > 0) other->stale.insert(text(counted));
    }
  }
  for (const auto& d : j.to_count) j.stale.insert(text(d));
  j.may_be_freed |= j.held_by_set || j.may_be_held;
  j.must_be_held = j.lost_set = false;
  leave(n, false);
  j.waits.clear();
  j.to_count.clear();
  take_on(n, depend);
  if (has_waits(j)) j.holds |= hold::system;
  else if (waited) set_hold(n, hold::system, false);
  if (other_runs(n)) j.must_be_held = true;
  return true;
}

bool job_world::move(number n, const std::string& queue) {
  auto& j = jobs.at(n);
  if (j.is != stage::waits || !queues.at(queue).enabled) return false;
  j.was_in.insert(std::exchange(j.queue, queue));
  return true;
}

bool job_world::remove(number n, bool force) {
  auto& j = jobs.at(n);
  if (j.is == stage::over) return false;
  if (j.size == 0 && force && j.is != stage::waits) {
    if (j.is != stage::exiting) exits(n, killed);
    j.delete_asked = true;
    end_of_run(n);
    return true;
  }
  if (j.is == stage::exiting && j.delete_asked) return false;
  if (j.delete_asked && (j.delete_forced || !force)) return true;
  j.delete_asked = true;
  j.delete_forced |= force;
  j.remaining.clear();
  if (j.size == 0 && j.is == stage::waits) ends(n, std::nullopt);
  if (j.size == 0) return true;
  wish_deletion(n, j.running, force);
  end_array_if_over(n);
  return true;
}

void job_world::wish_deletion(number array, const std::set<std::uint32_t>& some, bool force) {
  for (const auto index : some)
    if (auto* s = find(values::subjob_number(array, index)); s && s->is != stage::over) {
      s->to_delete = true;
      s->to_force |= force;
    }
}

bool job_world::remove_some(number array, std::set<std::uint32_t> some) {
  auto& j = jobs.at(array);
  const auto waiting = both(some, j.remaining), running = both(some, j.running);
  if (j.is == stage::over || (waiting.empty() && running.empty())) return false;
  if (j.delete_asked) return true;
  for (const auto index : waiting) {
    j.remaining.erase(index);
    j.failed.insert(index);
  }
  j.deleting.insert(running.begin(), running.end());
  wish_deletion(array, running, false);
  end_array_if_over(array);
  return true;
}

bool job_world::rerun(number n, bool force) {
  auto& j = jobs.at(n);
  if (j.is != stage::sent && j.is != stage::started) return false;
  if (force && j.delete_asked) return false;
  j.rerun_asked = true;
  if (force) {
    exits(n, asked_to_rerun);
    end_of_run(n);
  }
  return true;
}

bool job_world::rerun_some(number array, std::set<std::uint32_t> some) {
  auto& j = jobs.at(array);
  const auto running = both(some, j.running);
  if (j.is == stage::over || running.empty() || j.delete_asked) return false;
  for (const auto index : running)
    if (auto* s = find(values::subjob_number(array, index))) s->to_rerun = true;
  return true;
}

bool job_world::purge(number n) {
  if (jobs.at(n).is != stage::over) return false;
  jobs.erase(n);
  return true;
}

bool job_world::run(number n, bool by_hand) {
  auto& j = jobs.at(n);
  if (j.is != stage::waits || queues.at(j.queue).routes || (j.holds != 0 && !by_hand) || is_blocked(n)) return false;
  j.is = stage::sent;
  begins(n);
  return true;
}

bool job_world::begin(number array, std::uint32_t index, bool by_hand) {
  auto& j = jobs.at(array);
  if (j.is != stage::waits || j.delete_asked || queues.at(j.queue).routes || (j.holds != 0 && !by_hand)) return false;
  if (!j.remaining.contains(index) || is_blocked(array)) return false;
  j.remaining.erase(index);
  j.running.insert(index);
  job subjob;
  subjob.queue = j.queue;
  subjob.is = stage::sent;
  jobs[values::subjob_number(array, index)] = subjob;
  if (!std::exchange(j.began, true)) begins(array);
  return true;
}

// -- what MoMs say -------------------------------------------------------------------------------------------------------------------

bool job_world::starts(number n) {
  auto& j = jobs.at(n);
  if (j.is != stage::sent) return false;
  j.is = stage::started;
  j.began = true;
  tell_after(n);
  return true;
}

bool job_world::refuses(number n) {
  auto& j = jobs.at(n);
  if (j.is != stage::sent) return false;
  j.status = j.rerun_asked ? asked_to_rerun : try_again;
  j.began |= j.delete_asked;  // it ends as one that ran
  end_of_run(n);
  return true;
}

bool job_world::exits(number n, int status) {
  auto& j = jobs.at(n);
  if (j.is != stage::sent && j.is != stage::started) return false;
  if (j.is == stage::sent) starts(n);
  j.is = stage::exiting;
  j.status = status;
  return true;
}

bool job_world::leaves(number n) {
  if (jobs.at(n).is != stage::exiting) return false;
  end_of_run(n);
  return true;
}

// -- in its own time -------------------------------------------------------------------------------------------------------------------

bool job_world::shows(number n, const dependency& other) {
  auto& j = jobs.at(n);
  if (other.type == dependency_type::runone) {
    j.waits.push_back({other});
    return j.is != stage::over;
  }
  j.shown.insert(text(other));
  return j.to_show.erase(text(other)) > 0 || j.is != stage::over;
}

bool job_world::counts(number n, const dependency& other) {
  auto& j = jobs.at(n);
  const bool is_due = std::erase(j.to_count, other) > 0 || j.stale.contains(text(other));
  const auto on = std::find_if(j.waits.begin(), j.waits.end(), [](const auto& c) { return c.d.type == dependency_type::on; });
  if (!is_due || on == j.waits.end() || !is_unrun(j)) return false;
  if (--on->d.count == 0) j.waits.erase(on);
  j.waits.push_back({other});
  std::size_t left = 0;
  for (const auto& c : j.waits) left += c.d.count;
  for (; j.to_count.size() > left; j.to_count.pop_back()) j.stale.insert(text(j.to_count.back()));
  edges_[n].push_back(number_of(other));
  take_on_one(n, other);
  return true;
}

bool job_world::hears_met(number n, const dependency& other) {
  auto& j = jobs.at(n);
  const auto at = std::find_if(j.waits.begin(), j.waits.end(), [&](const auto& c) { return c.d == other; });
  const bool forgets = other.type == dependency_type::runone && j.is != stage::over;  // who of its set is gone
  if (at == j.waits.end() || (j.is != stage::waits && !forgets)) return false;
  if (at->is != fate::met && !j.stale.contains(text(other)) && other.type != dependency_type::runone) return false;
  const bool waited = has_waits(j);
  j.waits.erase(at);
  if (auto edges = edges_.find(n); edges != edges_.end() && values::is_after(other.type))
    if (auto one = std::find(edges->second.begin(), edges->second.end(), number_of(other)); one != edges->second.end())
      edges->second.erase(one);
  if (!waited || has_waits(j)) return true;
  set_hold(n, hold::system, false);
  j.must_be_held = other_runs(n);
  return true;
}

bool job_world::aborts(number n, const dependency& other) {
  auto& j = jobs.at(n);
  const auto at = std::find_if(j.waits.begin(), j.waits.end(), [&](const auto& c) { return c.d == other; });
  if (at == j.waits.end() || !is_unrun(j)) return false;
  const bool by_set = other.type == dependency_type::runone && j.lost_set;
  if (at->is != fate::failed && !by_set && !j.stale.contains(text(other))) return false;
  ends(n, std::nullopt, true);
  return true;
}

bool job_world::holds_for_set(number n) {
  auto& j = jobs.at(n);
  if ((j.holds & hold::system) || !is_unrun(j) || !(other_runs(n) || j.may_be_held || j.lost_set)) return false;
  j.holds |= hold::system;
  j.held_by_set = true;
  return true;
}

bool job_world::frees_for_set(number n) {
  auto& j = jobs.at(n);
  return j.may_be_freed && j.is < stage::exiting && !has_waits(j) && set_hold(n, hold::system, false);
}

bool job_world::hears_of_subjob(number array, std::uint32_t index) {
  auto& j = jobs.at(array);
  const auto at = j.unheard.find(index);
  if (at == j.unheard.end() || j.is == stage::over) return false;
  const auto news = at->second;
  j.unheard.erase(at);
  j.running.erase(index);
  const bool returns = news.returned && !j.delete_asked && !j.deleting.contains(index);
  j.deleting.erase(index);
  if (returns) j.remaining.insert(index);
  else if (news.failed || news.returned) j.failed.insert(index);
  if (returns && news.held) j.holds |= hold::system;
  end_array_if_over(array);
  return true;
}

bool job_world::hears_deletion(number subjob, bool force) {
  const auto& j = jobs.at(subjob);
  return j.to_delete && (j.to_force || !force) && j.is != stage::over && remove(subjob, force);
}

bool job_world::hears_rerun(number subjob) {
  const auto& j = jobs.at(subjob);
  return j.to_rerun && !j.rerun_asked && rerun(subjob, false);
}

bool job_world::forgets(number subjob) { return !known(values::array_of(subjob)) && purge(subjob); }

std::string job_world::next_from(const std::string& queue) const {
  for (const auto& to : queues.at(queue).destinations)
    if (queues.at(to).enabled) return to;
  return {};
}

bool job_world::routes(number n, const std::string& queue) {
  auto& j = jobs.at(n);
  const auto& from = queues.at(j.queue);
  if (j.is != stage::waits || !from.routes || !from.started || j.holds != 0) return false;
  bool is_next = next_from(j.queue) == queue;
  for (const auto& before : j.was_in) is_next |= next_from(before) == queue;
  if (is_next) j.queue = queue;
  return is_next;
}

// -- at rest ---------------------------------------------------------------------------------------------------------------------------

std::string job_world::unrest() {
  std::string amiss;
  const auto note = [&](number n, const std::string& what) {
    amiss += (amiss.empty() ? "" : "; ") + values::id_of_number(n, "") + " " + what;
  };
  for (auto& [n, j] : jobs) {
    const bool unrun = is_unrun(j);
    for (const auto& c : j.waits)
      if (j.is == stage::waits && (c.is == fate::met || (c.is == fate::failed && unrun)))
        note(n, text(c.d) + (c.is == fate::met ? " is met" : " can't be met"));
    if (unrun && !j.to_count.empty() && may_wait_for(n, {j.to_count.front()}, false)) note(n, "does not count " + text(j.to_count.front()));
    if (j.is != stage::over && !j.to_show.empty()) note(n, "does not show " + *j.to_show.begin());
    if (unrun && j.lost_set) note(n, "is of a set that has run");
    if (unrun && j.must_be_held && other_runs(n) && !(j.holds & hold::system)) note(n, "is not held while another one of its set runs");
    if (j.is == stage::waits && j.held_by_set && !has_waits(j) && !other_runs(n)) note(n, "is still held for its set");
    if (unrun) {
      std::multiset<std::string> shown, expected;
      for (const auto& c : j.waits)
        if (c.d.type == dependency_type::runone) shown.insert(c.d.job);
      if (const auto* s = set_of(n))
        for (const auto m : s->members)
          if (m != n) expected.insert(own_target(m));
      const bool more = j.was_run && std::includes(shown.begin(), shown.end(), expected.begin(), expected.end());
      if (shown != expected && !more) note(n, "does not show its set");
    }
    if (const auto& q = queues.at(j.queue); j.is == stage::waits && q.routes && q.started && j.holds == 0 && !next_from(j.queue).empty())
      note(n, "is not routed to " + next_from(j.queue));
    if (j.is != stage::over && !j.unheard.empty()) note(n, "has not heard of " + std::to_string(j.unheard.begin()->first));
    const bool is_sent = j.is == stage::sent || j.is == stage::started;
    if (j.to_delete && j.is != stage::over && (!j.delete_asked || (j.to_force && !j.delete_forced))) note(n, "is not deleted");
    if (j.to_rerun && is_sent && !j.to_delete && !j.rerun_asked && !j.delete_asked) note(n, "is not run again");
    if (values::is_subjob(n) && !known(values::array_of(n))) note(n, "is not forgotten");
    j.stale.clear();
    j.was_in.clear();
    j.may_be_held = j.must_be_held = j.may_be_freed = false;
  }
  return amiss;
}

std::string job_world::looks(number n) const {
  const auto& j = jobs.at(n);
  if (j.is == stage::over) return "F " + (j.status ? std::to_string(*j.status) : j.aborted ? "aborted"
                                                                                           : "deleted");
  const std::string letter = j.is == stage::exiting ? "E" : j.is != stage::waits ? "R"
                                                        : j.holds                ? "H"
                                                        : j.began                ? "B"
                                                                                 : "Q";
  std::multiset<std::string> entries;
  for (const auto& c : j.waits)
    if (c.d.type != dependency_type::runone || is_unrun(j)) entries.insert(text(c.d));
  for (const auto& s : j.shown)
    if (!entries.contains(s)) entries.insert(s);
  std::string out = letter + " " + j.queue + " " + values::print(values::hold_set{j.holds});
  for (const auto& e : entries) out += " " + e;
  if (j.size > 0) out += " remaining " + listed(j.remaining) + " running " + listed(j.running);
  return out;
}

std::map<std::string, std::size_t> job_world::counts_of_queues() const {
  std::map<std::string, std::size_t> out;
  for (const auto& [name, q] : queues) out[name] = 0;
  for (const auto& [n, j] : jobs)
    if (j.is != stage::over) ++out[j.queue];
  return out;
}

}  // namespace annals::test
