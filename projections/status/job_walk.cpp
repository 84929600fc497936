#include "projections/status/job_walk.hpp"

#include <algorithm>

#include "projections/status/status.hpp"

namespace annals::projections {

namespace {

constexpr std::uint64_t none = UINT64_MAX;

// What a part of a walk may cost. To read a row takes as long as to look at so many numbers.
class effort {
 public:
  explicit effort(std::size_t rows) : left_(rows > SIZE_MAX / row ? SIZE_MAX : rows * row) {}
  bool is_left() const { return left_ > 0; }
  void looked() { take(1); }
  void read() { take(row); }

 private:
  static constexpr std::size_t row = 32;
  void take(std::size_t n) { left_ -= std::min(n, left_); }
  std::size_t left_;
};

bool may_be(const jobs_wanted& wanted, const model::job_state& job) { return !wanted.may_be || wanted.may_be(job.owner(), job.queue()); }

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

bool status::go_on(job_walk& walk, const visit_job& visit, std::size_t rows) const {
  if (!walk.begun_) begin(walk);
  const auto& wanted = walk.wanted_;
  effort effort(rows);

  // A row of the history is read only if it may be wanted.
  const auto find_wanted = [&](const job_history::place& at) -> job_ptr {
    if (at.whose && wanted.may_be && !wanted.may_be(at.whose->first, at.whose->second)) return nullptr;
    if (wanted.since_s > 0 && !history_.may_have_ended_since(at.number, wanted.since_s)) return nullptr;
    effort.read();
    auto job = history_.find(at.serial);
    return (at.whose || may_be(wanted, *job)) && ended_in_time(wanted, *job) ? job : nullptr;
  };

  while (walk.seeks_newest() && effort.is_left()) {
    const auto ended = history_.before(walk.first_finished_);
    const auto above = serial_of_number_.lower_bound(walk.first_finished_);
    const bool in_memory = above != serial_of_number_.begin() && (!ended || std::prev(above)->first > (*ended).number);
    if (!in_memory && !ended) {
      walk.left_ = walk.first_finished_ = 0;
      break;
    }
    walk.first_finished_ = in_memory ? std::prev(above)->first : (*ended).number;
    effort.looked();
    if (in_memory) {
      const auto& job = jobs_.at(std::prev(above)->second);
      walk.left_ -= job.ended() && may_be(wanted, job) && ended_in_time(wanted, job);
    } else if (wanted.since_s > 0 && !history_.may_have_ended_since((*ended).number, wanted.since_s)) {
      // None of its neighbours in the history; those in memory are looked at one by one.
      const auto lowest = job_history::next_neighbours((*ended).number) - job_history::neighbours;
      walk.first_finished_ = std::max(lowest, above == serial_of_number_.begin() ? 0 : std::prev(above)->first + 1);
    } else {
      const bool only_counted = (*ended).whose && wanted.since_s == 0;
      const bool counts = only_counted ? !wanted.may_be || wanted.may_be((*ended).whose->first, (*ended).whose->second)
                                       : find_wanted(*ended) != nullptr;
      walk.left_ -= counts;
    }
  }

  const bool with_history = wanted.history != schema::History::LIVE;
  auto live = serial_of_number_.lower_bound(walk.next_);
  auto ended = with_history ? history_.jobs(std::max(walk.next_, walk.first_finished_)) : job_history::places();
  const auto show = [&](const model::job_state& job) {
    effort.looked();
    if (!fits_history(job, wanted.history)) return true;
    if (job.ended() && (job.number < walk.first_finished_ || !ended_in_time(wanted, job))) return true;
    return visit(job);
  };
  const auto show_displaced_until = [&](std::int64_t rank) {
    bool more = true;
    for (auto& at = walk.next_displaced_; more && at < walk.displaced_.size() && walk.displaced_[at].rank <= rank; ++at)
      if (const auto displaced = job(walk.displaced_[at].serial)) more = show(*displaced);
    return more;
  };

  while (effort.is_left()) {
    const auto in_memory = live == serial_of_number_.end() ? none : live->first;
    const auto in_history = ended ? (*ended).number : none;
    const auto number = std::min(in_memory, in_history);
    if (number >= walk.end_) {
      (void)show_displaced_until(INT64_MAX);
      return false;
    }
    walk.next_ = number + 1;
    const bool comes_elsewhere = walk.displaced_numbers_.contains(number);
    bool more = true;
    if (number == in_memory) {
      const auto& job = jobs_.at((live++)->second);
      if (!comes_elsewhere) more = show_displaced_until(job.queue_rank) && show(job);
    } else {
      const auto at = *ended;
      effort.looked();
      if (wanted.since_s > 0 && !history_.may_have_ended_since(number, wanted.since_s))
        ended = history_.jobs(job_history::next_neighbours(number));
      else ended.next();
      if (!comes_elsewhere)
        if (const auto job = find_wanted(at)) more = visit(*job);
    }
    if (!more) return false;
  }
  return true;
}

void status::each_job(const visit_job& visit, const jobs_wanted& wanted) const {
  job_walk all(wanted);
  (void)go_on(all, visit, SIZE_MAX);
}

}  // namespace annals::projections
