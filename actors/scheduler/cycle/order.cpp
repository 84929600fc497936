#include "actors/scheduler/cycle/order.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "actors/scheduler/cycle/job_terms.hpp"

namespace annals::cycle {

namespace {

struct place {
  std::int64_t queue_priority;
  std::uint64_t queue_order;
  std::int64_t rank;
  std::uint64_t serial;
  index at;
  std::uint32_t values = 0;  // where in the list of values its own begin

  auto queue() const { return std::tuple(queue_priority, queue_order); }
  bool operator<(const place& o) const {
    return std::tuple(queue_priority, queue_order, rank, serial) < std::tuple(o.queue_priority, o.queue_order, o.rank, o.serial);
  }
};

std::vector<place> by_queue_and_rank(const job_table& jobs, const queue_table& queues, bool queue_counts) {
  std::vector<place> places;
  for (index i = 0; i < jobs.size(); ++i) {
    const job& j = jobs[i];
    if (j.where != job_place::queued) continue;
    const queue& q = queues[j.queue];
    places.push_back({queue_counts ? -q.priority : 0, queue_counts ? q.order : 0, j.rank, j.serial, i});
  }
  std::sort(places.begin(), places.end());
  return places;
}

// Within a queue, or among all jobs if queues don't count: those with the lower values first, others as they stand.
void sort_by_values(std::vector<place>& places, const std::vector<double>& values, std::size_t each) {
  std::stable_sort(places.begin(), places.end(), [&](const place& a, const place& b) {
    if (a.queue() != b.queue()) return a.queue() < b.queue();
    const auto first = values.begin() + a.values, second = values.begin() + b.values;
    return std::lexicographical_compare(first, first + static_cast<std::ptrdiff_t>(each), second,
                                        second + static_cast<std::ptrdiff_t>(each));
  });
}

std::vector<formula_value> sort_by_formula(std::vector<place>& places, const view& v, const job_terms& terms) {
  const auto& formula = *v.settings().formula();
  const auto& jobs = v.jobs();
  std::vector<job_terms::term> of_names;
  for (const auto& name : formula.names()) of_names.push_back(job_terms::find(v.resources(), name).value_or(job_terms::term{}));
  std::vector<double> numbers(of_names.size()), values;
  std::vector<formula_value> found;
  found.reserve(places.size());
  values.reserve(places.size());
  for (place& p : places) {
    const job& j = jobs[p.at];
    for (std::size_t i = 0; i < of_names.size(); ++i) numbers[i] = terms.value(of_names[i], j);
    const auto result = formula.value(numbers);
    found.push_back({p.at, result.value, result.error});
    p.values = static_cast<std::uint32_t>(values.size());
    values.push_back(-result.value);
  }
  sort_by_values(places, values, 1);
  return found;
}

void sort_by_keys(std::vector<place>& places, const view& v, const job_terms& terms, const std::vector<job_sort_key>& keys) {
  const auto& jobs = v.jobs();
  std::vector<std::pair<job_terms::term, double>> signs;
  for (const auto& key : keys)
    if (const auto term = job_terms::find(v.resources(), key.name)) signs.emplace_back(*term, key.high_first ? -1 : 1);
  std::vector<double> values;
  values.reserve(places.size() * signs.size());
  for (place& p : places) {
    p.values = static_cast<std::uint32_t>(values.size());
    for (const auto& [term, sign] : signs) values.push_back(sign * terms.value(term, jobs[p.at]));
  }
  sort_by_values(places, values, signs.size());
}

// Among queues of one priority: the first job of each, then the second of each, ...
std::vector<index> by_turns(const std::vector<place>& places) {
  std::vector<std::tuple<std::int64_t, std::size_t, std::uint64_t, index>> turns;
  std::size_t turn = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    turn = k > 0 && places[k - 1].queue() == places[k].queue() ? turn + 1 : 0;
    turns.emplace_back(places[k].queue_priority, turn, places[k].queue_order, places[k].at);
  }
  std::sort(turns.begin(), turns.end());
  std::vector<index> order;
  for (const auto& t : turns) order.push_back(std::get<3>(t));
  return order;
}

}  // namespace

job_order in_order(view& v, const policy& p, const timed_settings& settings, moment now) {
  auto places = by_queue_and_rank(v.jobs(), v.queues(), settings.by_queue || settings.round_robin);
  job_order order;
  if (v.settings().formula()) order.values = sort_by_formula(places, v, job_terms(v, p, now));
  else if (!settings.job_sort_keys.empty()) sort_by_keys(places, v, job_terms(v, p, now), settings.job_sort_keys);
  if (settings.round_robin) {
    order.jobs = by_turns(places);
  } else {
    order.jobs.reserve(places.size());
    for (const auto& at : places) order.jobs.push_back(at.at);
  }
  return order;
}

}  // namespace annals::cycle
