#include "actors/scheduler/cycle/policy_names.hpp"

#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/job_terms.hpp"

namespace annals::cycle {

namespace {

class name_check {
 public:
  name_check(const policy& p, const resource_table& resources) : policy_(p), resources_(resources) {}

  std::vector<std::string> run() {
    for (const auto& name : policy_.checked_resources)
      if (resources_.find(name) == no_resource) tell("resources: " + name + " is no resource and is not looked at");
    for (const auto& name : policy_.sharing.usage.names())
      if (!is_amount(name)) tell("fairshare_usage_res: " + name + " is no amount of a resource and counts as 0");
    for (const auto& [settings, when] : {std::pair(&policy_.prime, "prime"), std::pair(&policy_.non_prime, "Non-prime")})
      check_keys(*settings, when);
    for (const auto& d : policy_.dynamic_resources) check_dynamic(d.resource);
    return std::move(told_);
  }

 private:
  bool is_amount(const std::string& name) const {
    const auto r = resources_.find(name);
    return r != no_resource && resources_[r].numeric;
  }

  void check_keys(const timed_settings& settings, const std::string& when) {
    for (const auto& key : settings.job_sort_keys)
      if (!job_terms::find(resources_, key.name)) tell(when + " job sorting resource " + key.name + " is not a valid resource");
    for (const auto& key : settings.node_sort_keys)
      if (key.resource != "sort_priority" && !is_amount(key.resource))
        tell("node_sort_key: " + key.resource + " is no amount of a resource and sorts nothing");
  }

  void check_dynamic(const std::string& name) {
    const auto& checked = policy_.checked_resources;
    if (!is_amount(name)) return tell("server_dyn_res: " + name + " is no amount of a resource and is not asked for");
    if (!resources_[resources_.find(name)].custom && std::find(checked.begin(), checked.end(), name) == checked.end())
      tell("server_dyn_res: " + name + " is not in the resources line and is not looked at");
  }

  // Once, however often the name stands there.
  void tell(std::string what) {
    if (std::find(told_.begin(), told_.end(), what) == told_.end()) told_.push_back(std::move(what));
  }

  const policy& policy_;
  const resource_table& resources_;
  std::vector<std::string> told_;
};

}  // namespace

std::vector<std::string> names_without_meaning(const policy& p, const resource_table& resources) { return name_check(p, resources).run(); }

}  // namespace annals::cycle
