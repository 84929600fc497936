#include "actors/scheduler/cycle/cycle.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "actors/scheduler/cycle/backfill.hpp"
#include "actors/scheduler/cycle/confirmation.hpp"
#include "actors/scheduler/cycle/cycle_log.hpp"
#include "actors/scheduler/cycle/exec_text.hpp"
#include "actors/scheduler/cycle/fairshare.hpp"
#include "actors/scheduler/cycle/inner_space.hpp"
#include "actors/scheduler/cycle/order.hpp"
#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/pools.hpp"
#include "actors/scheduler/cycle/preemption.hpp"
#include "actors/scheduler/cycle/resumption.hpp"
#include "actors/scheduler/cycle/time_rules.hpp"
#include "events/model/limits.hpp"
#include "events/values/duration.hpp"
#include "events/values/job_id.hpp"
#include "events/values/number.hpp"

namespace annals::cycle {

namespace {

constexpr const char* never_text = "Job will never run with the resources currently configured in the complex";
constexpr const char *not_running = "Not Running: ", *can_never_run = "Can Never Run: ";

const char* words_for(preempt_victim::method by) {
  switch (by) {
    case preempt_victim::method::suspend: return "Job preempted by suspension";
    case preempt_victim::method::checkpoint: return "Job preempted by checkpointing";
    case preempt_victim::method::requeue: return "Job preempted by requeuing";
    case preempt_victim::method::remove: break;
  }
  return "Job preempted by deletion";
}

class cycle_run {
 public:
  cycle_run(view& v, const policy& p, moment now)
      : view_(v),
        jobs_(v.jobs()),
        queues_(v.queues()),
        limits_(v.limits()),
        policy_(p),
        now_(now),
        rules_(p, now),
        settings_(rules_.settings()),
        log_(result_, v.settings().log_events()),
        placement_(v, p, settings_),
        backfill_(v, p, settings_, now, log_),
        inner_(v, p, settings_),
        preemption_(v, p, settings_, now, backfill_, log_),
        verdicts_(v.jobs().request_slots()) {
    for (const auto& n : v.vnodes()) users_matter_ |= n.max_user_run >= 0 || n.max_group_run >= 0;
  }

  // One job, whatever stands against it but a lack of room. Where that can be helped, others go.
  result run_asked(index at, std::string& said) {
    const job& j = jobs_[at];
    refusal why;
    log_.of_job(event_job, j.id, "Received qrun request");
    const bool within = is_within(j);
    if (!jobs_.request_of(j).understood) why.text = "Internal Scheduling Error";
    else if (within        ? finds_room_within(j, why)
             : is_bound(j) ? pools_suffice(view_, placement_, j, why) && finds_kept_place(at, why)
                           : backfill_.place(placement_, j, duration_of(j), allocation_, why)) start(at, {});
    else if (std::vector<preempt_victim> victims; !within && !is_bound(j) && !why.never && settings_.preemptive_sched &&
                                                  preemption_.make_room(at, true, duration_of(j), allocation_, victims))
      start(at, std::move(victims));
    if (result_.runs.empty()) refuse(at, told(at, why));
    if (!result_.comments.empty()) said = result_.comments.front();
    return std::move(result_);
  }

  result run(const std::set<std::uint64_t>& without) {
    auto ordered = in_order(view_, policy_, settings_, now_);
    auto& order = ordered.jobs;
    if (!without.empty()) std::erase_if(order, [&](index at) { return without.contains(jobs_[at].serial); });
    result_.log.reserve(order.size() * 2 + 4);
    result_.reasons.reserve(order.size());
    if (policy_.prime_days.out_of_date(now_, policy_.zone)) log_.line(event_admin, "Fil", "holidays", holidays_out_of_date);
    log_.line(event_debug2, "Svr", "", log_.keep(rules_.status_line()));
    const auto classes = count_classes(order);
    confirm_reservations();
    std::erase_if(order, [&](index at) { return refuse_by_time(at); });
    apply_formula(ordered);
    if (classes > 0)
      log_.line(event_debug3, "Sched", "create_resresv_sets",
                log_.keep("Number of job equivalence classes: " + std::to_string(classes)));
    if (settings_.fair_share && policy_.sharing.enforce_no_shares) refuse_without_shares(order);
    consider_preempted(order, without);
    if (settings_.fair_share && !view_.settings().formula()) consider_by_shares(std::move(order));
    else
      for (const index at : order) consider(at);
    result_.estimates = backfill_.estimates();
    log_.line(event_debug, "Req", "", "Leaving Scheduling Cycle");
    return std::move(result_);
  }

 private:
  bool is_within(const job& j) const { return queues_[j.queue].reservation != 0; }                      // a job of a reservation
  static bool is_bound(const job& j) { return j.where == job_place::queued && !j.exec_vnode.empty(); }  // to where its checkpoint is
  bool is_to_resume(const job& j) const { return j.where == job_place::suspended && j.resume; }

  // Suspended jobs that are to go on come before queued ones: they have waited in the middle of their work. Each goes back to where it was.
  // If the site wants that, jobs come next that were queued again to make room (sched_preempt_enforce_resumption).
  void consider_preempted(std::vector<index>& order, const std::set<std::uint64_t>& without) {
    std::map<std::size_t, std::vector<index>> by_level;
    const auto add = [&](index at) { by_level[settings_.preemptive_sched ? preemption_.level_of(at) : 0].push_back(at); };
    for (index at = 0; at < jobs_.size(); ++at)
      if (is_to_resume(jobs_[at]) && !without.contains(jobs_[at].serial)) add(at);
    if (view_.settings().preempting().enforces_resumption) {
      const auto first_again =
          std::stable_partition(order.begin(), order.end(), [&](index at) { return !backfill_.enforced(jobs_[at]); });
      std::for_each(first_again, order.end(), add);
      order.erase(first_again, order.end());
    }
    for (const auto& [level, jobs] : by_level) {
      consider_before(level, order);
      for (const index at : jobs)
        if (is_to_resume(jobs_[at])) resume(at);
        else consider(at);
    }
  }

  // Whoever could preempt such a job comes before it: it would have to make room again.
  void consider_before(std::size_t level, std::vector<index>& order) {
    if (level == 0) return;
    const auto preempts_it = [&](index at) { return preemption_.level_of(at) < level; };
    const auto rest = std::stable_partition(order.begin(), order.end(), preempts_it);
    std::for_each(order.begin(), rest, [&](index at) { consider(at); });
    order.erase(order.begin(), rest);
  }

  void resume(index at) {
    const job& j = jobs_[at];
    refusal why;
    if (const auto reached = limits_.reached_by(j)) return refuse(at, verdict{at, comment_for(*reached, j)});
    const bool pools = pools_suffice(view_, placement_, j, why);
    if (auto taken = pools ? finds_old_place(j) : std::nullopt) return go_on(at, std::move(*taken), {});
    if (std::vector<preempt_victim> victims; !is_within(j) && preemption_.may_employ_to_go_on(at) && preempts(at, victims))
      return go_on(at, preemption_.taken_again(), std::move(victims));
    if (pools) {
      if (view_.settings().preempting().enforces_resumption) backfill_.book_resumption(at);
      why.text = "Not enough free nodes available";
    }
    refuse(at, told(at, why));
  }

  std::optional<claim> finds_old_place(const job& j) {
    auto taken = take_again(view_, j);
    if (!taken || may_take_again(j, *taken)) return taken;
    give_back(view_, *taken);
    return std::nullopt;
  }

  void go_on(index at, claim taken, std::vector<preempt_victim> victims) {
    const job& j = jobs_[at];
    log_run(j, victims);
    result_.runs.push_back({j.serial, j.exec_vnode, j.exec_host, {}, std::move(victims)});  // no hosts: it goes on where it is
    hold(at, std::move(taken));
  }

  bool may_take_again(const job& j, const claim& taken) {
    if (!is_within(j)) return backfill_.leaves_alone(taken, j);
    const auto* r = running_reservation_of(j);
    return r && inner_.leaves_others_alone(backfill_.dates(), *r, taken);
  }

  // No job of this cycle gets what is confirmed. Jobs come next, however much is asked. The server may not have heard an answer yet when
  // the next cycle begins: it is given again, and takes no time from the questions that are new.
  void confirm_reservations() {
    std::uint64_t spent[2] = {0, 0};  // on new ones, on those that were answered
    const bool any = std::any_of(view_.reservations().begin(), view_.reservations().end(), [](const auto& r) { return r.ask != 0; });
    if (!any) return;
    backfill_.dates().plan_by_limits(true);
    for (const reservation& r : view_.reservations()) {
      if (r.ask == 0) continue;
      auto& of_its_kind = spent[r.told ? 1 : 0];
      const bool enough = of_its_kind > limits::confirmation_work_max;
      result_.left_questions |= enough && !r.told;
      if (enough) continue;
      auto& dates = backfill_.dates();
      const auto before = dates.work();
      result_.answers.push_back(confirmation(view_, dates, log_).answer(r));
      of_its_kind += dates.work() - before;
    }
    backfill_.dates().plan_by_limits(false);
  }

  void consider_by_shares(std::vector<index> order) {
    auto& standing = view_.shares().stand(policy_.sharing.tree);
    fairshare_order shares(view_, standing, std::move(order), settings_.by_queue || settings_.round_robin);
    for (index at = shares.next(); at != none; at = shares.next()) {
      const auto runs = result_.runs.size();
      consider(at);
      for (auto run = runs; run < result_.runs.size(); ++run)
        standing.started(view_.shares().leaf_of(jobs_[at]), jobs_[at].expected_usage);
    }
  }

  void refuse_without_shares(std::vector<index>& order) {
    const auto& standing = view_.shares().stand(policy_.sharing.tree);
    std::erase_if(order, [&](index at) { return refuse_without_share(standing, at); });
  }

  bool refuse_without_share(const fairshare_standing& standing, index at) {
    const job& j = jobs_[at];
    if (standing.has_share(view_.shares().leaf_of(j))) return false;
    refusal why;
    why.never = true;
    why.text = "Job has zero shares for fairshare";
    why.data.kind = schema::Why::Kind::SHARES;
    ++result_.considered;
    const auto comment = comment_for(why);
    log_.of_job(event_sched, j.id, spoken_[comment].log_text);
    result_.reasons.push_back({j.serial, at, comment, 0});
    return true;
  }

  // What became of the first job of an equivalence class: the others get the same reason without a new search.
  struct verdict {
    index first = none;
    std::uint32_t comment = 0, behind = 0;                              // as in job_reason
    bool lacks_room = false;                                            // and no rule forbids it
    std::size_t level = 0;                                              // of preemption: it does not hold for a job that is more important
    std::optional<std::pair<std::int64_t, std::int64_t>> lengths = {};  // it holds for jobs of just these: a booking is in the way
  };
  struct spoken {
    std::uint32_t comment;
    std::string_view log_text;
    bool never;
  };

  // How long the job is taken to run, and for how long it leaves reservations alone.
  static std::pair<std::int64_t, std::int64_t> lengths_of(const job& j) { return {shortest_of(j), promised_of(j)}; }

  std::size_t count_classes(const std::vector<index>& order) const {
    std::vector<char> seen(jobs_.request_slots());
    std::size_t classes = 0;
    for (const index at : order) {
      char& first = seen[jobs_[at].request];
      classes += first == 0;
      first = 1;
    }
    return classes;
  }

  // Jobs of queues that may not run now are refused before any job is considered.
  bool refuse_by_time(index at) {
    refusal why;
    if (is_within(jobs_[at]) || rules_.queue_may_run(queue_of(at), why)) return false;
    ++result_.considered;
    refuse(at, told(at, why));
    return true;
  }

  // Says what the formula gives, and refuses jobs that are worth no more than the threshold.
  void apply_formula(job_order& ordered) {
    const auto threshold = view_.settings().formula_threshold();
    const bool says = log_.shows(event_debug2);
    if (!threshold && !says) return;
    std::vector<char> waits(jobs_.size());  // not refused already
    for (const index at : ordered.jobs) waits[at] = 1;
    for (const auto& f : ordered.values) {
      const job& j = jobs_[f.job];
      if (says && f.error)
        log_.of_job(event_debug2, j.id,
                    log_.keep("Formula evaluation for job had an error.  Zero value will be used: " + std::string(f.error)));
      if (says) log_.of_job(event_debug2, j.id, log_.keep("Formula Evaluation = " + values::print_real(f.value)));
      if (!threshold || f.value > *threshold) continue;
      if (says)
        log_.of_job(
            event_debug2, j.id,
            log_.keep("Job's formula value " + values::print_real(f.value) + " is under threshold " + values::print_real(*threshold)));
      if (!std::exchange(waits[f.job], 0)) continue;
      refusal why;
      why.text = "Job is under job_sort_formula threshold value";
      why.data.kind = schema::Why::Kind::FORMULA;
      ++result_.considered;
      refuse(f.job, told(f.job, why));
    }
    std::erase_if(ordered.jobs, [&](index at) { return waits[at] == 0; });
  }

  const std::string& queue_of(index at) const { return queues_[jobs_[at].queue].name; }

  bool same_class(const job& a, const job& b) const {
    return a.queue == b.queue && (!users_matter_ || (a.euser == b.euser && a.egroup == b.egroup));
  }

  // An array keeps its place in the order until it has no subjob to run any more, or one could not be.
  void consider(index at) {
    if (!jobs_[at].is_array()) return consider_one(at);
    for (auto runs = SIZE_MAX; runs != result_.runs.size() && view_.intake().next_subjob(at);) {
      runs = result_.runs.size();
      consider_one(at);
    }
  }

  void consider_one(index at) {
    const job& j = jobs_[at];
    ++result_.considered;
    log_.of_job(event_debug, j.id, "Considering job to run");
    if (j.is_array() && !view_.intake().may_begin_another(j)) return wait_for_subjobs(at);
    if (const auto reached = queue_runs_jobs(j) ? limits_.reached_by(j) : std::nullopt)
      return refuse(at, verdict{at, comment_for(*reached, j)});
    if (is_within(j)) return consider_within(at);
    refusal why;
    if (!rules_.may_begin(j, queue_of(at), why) || backfill_.breaks_order(j, why)) return refuse(at, told(at, why));
    if (is_bound(j)) return consider_bound(at);
    verdict& known = verdicts_[j.request];
    const auto level = settings_.preemptive_sched ? preemption_.level_of(at) : 0;
    if (known.first == none || level < known.level || !same_class(jobs_[known.first], j) ||
        known.lengths.value_or(lengths_of(j)) != lengths_of(j)) {
      const bool allowed = may_run(j, why);
      if (allowed && finds_room(at, why)) return start(at, {});
      if (std::vector<preempt_victim> victims; allowed && !why.never && preempts(at, victims)) return start(at, std::move(victims));
      known = told(at, why);
      known.level = level;
      known.lacks_room = allowed && !why.never;
      if (why.data.kind == schema::Why::Kind::BOOKED) known.lengths = lengths_of(j);
    }
    if (known.lacks_room) backfill_.could_not_run(at);
    refuse(at, known);
  }

  // Nobody is told, as in PBS.
  void wait_for_subjobs(index at) {
    const job& j = jobs_[at];
    refusal unused;
    const bool waits_for_that_alone = queue_runs_jobs(j) && !is_within(j) && !limits_.reached_by(j) &&
                                      rules_.may_begin(j, queue_of(at), unused) && !backfill_.breaks_order(j, unused);
    if (waits_for_that_alone) backfill_.waits_for_its_subjobs(at);
    log_.of_job(event_sched, j.id, "Number of concurrent running subjobs limit reached");
  }

  // It preempts nobody: its place may be held by whom it may not preempt.
  void consider_bound(index at) {
    const job& j = jobs_[at];
    refusal why;
    const bool may = may_run(j, why) && pools_suffice(view_, placement_, j, why);
    if (may && finds_kept_place(at, why)) return start(at, {});
    if (may && backfill_.enforced(j)) backfill_.book_resumption(at);
    refuse(at, told(at, why));
  }

  bool finds_kept_place(index at, refusal& why) {
    const job& j = jobs_[at];
    const auto taken = take_again(view_, j);
    if (taken && backfill_.leaves_alone(*taken, j)) {
      allocation_ = kept_place(view_, j);
      allocation_.seconds = longest_of(at);
      return true;
    }
    if (taken) give_back(view_, *taken);
    why.text = "Not enough free nodes available";
    return false;
  }

  // A job of a reservation stands behind no other job, preempts nobody, and dedicated and prime time are not its: its time was agreed on.
  void consider_within(index at) {
    const job& j = jobs_[at];
    verdict& known = verdicts_[j.request];
    if (known.first == none || !same_class(jobs_[known.first], j)) {
      refusal why;
      if (may_run(j, why) && pools_suffice(view_, placement_, j, why) && finds_room_within(j, why)) return start(at, {});
      known = told(at, why);
    }
    refuse(at, known);
  }

  const reservation* running_reservation_of(const job& j) {
    const auto* r = view_.reservations().of(j);
    return r && backfill_.dates().running(r->serial) ? r : nullptr;
  }

  bool finds_room_within(const job& j, refusal& why) {
    if (const auto* r = running_reservation_of(j)) {
      const auto left = backfill_.dates().running(r->serial)->end - now_;
      allocation_.seconds = std::max(std::min(duration_of(j), left), shortest_of(j));
      return inner_.place(backfill_.dates(), *r, j, allocation_, why);
    }
    refuse_for_queue("Queue not started.", queues_[j.queue], why);
    return false;
  }

  // Limits are asked of each job, before what is known of its class: who owns a job is no part of that.
  bool queue_runs_jobs(const job& j) const {
    const queue& q = queues_[j.queue];
    return q.exists && q.execution && q.started && jobs_.request_of(j).understood;
  }

  bool may_run(const job& j, refusal& why) const {
    const queue& q = queues_[j.queue];
    if (!jobs_.request_of(j).understood) why.text = "Internal Scheduling Error", why.log = "A scheduling error has occurred";
    else if (!q.exists || !q.execution) refuse_for_queue("Queue not an execution queue.", q, why);
    else if (!q.started) refuse_for_queue("Queue not started.", q, why);
    else return true;
    return false;
  }

  static void refuse_for_queue(const char* text, const queue& q, refusal& why) {
    why.text = text;
    why.data.kind = schema::Why::Kind::QUEUE;
    why.data.owner = "queue " + q.name;
  }

  bool finds_room(index at, refusal& why) {
    const job& j = jobs_[at];
    return pools_suffice(view_, placement_, j, why) && backfill_.place(placement_, j, longest_of(at), allocation_, why);
  }
  // How long the job may run if it begins now: a shrink-to-fit job until it would meet another time of the day.
  std::int64_t longest_of(index at) const {
    const job& j = jobs_[at];
    return j.shrinks.shortest > 0 ? rules_.longest(j, queue_of(at)) : duration_of(j);
  }

  bool preempts(index at, std::vector<preempt_victim>& victims) {
    return preemption_.may_employ(at) && !preemption_.waits_for_leaving(at) &&
           preemption_.make_room(at, false, longest_of(at), allocation_, victims);
  }

  std::uint32_t comment_for(const refusal& why) {
    std::string whole = (why.never ? can_never_run : not_running) + why.text;
    const auto [at, is_new] = comment_ids_.try_emplace(whole + key_of(why.data), static_cast<std::uint32_t>(spoken_.size()));
    if (is_new) {
      result_.comments.push_back(std::move(whole));
      result_.whys.push_back(why.data);
      const std::string_view kept = result_.comments.back();
      const auto log_text = why.log.empty() ? kept.substr(kept.size() - why.text.size()) : log_.keep(why.log);
      spoken_.push_back({at->second, log_text, why.never});
    }
    return at->second;
  }

  std::uint32_t comment_for(const reached_limit& reached, const job& j) {
    const auto [at, is_new] = limit_comments_.try_emplace(limits_.key_of(reached, j), 0);
    if (is_new) at->second = comment_for(limits_.explain(reached, j));
    return at->second;
  }

  std::uint32_t blocker_for(const std::string& behind) {
    if (behind.empty()) return 0;
    const auto [at, is_new] = blocker_ids_.try_emplace(behind, static_cast<std::uint32_t>(result_.blockers.size() + 1));
    if (is_new) result_.blockers.push_back(behind);
    return at->second;
  }

  verdict told(index at, const refusal& why) { return {at, comment_for(why), blocker_for(why.behind)}; }

  void refuse(index at, const verdict& why) {
    const job& j = jobs_[at];
    log_.of_job(event_sched, j.id, spoken_[why.comment].log_text);
    if (spoken_[why.comment].never) log_.of_job(event_sched, j.id, never_text);
    result_.reasons.push_back({j.serial, at, why.comment, why.behind});
  }

  void start(index at, std::vector<preempt_victim> victims) {
    const job& j = jobs_[at];
    if (j.is_array()) return start(view_.intake().make_subjob(at), std::move(victims));
    auto texts = describe(view_, allocation_);
    if (j.shrinks.shortest > 0) grant(at);
    log_run(j, victims);
    proposed_run run{j.serial, std::move(texts.exec_vnode), std::move(texts.exec_host), std::move(texts.hosts),
                     std::move(victims), j.granted};
    if (j.array != 0) run.job = j.array, run.subjob = values::index_of(j.serial);
    result_.runs.push_back(std::move(run));
    claim c = placement_.claim_of(j, allocation_);
    c.slots = std::move(texts.slots);
    hold(at, std::move(c));
  }

  void log_run(const job& j, const std::vector<preempt_victim>& victims) {
    for (const auto& v : victims) log_.of_job(event_sched, jobs_[v.at].id, words_for(v.by));
    log_.of_job(event_sched, j.id, "Job run");
    for (const auto& v : victims)  // what they will be told in the next cycle
      if (v.by != preempt_victim::method::remove) log_.of_job(event_sched, jobs_[v.at].id, "Not enough free nodes available");
  }

  // A shrink-to-fit job has its walltime from here on.
  void grant(index at) {
    const job& j = jobs_[at];
    const auto seconds = allocation_.seconds;
    const auto say = [&](const std::string& what, std::int64_t duration, const char* why) {
      log_.of_job(event_sched, j.id, log_.keep(what + " duration=" + values::print_duration(duration) + why));
    };
    const auto by_time = std::max(longest_of(at), seconds);  // qrun does not look at it
    if (by_time < j.shrinks.longest) say("Considering shrinking job to", by_time, ", due to a prime/dedicated time conflict");
    if (seconds < by_time) say("Considering shrinking job to", seconds, ", due to a reservation/top job conflict");
    say("Job will run for", seconds, "");
    view_.jobs().grant(at, seconds);
  }

  void hold(index at, claim c) {
    view_.claims().claim_for(at, std::move(c));
    placement_.vnodes_changed();
    backfill_.started(at);
  }

  view& view_;
  const job_table& jobs_;
  const queue_table& queues_;
  const job_limits& limits_;
  const policy& policy_;
  const moment now_;
  const time_rules rules_;
  const timed_settings& settings_;  // of now
  result result_;
  cycle_log log_;
  placement placement_;
  allocation allocation_;
  backfill backfill_;
  inner_space inner_;
  preemption preemption_;
  std::vector<verdict> verdicts_;                               // by request
  std::vector<spoken> spoken_;                                  // beside result_.comments
  std::unordered_map<std::string, std::uint32_t> comment_ids_;  // by text and data
  std::unordered_map<std::string, std::uint32_t> blocker_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> limit_comments_;  // by key of the limit
  bool users_matter_ = false;
};

}  // namespace

result run_asked(view& v, const policy& p, moment now, index job_at, std::string& why) {
  return cycle_run(v, p, now).run_asked(job_at, why);
}

result run_cycle(view& v, const policy& p, moment now, const std::set<std::uint64_t>& without) {
  return cycle_run(v, p, now).run(without);
}

}  // namespace annals::cycle
