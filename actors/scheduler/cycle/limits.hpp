// Run limits of server and queues: max_run, max_run_res, their soft ones, and the old-style max_running, max_user_run, max_group_run,
// max_user_res, max_group_res. Counts what runs for whom, proposals included, and says which limit a job would pass. A limit of the
// server counts what this scheduler sees (MS-114). Source: pbs guide, "limits"; governed by docs/design/0043-limits.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/refusal.hpp"
#include "actors/scheduler/cycle/resource_table.hpp"
#include "events/schema/common.capnp.h"
#include "events/values/limit_table.hpp"

namespace annals::cycle {

using asked_amounts = std::vector<std::pair<resource_id, amount>>;

// The user, group and project of a job, as numbers of their names.
using owner_number = std::uint32_t;
struct job_owners {
  std::array<owner_number, values::limit_kinds.size()> of{};  // by kind; of all together: 0
  owner_number operator[](values::limit_kind kind) const { return of[static_cast<std::size_t>(kind)]; }
};

// The limits that are set at one place, as its attributes say.
struct run_limits {
  struct of_resource {
    resource_id resource;
    values::limit_table hard, soft;
  };
  values::limit_table hard, soft;  // of numbers of jobs
  std::vector<of_resource> resources;
  bool old_style = false;
  bool empty() const { return hard.empty() && soft.empty() && resources.empty(); }

  static run_limits read(capnp::List<schema::Attribute>::Reader attributes, const resource_table& resources);
};

// A limit that one more job would pass.
struct reached_limit {
  bool at_queue = false;
  values::limit_kind kind = values::limit_kind::all;
  bool named = false;
  std::uint32_t resource_at = none;  // of run_limits::resources; none: the number of jobs
  static constexpr std::uint32_t none = UINT32_MAX;
};

// Of a job's user, group or project, or of all together: whether more runs than a soft limit allows.
struct soft_limits_passed {
  bool server = false, queue = false;
};

class run_limit_book {
 public:
  // Who a job counts for; to be given back when the job goes.
  job_owners owners_of(std::string_view user, std::string_view group, std::string_view project);
  void forget(const job_owners& owners);
  void count_another(const job_owners& owners);  // of the same owners

  // What is set at the server (queue: server_place) or a queue, by its number in the view. True: it is not what was set before, and what
  // runs there is to be counted anew, from nothing.
  static constexpr std::uint32_t server_place = UINT32_MAX;
  bool set(std::uint32_t queue, run_limits limits);

  // A job begins to run or ends: +1 or -1. asked(resource): how much of it, 0 for nothing.
  template <class Asked>
  void count(const job_owners& owners, std::uint32_t queue, int sign, Asked&& asked) {
    for (place* p : {&server_, place_of(queue)})
      if (p && p->set) count_at(*p, owners, sign, asked);
  }
  template <class Asked>
  void count_at_place(std::uint32_t queue, const job_owners& owners, int sign, Asked&& asked) {
    count_at(queue == server_place ? server_ : queues_[queue], owners, sign, asked);
  }

  // The first limit, in the order in which they are asked, that this job would pass: numbers of jobs before amounts. Nothing: none.
  template <class Asked>
  std::optional<reached_limit> reached(const job_owners& owners, std::uint32_t queue, Asked&& asked) const {
    if (!any_) return std::nullopt;
    const place* its = place_of(queue);
    if (!reaches_any(server_, owners, asked) && !(its && reaches_any(*its, owners, asked))) return std::nullopt;
    const std::array<const place*, 2> places = {&server_, its ? its : &nothing_set_};
    for (const auto kind : values::limit_kinds)
      for (const bool at_queue : {false, true}) {
        const place& p = *places[at_queue];
        if (!p.limits.hard.limits(kind)) continue;
        const counter& c = p.at(kind, owners[kind]);
        if (c.jobs >= c.bound) return reached_limit{at_queue, kind, c.named, reached_limit::none};
      }
    for (const bool at_queue : {false, true}) {
      const place& p = *places[at_queue];
      for (std::uint32_t i = 0; i < p.limits.resources.size(); ++i)
        if (const amount wanted = asked(p.limits.resources[i].resource); wanted > 0)
          for (const auto kind : values::limit_kinds) {
            if (!p.limits.resources[i].hard.limits(kind)) continue;
            const used& u = p.used_at(kind, owners[kind], i);
            if (u.bound != unlimited && u.sum + wanted > u.bound) return reached_limit{at_queue, kind, u.named, i};
          }
    }
    return std::nullopt;
  }
  // The same limit for the same reason has the same key.
  std::uint64_t key(const reached_limit& r, const job_owners& owners, std::uint32_t queue) const;
  // asked(resource): how much of it the job wants.
  template <class Asked>
  refusal explain(const reached_limit& r, const job_owners& owners, std::uint32_t queue, std::string_view queue_name, Asked&& asked,
                  const resource_table& resources) const {
    const place& p = r.at_queue ? queues_[queue] : server_;
    const amount wanted = r.resource_at == reached_limit::none ? 0 : asked(p.limits.resources[r.resource_at].resource);
    return say(r, p, name_of(r.kind, owners[r.kind]), owners[r.kind], queue_name, wanted, resources);
  }

  // Of a job that runs; of another one: as if it ran (running false).
  template <class Asked>
  soft_limits_passed passed(const job_owners& owners, std::uint32_t queue, bool running, Asked&& asked) const {
    const place* its = place_of(queue);
    return {passed_at(server_, owners, running, asked), its && passed_at(*its, owners, running, asked)};
  }

 private:
  __extension__ using wide = __int128;  // sums of any number of amounts
  static constexpr std::int64_t unlimited = INT64_MAX;

  struct counter {
    std::int64_t bound = unlimited;
    std::int32_t jobs = 0;
    bool named = false;
  };
  struct used {
    wide sum = 0;
    std::int64_t bound = unlimited;
    bool named = false;
  };
  struct place {
    run_limits limits;
    bool set = false;
    bool has_soft = false;
    std::array<values::limit_kind, values::limit_kinds.size()> of_jobs{};  // kinds that have a hard limit of numbers,
    std::size_t kinds_of_jobs = 0;                                         // so many
    std::array<std::vector<counter>, values::limit_kinds.size()> jobs;
    std::array<std::vector<used>, values::limit_kinds.size()> amounts;  // of each owner so many as there are limited resources

    const counter& at(values::limit_kind kind, owner_number owner) const { return jobs[static_cast<std::size_t>(kind)][owner]; }
    const used& used_at(values::limit_kind kind, owner_number owner, std::size_t resource) const {
      return amounts[static_cast<std::size_t>(kind)][owner * limits.resources.size() + resource];
    }
  };

  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  struct owner_name {
    std::string name;
    std::uint32_t jobs = 0;
  };
  struct owner_names {
    std::unordered_map<std::string, owner_number, text_hash, std::equal_to<>> numbers;
    std::vector<owner_name> names;
    std::vector<owner_number> free;
  };

  template <class Asked>
  static void count_at(place& p, const job_owners& owners, int sign, Asked&& asked) {
    const auto width = p.limits.resources.size();
    for (const auto kind : values::limit_kinds) {
      const auto k = static_cast<std::size_t>(kind);
      p.jobs[k][owners.of[k]].jobs += sign;
      for (std::size_t i = 0; i < width; ++i)
        p.amounts[k][owners.of[k] * width + i].sum += sign * static_cast<wide>(asked(p.limits.resources[i].resource));
    }
  }
  template <class Asked>
  bool passed_at(const place& p, const job_owners& owners, bool running, Asked&& asked) const {
    if (!p.has_soft) return false;
    for (const auto kind : values::limit_kinds) {
      const auto name = name_of(kind, owners[kind]);
      if (const auto bound = p.limits.soft.of(kind, name))
        if (p.at(kind, owners[kind]).jobs + (running ? 0 : 1) > bound->value) return true;
      for (std::size_t i = 0; i < p.limits.resources.size(); ++i) {
        const auto bound = p.limits.resources[i].soft.of(kind, name);
        const amount wanted = bound ? asked(p.limits.resources[i].resource) : 0;
        if (bound && wanted > 0 && p.used_at(kind, owners[kind], i).sum + (running ? 0 : wanted) > bound->value) return true;
      }
    }
    return false;
  }

  static refusal say(const reached_limit& r, const place& p, std::string_view name, owner_number owner, std::string_view queue,
                     amount asked, const resource_table& resources);
  // In no order: mostly no limit is reached, and that has to be known soon.
  template <class Asked>
  static bool reaches_any(const place& p, const job_owners& owners, Asked&& asked) {
    for (std::size_t i = 0; i < p.kinds_of_jobs; ++i) {
      const counter& c = p.at(p.of_jobs[i], owners[p.of_jobs[i]]);
      if (c.jobs >= c.bound) return true;
    }
    for (std::size_t i = 0; i < p.limits.resources.size(); ++i)
      if (const amount wanted = asked(p.limits.resources[i].resource); wanted > 0)
        for (const auto kind : values::limit_kinds) {
          const used& u = p.used_at(kind, owners[kind], i);
          if (u.bound != unlimited && u.sum + wanted > u.bound) return true;
        }
    return false;
  }
  place* place_of(std::uint32_t queue) { return queue < queues_.size() ? &queues_[queue] : nullptr; }
  const place* place_of(std::uint32_t queue) const { return queue < queues_.size() ? &queues_[queue] : nullptr; }
  std::string_view name_of(values::limit_kind kind, owner_number owner) const;
  owner_number number_of(values::limit_kind kind, std::string_view name);
  void make_room(place& p, values::limit_kind kind);
  void find_bounds(place& p, values::limit_kind kind, owner_number owner);

  std::array<owner_names, values::limit_kinds.size()> owners_;
  place server_, nothing_set_;
  std::vector<place> queues_;
  bool any_ = false;
};

}  // namespace annals::cycle
