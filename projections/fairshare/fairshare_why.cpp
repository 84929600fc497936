#include "projections/fairshare/fairshare_why.hpp"

#include <algorithm>

namespace annals::projections {

fairshare_why::fairshare_why() { forgotten(); }

void fairshare_why::begin(why_row first) {
  rows_.clear();
  row_of_.clear();
  scale_ = 1;
  sum_ = first.counts;
  rows_.push_back(std::move(first));
}

void fairshare_why::forgotten() { begin({why_start, model::fairshare_usage_min, model::fairshare_usage_min, 0}); }

void fairshare_why::set(double usage, const std::string& by, std::int64_t wall_ns) {
  begin({std::string(why_set) + " by " + by, usage, usage, wall_ns});
}

void fairshare_why::scaled(double factor) {
  sum_ *= factor;
  scale_ *= factor;
  // So small that numbers beside it lose their digits: nothing of the rows is left that anybody could see.
  if (scale_ < 1e-100) {
    for (auto& r : rows_) r.counts *= scale_;
    scale_ = 1;
  }
  if (sum_ >= model::fairshare_usage_min) return;
  rows_.front().counts += (model::fairshare_usage_min - sum_) / scale_;
  sum_ = model::fairshare_usage_min;
}

void fairshare_why::used(const model::job_state& job, double amount, std::int64_t wall_ns) {
  const auto [at, is_new] = row_of_.try_emplace(job.id, rows_.size());
  if (is_new) rows_.push_back({job.id, 0, 0, 0});
  auto& row = rows_[at->second];
  row.used += amount;
  row.counts += amount / scale_;
  row.last_ns = wall_ns;
  sum_ += amount;
  if (rows_.size() >= 2 * why_rows_max) join_oldest();
}

// One row of all jobs but the last why_rows_max.
void fairshare_why::join_oldest() {
  const auto first = rows_[1].what == why_earlier ? rows_.begin() + 2 : rows_.begin() + 1;
  const auto kept = rows_.end() - static_cast<std::ptrdiff_t>(why_rows_max);
  why_row joined = first == rows_.begin() + 2 ? rows_[1] : why_row{why_earlier, 0, 0, 0};
  for (auto r = first; r != kept; ++r) {
    joined.used += r->used;
    joined.counts += r->counts;
    joined.last_ns = std::max(joined.last_ns, r->last_ns);
  }
  std::vector<why_row> rows{rows_.front(), std::move(joined)};
  rows.insert(rows.end(), kept, rows_.end());
  rows_ = std::move(rows);
  row_of_.clear();
  for (std::size_t i = 2; i < rows_.size(); ++i) row_of_[rows_[i].what] = i;
}

std::vector<why_row> fairshare_why::rows() const {
  auto rows = rows_;
  for (auto& r : rows) r.counts *= scale_;
  return rows;
}

double fairshare_why::sum() const {
  double sum = 0;
  for (const auto& r : rows()) sum += r.counts;
  return sum;
}

}  // namespace annals::projections
