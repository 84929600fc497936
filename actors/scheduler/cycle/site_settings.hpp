// The attributes of the server and of its scheduler object that scheduling looks at, besides pools and run limits (pbs guide: server and
// scheduler attributes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/preempt_settings.hpp"
#include "events/schema/daemon/to_scheduler.capnp.h"
#include "events/values/job_formula.hpp"

namespace annals::cycle {

class site_settings {
 public:
  void apply_server(capnp::List<schema::Attribute>::Reader attributes);
  void apply_scheduler(capnp::List<schema::Attribute>::Reader attributes);

  const std::vector<std::string>& server_group_keys() const { return server_group_keys_; }
  bool group_by_node() const { return node_group_enable_; }
  bool provisions() const { return provisions_; }
  bool do_not_span_sets() const { return do_not_span_psets_; }
  bool only_explicit_sets() const { return only_explicit_psets_; }
  // restrict_res_to_release_on_suspend is set: a suspended job gives back these resources only.
  bool keeps_some_on_suspend() const { return !released_on_suspend_.empty(); }
  bool is_released_on_suspend(std::string_view resource) const;
  std::uint32_t log_events() const { return log_events_; }
  std::int64_t backfill_depth() const { return backfill_depth_; }  // of the server
  const preempt_settings& preempting() const { return preempting_; }
  bool clears_estimates() const { return clears_estimates_; }  // clear_topjob_estimates_enable
  // job_sort_formula of the scheduler, or else of the server; nullptr: there is none.
  const values::job_formula* formula() const { return formula_ ? &*formula_ : nullptr; }
  std::optional<double> formula_threshold() const { return formula_threshold_; }
  bool formula_names_shares() const { return formula_names_shares_; }
  // The same once this delta has been taken in.
  bool formula_names_shares_after(schema::SchedulingDelta::Reader delta) const;
  bool counts_eligible_time() const { return eligible_time_enable_; }
  std::int64_t dynamic_alarm_seconds() const { return dynamic_alarm_seconds_; }  // server_dyn_res_alarm

 private:
  void set_dynamic_alarm(std::string_view value);
  void compile_formula();

  std::vector<std::string> server_group_keys_;
  std::vector<std::string> released_on_suspend_;  // empty: all
  bool provisions_ = false;                       // the server has a hook for it
  bool node_group_enable_ = false, do_not_span_psets_ = false, only_explicit_psets_ = false;
  std::uint32_t log_events_ = 767;  // pbs guide: log masks
  std::int64_t backfill_depth_ = 1;
  bool clears_estimates_ = false;
  std::string server_formula_, scheduler_formula_;
  std::optional<values::job_formula> formula_;
  bool formula_names_shares_ = false;
  std::optional<double> formula_threshold_;
  bool eligible_time_enable_ = false;
  static constexpr std::int64_t dynamic_alarm_default = 30;  // pbs guide: server_dyn_res_alarm
  std::int64_t dynamic_alarm_seconds_ = dynamic_alarm_default;
  preempt_settings preempting_;
};

}  // namespace annals::cycle
