#include "events/values/job_indices.hpp"

#include <algorithm>
#include <charconv>

#include "events/values/string_list.hpp"

namespace annals::values {

namespace {

bool take_index(std::string_view& text, std::uint32_t& into) {
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<index_range> parse_index_range(std::string_view text) {
  index_range range;
  if (!take_index(text, range.first)) return std::nullopt;
  range.last = range.first;
  if (take(text, '-')) {
    if (!take_index(text, range.last) || range.last < range.first) return std::nullopt;
    if (take(text, ':') && (!take_index(text, range.step) || range.step == 0)) return std::nullopt;
  }
  return text.empty() && range.last <= INT32_MAX ? std::optional(range) : std::nullopt;
}

std::string print(const index_range& range) {
  if (range.first == range.last) return std::to_string(range.first);
  const auto ends = std::to_string(range.first) + "-" + std::to_string(range.last);
  return range.step == 1 ? ends : ends + ":" + std::to_string(range.step);
}

index_set index_set::all(const index_range& of) {
  index_set set(of);
  set.runs_.push_back({0, of.count() - 1});
  return set;
}

std::optional<index_set> index_set::parse(std::string_view text, const index_range& of) {
  index_set set(of);
  if (text == "-") return set;
  for (const auto& part : split_list(text)) {
    const auto range = parse_index_range(part);
    if (!range) return std::nullopt;
    if (range->step == of.step && of.has(range->first)) {
      const auto last = std::min(range->last, of.last);
      set.add_run({set.place_of(range->first), set.place_of(last)});
      continue;
    }
    const auto end = std::min(range->last, of.last);
    for (std::uint64_t index = range->first; index <= end; index += range->step) set.add(static_cast<std::uint32_t>(index));
  }
  return set;
}

bool index_set::has(std::uint32_t index) const {
  if (!of_.has(index)) return false;
  const auto place = place_of(index);
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), run{place, UINT32_MAX});
  return after != runs_.begin() && std::prev(after)->second >= place;
}

void index_set::add(std::uint32_t index) {
  if (of_.has(index)) add_run({place_of(index), place_of(index)});
}

void index_set::remove(std::uint32_t index) {
  if (of_.has(index)) remove_run({place_of(index), place_of(index)});
}

// Joined with the runs that it touches.
void index_set::add_run(run r) {
  const auto begins = std::lower_bound(runs_.begin(), runs_.end(), r.first, [](const run& a, std::uint32_t place) {
    return std::uint64_t{a.second} + 1 < place;
  });
  auto ends = begins;
  for (; ends != runs_.end() && ends->first <= std::uint64_t{r.second} + 1; ++ends) {
    r.first = std::min(r.first, ends->first);
    r.second = std::max(r.second, ends->second);
  }
  runs_.insert(runs_.erase(begins, ends), r);
}

void index_set::remove_run(run r) {
  const auto begins =
      std::lower_bound(runs_.begin(), runs_.end(), r.first, [](const run& a, std::uint32_t place) { return a.second < place; });
  std::vector<run> left;
  auto ends = begins;
  for (; ends != runs_.end() && ends->first <= r.second; ++ends) {
    if (ends->first < r.first) left.push_back({ends->first, r.first - 1});
    if (ends->second > r.second) left.push_back({r.second + 1, ends->second});
  }
  const auto at = runs_.erase(begins, ends);
  runs_.insert(at, left.begin(), left.end());
}

void index_set::add(const index_set& others) {
  for (const auto& r : others.runs_) add_run(r);
}

void index_set::remove(const index_set& others) {
  for (const auto& r : others.runs_) remove_run(r);
}

index_set index_set::also_in(const index_set& other) const {
  index_set both(of_);
  auto theirs = other.runs_.begin();
  for (const auto& r : runs_) {
    while (theirs != other.runs_.end() && theirs->second < r.first) ++theirs;
    for (auto t = theirs; t != other.runs_.end() && t->first <= r.second; ++t)
      both.runs_.push_back({std::max(r.first, t->first), std::min(r.second, t->second)});
  }
  return both;
}

std::uint32_t index_set::count() const {
  std::uint32_t sum = 0;
  for (const auto& [first, last] : runs_) sum += last - first + 1;
  return sum;
}

std::optional<std::uint32_t> index_set::next(std::uint32_t from) const {
  const auto place = from <= of_.first ? 0 : (from - of_.first - 1) / of_.step + 1;
  const auto at_or_above = std::ranges::lower_bound(runs_, place, {}, &run::second);
  if (at_or_above == runs_.end()) return std::nullopt;
  return at(std::max(place, at_or_above->first));
}

void index_set::each(const std::function<bool(std::uint32_t)>& visit) const {
  for (const auto& [first, last] : runs_)
    for (auto place = first; place <= last; ++place)
      if (!visit(at(place))) return;
}

// A run up to the last subjob ends where the array does, as it was typed: "5-8:2" of "1-8:2".
std::string index_set::print() const {
  if (runs_.empty()) return "-";
  std::string text;
  for (const auto& [first, last] : runs_) {
    if (!text.empty()) text += ',';
    const bool alone = first == last, to_the_end = last == of_.count() - 1;
    text += values::print(index_range{at(first), alone ? at(first) : to_the_end ? of_.last
                                                                                : at(last),
                                      of_.step});
  }
  return text;
}

}  // namespace annals::values
