#include "tools/report/use.hpp"

#include <algorithm>
#include <array>

#include "tools/report/moments.hpp"

namespace annals::reporting {
namespace {

constexpr std::array<const char*, 8> names = {"user", "group", "project", "account", "queue", "reservation", "day", "month"};

void add_held(std::vector<held_sum>& to, const std::vector<held_sum>& held) {
  to.resize(held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (!held[i].kind) continue;
    if (to[i].kind && to[i].kind != held[i].kind)
      throw report_trouble("a resource was defined as a number and as a size: choose a period in which it was one of them");
    to[i].kind = held[i].kind;
    to[i].amount_s = plus(to[i].amount_s, held[i].amount_s);
  }
}

}  // namespace

void use_sum::add(const counted_run& r, exact run_cost) {
  if (last_job_ != r.job) ++jobs;
  last_job_ = r.job;
  ++runs;
  if (r.start_failed) ++failed_starts;
  cput_s = plus(cput_s, r.cput_s);
  walltime_s = plus(walltime_s, r.walltime_s);
  suspended_s = plus(suspended_s, r.suspended_s);
  core_s = plus(core_s, r.core_s);
  mem_byte_s = plus(mem_byte_s, r.mem_byte_s);
  mem_bytes_max = std::max(mem_bytes_max, r.mem_bytes);
  add_held(held, r.held);
  cost = plus(cost, run_cost);
  if (r.wait_s) waits_s_.push_back(*r.wait_s);
}

std::optional<std::int64_t> use_sum::wait_s(unsigned percent) const {
  if (waits_s_.empty()) return std::nullopt;
  const auto rank = std::max<std::size_t>((waits_s_.size() * percent + 99) / 100, 1) - 1;
  const auto at = waits_s_.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(waits_s_.begin(), at, waits_s_.end());
  return *at;
}

std::optional<exact> use_sum::efficiency_tenths() const {
  if (core_s <= 0) return std::nullopt;
  return rounded(times(cput_s, 1000), core_s);
}

std::optional<dimension> dimension_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<dimension>(i);
  return std::nullopt;
}

const char* name_of(dimension d) { return names[static_cast<std::size_t>(d)]; }

std::vector<std::string> dimension_names() { return {names.begin(), names.end()}; }

void use_table::add(const counted_run& r) {
  const auto cost = cost_of(r);
  groups_[key_of(r)].add(r, cost);
  all_.add(r, cost);
}

group_key use_table::key_of(const counted_run& r) const {
  group_key key;
  for (const auto d : by_) {
    if (d == dimension::day) key.emplace_back(local_day(r.closed_ns));
    else if (d == dimension::month) key.emplace_back(local_month(r.closed_ns));
    else key.push_back(r.of[static_cast<std::size_t>(d)]);
  }
  return key;
}

exact use_table::cost_of(const counted_run& r) const {
  exact cost = 0;
  if (!prices_) return cost;
  const std::string_view queue = r.of[static_cast<std::size_t>(whose::queue)] ? *r.of[static_cast<std::size_t>(whose::queue)] : "";
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    const auto& held = r.held[i];
    const auto* p = held.kind ? prices_->find(resources_[i], queue, r.closed_ns) : nullptr;
    if (p) cost = plus(cost, charge(*prices_, *p, *held.kind, held.amount_s));
  }
  return cost;
}

}  // namespace annals::reporting
