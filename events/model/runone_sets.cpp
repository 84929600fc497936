#include "events/model/runone_sets.hpp"

#include <algorithm>

namespace annals::model {

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
  if (!all.runner) all.runner = other.runner;
}

void runone_sets::leave(number job) {
  auto* all = find(job);
  if (!all) return;
  const auto key = set_of_.at(job);
  set_of_.erase(job);
  std::erase(all->members, job);
  if (all->members.size() > 1 || (all->runner && !all->members.empty())) return;
  for (const auto member : all->members) set_of_.erase(member);  // alone it waits for nobody
  sets_.erase(key);
}

void runone_sets::runs(number job) {
  if (auto* all = find(job)) all->runner = job;
}

void runone_sets::waits(number job) {
  if (auto* all = find(job); all && all->runner == job) all->runner.reset();
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
  if (!all || all->runner == job) return std::nullopt;
  return all->runner;
}

}  // namespace annals::model
