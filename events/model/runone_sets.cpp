#include "events/model/runone_sets.hpp"

#include <algorithm>

namespace annals::model {

namespace {
bool has(const std::vector<runone_sets::number>& jobs, runone_sets::number job) {
  return std::find(jobs.begin(), jobs.end(), job) != jobs.end();
}
}  // namespace

const runone_sets::set* runone_sets::find(number job) const {
  const auto at = set_of_.find(job);
  return at == set_of_.end() ? nullptr : &sets_.at(at->second);
}

runone_sets::set* runone_sets::find(number job) {
  const auto at = set_of_.find(job);
  return at == set_of_.end() ? nullptr : &sets_.at(at->second);
}

void runone_sets::join(number job, number with) {
  const auto first = set_of_.try_emplace(with, with).first->second;
  auto& all = sets_[first];
  if (all.members.empty()) all.members.push_back(with);
  const auto had = set_of_.find(job);
  if (had == set_of_.end()) {
    set_of_[job] = first;
    all.members.push_back(job);
    return;
  }
  if (had->second == first) return;
  const auto from = had->second;
  auto other = std::move(sets_.at(from));
  sets_.erase(from);
  for (const auto member : other.members) set_of_[member] = first;
  all.members.insert(all.members.end(), other.members.begin(), other.members.end());
  all.runners.insert(all.runners.end(), other.runners.begin(), other.runners.end());
}

void runone_sets::leave(number job) {
  auto* all = find(job);
  if (!all) return;
  const auto key = set_of_.at(job);
  set_of_.erase(job);
  std::erase(all->members, job);
  const bool stays = all->members.size() > 1 || (!all->runners.empty() && !all->members.empty());
  if (stays && key != job) return;
  auto left = std::move(*all);
  sets_.erase(key);
  for (const auto member : left.members) set_of_.erase(member);  // alone it waits for nobody
  if (!stays) return;
  // Known by another one from here on: this one may join some set again.
  const auto first = left.members.front();
  for (const auto member : left.members) set_of_[member] = first;
  sets_.emplace(first, std::move(left));
}

void runone_sets::runs(number job) {
  if (auto* all = find(job); all && !has(all->runners, job)) all->runners.push_back(job);
}

void runone_sets::waits(number job) {
  if (auto* all = find(job)) std::erase(all->runners, job);
}

std::vector<runone_sets::number> runone_sets::others(number job) const {
  const auto* all = find(job);
  if (!all) return {};
  auto members = all->members;
  std::erase(members, job);
  return members;
}

std::optional<runone_sets::number> runone_sets::runner_beside(number job) const {
  const auto* all = find(job);
  if (!all || all->runners.empty() || has(all->runners, job)) return std::nullopt;
  return all->runners.front();
}

}  // namespace annals::model
