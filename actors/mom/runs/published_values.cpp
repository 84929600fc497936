#include "actors/mom/runs/published_values.hpp"

#include "events/model/run/task_limits.hpp"

namespace annals::actors {

void published_values::publish(const task_origin& origin, std::uint32_t task, const std::string& name, std::string value) {
  const published_name what{task, name};
  auto bytes = value.size();
  for (const auto& [of, kept] : published_)
    if (of != what) bytes += kept.size();
  const bool one_more = !published_.contains(what) && published_.size() >= limits::published_values_max;
  if (one_more || bytes > limits::published_bytes_of_run_max) return answer_(origin, task_failure("too much is published"));
  const auto& kept = published_[what] = std::move(value);
  for (auto [at, end] = subscribed_.equal_range(what); at != end; ++at) answer_(at->second, task_bytes(kept));
  subscribed_.erase(what);
  answer_(origin, {});
}

const std::string* published_values::find(std::uint32_t task, const std::string& name) const {
  const auto at = published_.find({task, name});
  return at == published_.end() ? nullptr : &at->second;
}

void published_values::subscribe(const task_origin& origin, std::uint32_t task, const std::string& name) {
  subscribed_.emplace(published_name{task, name}, origin);
}

void published_values::fail(std::uint32_t task, const task_answer& why) {
  std::erase_if(subscribed_, [&](const auto& one) {
    if (one.first.first != task) return false;
    answer_(one.second, why);
    return true;
  });
}

void published_values::forget(const task_origin& origin) {
  std::erase_if(subscribed_, [&](const auto& one) { return one.second.is(origin); });
}

void published_values::forget_askers_of(const std::string& host) {
  std::erase_if(subscribed_, [&](const auto& one) { return one.second.host == host; });
}

}  // namespace annals::actors
