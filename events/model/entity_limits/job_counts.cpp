#include "events/model/entity_limits/job_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "events/values/duration.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::model {

using values::limit_kind;
using values::limit_kinds;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t parts_of_one = 10'000;  // decimals have four places at most

std::int64_t parts(std::int64_t whole) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(whole, parts_of_one, &product) ? most : product;
}

std::int64_t in_kb(const values::size_value& size, bool up) {
  const auto kb = std::min(size.to_kb(), static_cast<std::uint64_t>(most));
  const bool rounded = values::compare(values::size_value{kb, 10, false}, size) > 0;
  return static_cast<std::int64_t>(!up && rounded ? kb - 1 : kb);
}

}  // namespace

std::optional<std::int64_t> limit_amount(std::string_view text, bool up) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;  // select, place, what is below zero
  if (const auto whole = values::parse_integer(text)) return parts(*whole);
  if (text.find(':') != std::string_view::npos) return values::parse_duration(text);
  if (const auto size = values::parse_size(text)) return in_kb(*size, up);
  const auto real = values::parse_real(text);
  if (!real) return std::nullopt;
  const double exact = *real * static_cast<double>(parts_of_one);
  const double near = std::round(exact);  // 0.3 is three thousand, whatever a double makes of it
  const double rounded = std::abs(exact - near) < 1e-3 ? near : up ? std::ceil(exact)
                                                                   : std::floor(exact);
  return rounded >= static_cast<double>(most) ? most : static_cast<std::int64_t>(rounded);
}

std::string_view job_owner::name(limit_kind kind) const {
  switch (kind) {
    case limit_kind::user: return user;
    case limit_kind::group: return group;
    case limit_kind::project: return project;
    case limit_kind::all: break;
  }
  return {};
}

// -- reading -------------------------------------------------------------------------------------------------------------

const job_counts::tally* job_counts::find(std::string_view place, limit_kind kind, std::string_view name) const {
  const auto at = places_.find(place);
  if (at == places_.end()) return nullptr;
  const auto& of_kind = at->second[static_cast<std::size_t>(kind)];
  const auto number = of_kind.find(kind == limit_kind::all ? std::string_view() : name);
  return number == of_kind.end() ? nullptr : &tallies_[number->second];
}

job_counts::sum job_counts::asked_of(const tally& t, std::string_view resource, bool in_q) const {
  const auto number = resources_.find(resource);
  if (number == resources_.end() || number->second >= t.asked.size()) return 0;
  return in_q ? t.asked[number->second].in_q : t.asked[number->second].all;
}

job_owner job_counts::owner_of(const counted_job& job) const {
  const auto name = [&](limit_kind kind) -> std::string_view { return tallies_[job.tallies[static_cast<std::size_t>(kind)]].name; };
  return {name(limit_kind::user), name(limit_kind::group), name(limit_kind::project)};
}

std::int64_t job_counts::asked_by(const counted_job& job, std::string_view resource) const {
  const auto number = resources_.find(resource);
  if (number == resources_.end()) return 0;
  for (const auto& a : job.asked)
    if (a.resource == number->second) return a.amount;
  return 0;
}

// -- counting ------------------------------------------------------------------------------------------------------------

std::uint32_t job_counts::tally_at(std::string_view place_name, limit_kind kind, std::string_view name) {
  auto at = places_.find(place_name);
  if (at == places_.end()) at = places_.emplace(place_name, place()).first;
  auto& of_kind = at->second[static_cast<std::size_t>(kind)];
  if (const auto known = of_kind.find(name); known != of_kind.end()) return known->second;
  auto number = static_cast<std::uint32_t>(tallies_.size());
  if (free_.empty()) {
    tallies_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  tallies_[number] = {std::string(place_name), std::string(name), kind, 0, 0, 0, {}};
  of_kind.emplace(name, number);
  return number;
}

void job_counts::find_tallies(counted_job& job, std::size_t from, std::string_view place, const job_owner& owner) {
  for (const auto kind : limit_kinds) job.tallies[from + static_cast<std::size_t>(kind)] = tally_at(place, kind, owner.name(kind));
}

void job_counts::count(std::uint32_t number, const counted_job& job, int sign) {
  auto& t = tallies_[number];
  const bool in_q = job.in_q();
  const auto by = sign * std::int64_t{job.weight};
  t.holders += static_cast<std::uint64_t>(sign);
  t.jobs += static_cast<std::uint64_t>(by);
  if (in_q) t.in_q += static_cast<std::uint64_t>(by);
  for (const auto& a : job.asked) {
    if (a.resource >= t.asked.size()) t.asked.resize(a.resource + 1u);
    t.asked[a.resource].all += by * sum(a.amount);
    if (in_q) t.asked[a.resource].in_q += by * sum(a.amount);
  }
}

void job_counts::count_all(const counted_job& job, std::size_t from, std::size_t to, int sign) {
  for (auto i = from; i < to; ++i) count(job.tallies[i], job, sign);
}

void job_counts::count_in_q(const counted_job& job, int sign) {
  for (const auto number : job.tallies) {
    auto& t = tallies_[number];
    const auto by = sign * std::int64_t{job.weight};
    t.in_q += static_cast<std::uint64_t>(by);
    for (const auto& a : job.asked) t.asked[a.resource].in_q += by * sum(a.amount);
  }
}

// Names come from outside: what nobody has any more is forgotten.
void job_counts::free_if_empty(std::uint32_t number) {
  auto& t = tallies_[number];
  if (t.holders > 0) return;
  const auto at = places_.find(t.place);
  at->second[static_cast<std::size_t>(t.kind)].erase(t.name);
  if (std::all_of(at->second.begin(), at->second.end(), [](const auto& of_kind) { return of_kind.empty(); })) places_.erase(at);
  t = {};
  free_.push_back(number);
}

void job_counts::add(counted_job& job, std::string_view queue, const job_owner& owner) {
  find_tallies(job, 0, "", owner);
  find_tallies(job, limit_kinds.size(), queue, owner);
  job.counted = true;
  count_all(job, 0, job.tallies.size(), +1);
}

void job_counts::remove(counted_job& job) {
  if (!job.counted) return;
  count_all(job, 0, job.tallies.size(), -1);
  for (const auto number : job.tallies) free_if_empty(number);
  job = {};
}

void job_counts::weigh(counted_job& job, std::uint32_t weight) {
  if (job.counted) count_all(job, 0, job.tallies.size(), -1);
  job.weight = weight;
  if (job.counted) count_all(job, 0, job.tallies.size(), +1);
}

void job_counts::move(counted_job& job, std::string_view queue) {
  const auto before = job.tallies;
  const auto first = limit_kinds.size();
  find_tallies(job, first, queue, owner_of(job));
  count_all(job, first, job.tallies.size(), +1);
  for (auto i = first; i < before.size(); ++i) {
    count(before[i], job, -1);
    free_if_empty(before[i]);
  }
}

void job_counts::change_owner(counted_job& job, const job_owner& owner) {
  const auto before = job.tallies;
  find_tallies(job, 0, "", owner);
  find_tallies(job, limit_kinds.size(), tallies_[before.back()].place, owner);
  count_all(job, 0, job.tallies.size(), +1);
  for (const auto number : before) {
    count(number, job, -1);
    free_if_empty(number);
  }
}

void job_counts::ask(counted_job& job, std::string_view resource, std::string_view value) {
  const auto amount = limit_amount(value, true);
  auto at = resources_.find(resource);
  if (at == resources_.end()) {
    if (!amount) return;
    at = resources_.emplace(resource, static_cast<resource_number>(resources_.size())).first;
  }
  if (job.counted) count_all(job, 0, job.tallies.size(), -1);
  std::erase_if(job.asked, [&](const asked_amount& a) { return a.resource == at->second; });
  if (amount) job.asked.push_back({at->second, *amount});
  if (job.counted) count_all(job, 0, job.tallies.size(), +1);
}

}  // namespace annals::model
