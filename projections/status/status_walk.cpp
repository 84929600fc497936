// The walk over jobs (job_walk.hpp).
#include <algorithm>

#include "projections/status/status.hpp"

namespace annals::projections {

namespace {

constexpr std::uint64_t none = UINT64_MAX;

bool may_be(const jobs_wanted& wanted, std::string_view owner, std::string_view queue, effort& left) {
  if (!wanted.may_be) return true;
  left.looked(wanted.looks);
  return wanted.may_be(owner, queue);
}
bool may_be(const jobs_wanted& wanted, const model::job_state& job, effort& left) { return may_be(wanted, job.owner(), job.queue(), left); }
bool may_be(const jobs_wanted& wanted, const job_history::owner_and_queue& whose, effort& left) {
  return may_be(wanted, whose.first, whose.second, left);
}

bool ended_in_time(const jobs_wanted& wanted, const model::job_state& job) {
  return wanted.since_s == 0 || ended_at_s(job) >= wanted.since_s;
}

}  // namespace

void status::begin(job_walk& walk) const {
  walk.begun_ = true;
  const auto last = history_.before(none);
  if (last) walk.end_ = (*last).number + 1;
  if (!serial_of_number_.empty()) walk.end_ = std::max(walk.end_, serial_of_number_.rbegin()->first + 1);
  if (walk.wanted_.history == schema::History::LIVE) walk.left_ = 0;
  if (walk.seeks_newest()) walk.first_finished_ = walk.end_;
  for (const auto& [place, serial] : displaced_) {
    walk.displaced_.push_back({place.first, serial});
    walk.displaced_numbers_.insert(place.second);
  }
}

bool status::go_on(job_walk& walk, const visit_job& visit, effort& left) const {
  if (!walk.begun_) begin(walk);
  const auto& wanted = walk.wanted_;

  // A row of the history is read only if it may be wanted.
  const auto find_wanted = [&](const job_history::place& at) -> job_ptr {
    if (at.whose && !may_be(wanted, *at.whose, left)) return nullptr;
    if (wanted.since_s > 0 && !history_.may_have_ended_since(at.number, wanted.since_s)) return nullptr;
    left.read();
    auto job = history_.find(at.serial);
    return (at.whose || may_be(wanted, *job, left)) && ended_in_time(wanted, *job) ? job : nullptr;
  };

  while (walk.seeks_newest() && left.is_left()) {
    const auto ended = history_.before(walk.first_finished_);
    const auto above = serial_of_number_.lower_bound(walk.first_finished_);
    const bool in_memory = above != serial_of_number_.begin() && (!ended || std::prev(above)->first > (*ended).number);
    if (!in_memory && !ended) {
      walk.left_ = walk.first_finished_ = 0;
      break;
    }
    walk.first_finished_ = in_memory ? std::prev(above)->first : (*ended).number;
    left.looked();
    if (in_memory) {
      const auto& job = jobs_.at(std::prev(above)->second);
      walk.left_ -= job.ended() && may_be(wanted, job, left) && ended_in_time(wanted, job);
    } else if (wanted.since_s > 0 && !history_.may_have_ended_since((*ended).number, wanted.since_s)) {
      // None of its neighbours in the history; those in memory are looked at one by one.
      const auto lowest = job_history::next_neighbours((*ended).number) - job_history::neighbours;
      walk.first_finished_ = std::max(lowest, above == serial_of_number_.begin() ? 0 : std::prev(above)->first + 1);
    } else {
      const bool only_counted = (*ended).whose && wanted.since_s == 0;
      const bool counts = only_counted ? may_be(wanted, *(*ended).whose, left) : find_wanted(*ended) != nullptr;
      walk.left_ -= counts;
    }
  }

  const bool with_history = wanted.history != schema::History::LIVE;
  auto live = serial_of_number_.lower_bound(walk.next_);
  auto ended = with_history ? history_.jobs(std::max(walk.next_, walk.first_finished_)) : job_history::places();
  const auto show = [&](const model::job_state& job) {
    left.looked();
    if (!fits_history(job, wanted.history)) return true;
    if (job.ended() && (job.number < walk.first_finished_ || !ended_in_time(wanted, job))) return true;
    return visit(job);
  };
  // The next one of those that come at a place of their own, if its rank is no higher.
  const auto next_displaced = [&](std::int64_t rank) -> const job_walk::displaced* {
    auto& at = walk.next_displaced_;
    return at < walk.displaced_.size() && walk.displaced_[at].rank <= rank ? &walk.displaced_[at++] : nullptr;
  };

  bool more = true;
  while (more && left.is_left()) {
    const auto in_memory = live == serial_of_number_.end() ? none : live->first;
    const auto in_history = ended ? (*ended).number : none;
    const auto number = std::min(in_memory, in_history);
    const bool at_end = number >= walk.end_;
    const bool comes_elsewhere = walk.displaced_numbers_.contains(number);
    const auto* own = !at_end && !comes_elsewhere && number == in_memory ? &jobs_.at(live->second) : nullptr;
    if (const auto* first = at_end || own ? next_displaced(own ? own->queue_rank : INT64_MAX) : nullptr) {
      if (const auto displaced = job(first->serial)) more = show(*displaced);
      continue;
    }
    if (at_end) return false;
    walk.next_ = number + 1;
    if (number == in_memory) {
      ++live;
      if (own) more = show(*own);
    } else {
      const auto at = *ended;
      left.looked();
      if (wanted.since_s > 0 && !history_.may_have_ended_since(number, wanted.since_s))
        ended = history_.jobs(job_history::next_neighbours(number));
      else ended.next();
      if (!comes_elsewhere)
        if (const auto job = find_wanted(at)) more = visit(*job);
    }
  }
  return true;
}

void status::each_job(const visit_job& visit, const jobs_wanted& wanted) const {
  job_walk all(wanted);
  auto no_end = effort::without_end();
  (void)go_on(all, visit, no_end);
}

}  // namespace annals::projections
