#include "actors/scheduler/cycle/preemption.hpp"

#include <algorithm>

#include "actors/scheduler/cycle/pools.hpp"
#include "actors/scheduler/cycle/resumption.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

using how = preempt_victim::method;

namespace {

how method_of(char letter) {
  switch (letter) {
    case 'S': return how::suspend;
    case 'C': return how::checkpoint;
    case 'R': return how::requeue;
    default: return how::remove;
  }
}

}  // namespace

preemption::preemption(view& v, const policy& p, const timed_settings& settings, moment now, backfill& dates, cycle_log& log)
    : view_(v),
      preempting_(v.settings().preempting()),
      jobs_(v.jobs()),
      queues_(v.queues()),
      limits_(v.limits()),
      vnodes_(v.vnodes()),
      policy_(p),
      settings_(settings),
      now_(now),
      dates_(dates),
      log_(log) {
  if (settings.preemptive_sched && settings.fair_share && preempting_.asks_for(over_fairshare))
    standing_ = &v.shares().stand(p.sharing.tree);
}

std::size_t preemption::level_of(index at) const {
  const job& j = jobs_[at];
  const auto over = limits_.over_soft_limits(j);
  unsigned conditions = 0;
  if (queues_[j.queue].priority >= preempting_.queue_prio) conditions |= express_queue;
  if (over.server) conditions |= over_server_limit;
  if (over.queue) conditions |= over_queue_limit;
  if (standing_ && standing_->is_over_share(view_.shares().leaf_of(j))) conditions |= over_fairshare;
  return preempting_.level_of(static_cast<std::uint8_t>(conditions));
}

// -- who may be a victim -------------------------------------------------------------------------------------------------------

// The methods that may be tried with this job, by how much of its time is left.
std::string preemption::methods_of(const job& victim) const {
  const auto all = running_duration_of(victim, now_);
  const auto left = std::clamp<std::int64_t>(victim.started + all - now_, 0, all);
  auto letters = preempting_.methods_for(all == 0 ? 0 : (left * 100 + all - 1) / all);
  if (!victim.rerunable) std::erase(letters, 'R');
  return letters;
}

// Its host may have no script that checkpoints it, or one that has failed.
std::string preemption::working_methods_of(const job& victim) const {
  auto letters = methods_of(victim);
  if (!victim.can_checkpoint) std::erase(letters, 'C');
  return letters;
}

// The youngest first (preempt_sort min_time_since_start).
std::vector<index> preemption::candidates(index at, bool anybody) const {
  const auto level = level_of(at);
  std::vector<index> out;
  for (index other = 0; other < jobs_.size(); ++other) {
    const job& victim = jobs_[other];
    if (victim.where != job_place::running || victim.leaving || failed_.contains(other)) continue;
    if (queues_[victim.queue].reservation != 0) continue;  // what it would leave is its reservation's
    if (!queues_[victim.queue].exists) continue;           // it came to another partition while its job runs here
    if (of_one_array(victim.id, jobs_[at].id)) continue;   // a subjob takes nothing from the others
    if ((anybody || level_of(other) > level) && !methods_of(victim).empty()) out.push_back(other);
  }
  std::sort(out.begin(), out.end(), [&](index a, index b) {
    const job &x = jobs_[a], &y = jobs_[b];
    return x.started != y.started ? x.started > y.started : x.serial > y.serial;
  });
  return out;
}

bool preemption::is_target(const std::string& targets, const job& victim) const {
  for (const std::string& target : values::split_list(targets)) {
    const auto equals = target.find('=');
    if (equals == std::string::npos) continue;
    const auto name = std::string_view(target).substr(0, equals);
    const auto value = target.substr(equals + 1);
    if (values::equal_any_case(name, "queue") && queues_[victim.queue].name == value) return true;
    constexpr std::string_view list = "Resource_List.";
    if (!values::equal_any_case(name.substr(0, list.size()), list)) continue;
    const auto r = view_.resources().find(name.substr(list.size()));
    if (r == no_resource) continue;
    const bool is_text = view_.resources()[r].is_text();
    const auto asked = is_text ? std::nullopt : view_.resources().read(r, value, rounding::up);
    for (const want& w : jobs_.request_of(victim).job_wide)
      if (w.resource == r && (is_text ? w.text == value : asked == w.value)) return true;
  }
  return false;
}

// False: the job wants nobody preempted.
bool preemption::limit_to_targets(const job& j, std::vector<index>& victims) {
  if (j.preempt_targets.empty() || !preempting_.targets_count) return true;
  if (values::equal_any_case(j.preempt_targets, "none")) {
    log_.of_job(event_debug2, j.id, "No preemption set specified for the job: Job will not preempt");
    return false;
  }
  std::size_t all = 0;
  for (const job& other : jobs_) all += other.where == job_place::running;
  std::erase_if(victims, [&](index v) { return !is_target(j.preempt_targets, jobs_[v]); });
  log_.of_job(event_debug2, j.id,
              log_.keep("Limited running jobs used for preemption from " + std::to_string(all) + " to " + std::to_string(victims.size()) +
                        (victims.empty() ? ": No jobs to preempt" : "")));
  return true;
}

// -- how many it takes ---------------------------------------------------------------------------------------------------------

bool preemption::make_room(index at, bool anybody, std::int64_t longest, allocation& out, std::vector<preempt_victim>& victims) {
  longest_ = longest;
  const auto& id = jobs_[at].id;
  for (;;) {
    log_.of_job(event_debug2, id, "Employing preemption to try and run high priority job.");
    auto able = candidates(at, anybody);
    if (!limit_to_targets(jobs_[at], able) || able.empty()) return false;
    vnodes_.suppose(true);
    std::vector<index> chosen;
    if (enough_altogether(at, able, out)) chosen = choose(at, able, out);
    vnodes_.suppose(false);
    if (chosen.empty()) return false;
    log_.of_job(event_debug2, id, "Simulation: Preempted enough work to run job");
    if (name_methods(chosen, victims)) break;
    let_go(out);
    put_back(chosen);
    for (const index v : able)  // the others that can't be made to leave: not one of them at a time
      if (working_methods_of(jobs_[v]).empty()) failed_.insert(v);
  }
  for (const auto& v : victims) {
    dates_.left(v.at);
    view_.claims().preempted(v.at);
  }
  return true;
}

// Asked first: nobody is preempted for a job that can't run even then.
bool preemption::enough_altogether(index at, const std::vector<index>& able, allocation& out) {
  lift(able);
  supposed_.emplace(view_, policy_, settings_);
  const bool enough = find(at, longest_, out);
  if (enough) let_go(out);
  put_back(able);
  return enough;
}

std::vector<index> preemption::choose(index at, const std::vector<index>& able, allocation& out) {
  std::vector<index> chosen;
  bool found = false;
  for (auto v = able.begin(); v != able.end() && !found; ++v) {
    log_.of_job(event_debug2, jobs_[*v].id, "Simulation: preempting job");
    lift({*v});
    chosen.push_back(*v);
    found = find(at, longest_, out);
    if (!found)
      log_.of_job(event_debug2, jobs_[at].id, log_.keep("Simulation: not enough work preempted: " + lack_of(at)));
  }
  if (found) {
    drop_unneeded(at, chosen, out);
  } else {
    put_back(chosen);
    chosen.clear();
  }
  return chosen;
}

// A young one may have been no help.
void preemption::drop_unneeded(index at, std::vector<index>& chosen, allocation& out) {
  for (std::size_t i = 0; i < chosen.size() && chosen.size() > 1;) {
    const index doubtful = chosen[i];
    let_go(out);
    put_back({doubtful});
    if (find(at, longest_, out)) {
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      lift({doubtful});
      find(at, longest_, out);
      ++i;
    }
  }
}

bool preemption::find(index at, std::int64_t longest, allocation& out) {
  const job& j = jobs_[at];
  refusal unused;
  again_.reset();
  supposed_->vnodes_changed();
  if (!pools_suffice(view_, *supposed_, j, unused)) return false;
  return j.where == job_place::suspended ? finds_old_place(j) : dates_.place(*supposed_, j, longest, out, unused);
}

bool preemption::finds_old_place(const job& j) {
  again_ = take_again(view_, j);
  if (again_ && !dates_.leaves_alone(*again_, j)) {
    give_back(view_, *again_);
    again_.reset();
  }
  return again_.has_value();
}

void preemption::let_go(const allocation& found) {
  if (again_) give_back(view_, *again_);
  else supposed_->give_back(found);
}

// What no vnode has enough of now, as PBS says it of the first chunk.
std::string preemption::lack_of(index at) const {
  const auto& chunks = jobs_.request_of(jobs_[at]).chunks;
  for (const want& w : chunks.empty() ? std::vector<want>{} : chunks.front().wants) {
    if (!supposed_->is_checked(w.resource) || !view_.resources()[w.resource].numeric) continue;
    const bool somewhere = std::any_of(vnodes_.begin(), vnodes_.end(), [&](const vnode& v) {
      return vnodes_.usable(v) && vnodes_.free_amount(v, w.resource) >= w.value;
    });
    if (!somewhere) return "Insufficient amount of resource: " + view_.resources()[w.resource].name + " ";
  }
  return "No available resources on nodes";
}

// The other way round than they were found, as PBS does. False: one of them can't be made to leave.
bool preemption::name_methods(const std::vector<index>& chosen, std::vector<preempt_victim>& victims) {
  bool all = true;
  victims.clear();
  for (auto v = chosen.rbegin(); v != chosen.rend(); ++v) {
    const job& victim = jobs_[*v];
    const auto letters = working_methods_of(victim);
    if (letters.empty()) {
      log_.of_job(event_sched, victim.id, "Job failed to be preempted");
      failed_.insert(*v);
      all = false;
    } else {
      victims.push_back({victim.serial, *v, method_of(letters[0])});
    }
  }
  return all;
}

void preemption::lift(const std::vector<index>& jobs) {
  for (const index v : jobs) {
    if (is_to_suspend(jobs_[v])) view_.claims().lift_suspended(v);
    else view_.claims().lift(v);
  }
  dates_.others_moved();
}

void preemption::put_back(const std::vector<index>& jobs) {
  for (const index v : jobs) {
    if (is_to_suspend(jobs_[v])) view_.claims().put_back_suspended(v);
    else view_.claims().put_back(v);
  }
  dates_.others_moved();
}

// -- those who leave already ---------------------------------------------------------------------------------------------------

bool preemption::waits_for_leaving(index at) {
  std::vector<index> leaving;
  for (index other = 0; other < jobs_.size(); ++other)
    if (jobs_[other].where == job_place::running && jobs_[other].leaving) leaving.push_back(other);
  if (leaving.empty()) return false;
  const job& j = jobs_[at];
  allocation place;
  claim what;
  vnodes_.suppose(true);
  lift(leaving);
  supposed_.emplace(view_, policy_, settings_);
  const bool found = find(at, shortest_of(j), place);
  if (found) {
    what = again_ ? *again_ : supposed_->claim_of(j, place);
    let_go(place);
  }
  put_back(leaving);
  vnodes_.suppose(false);
  if (found) dates_.book_now(at, std::move(what));
  return found;
}

}  // namespace annals::cycle
