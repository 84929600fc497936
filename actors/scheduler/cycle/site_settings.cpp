#include "actors/scheduler/cycle/site_settings.hpp"

#include <algorithm>

#include "actors/scheduler/cycle/attribute_text.hpp"
#include "events/schema/message.hpp"
#include "events/values/fairshare_entity.hpp"
#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

using schema::text;

void site_settings::apply_server(capnp::List<schema::Attribute>::Reader attributes) {
  server_group_keys_.clear();
  released_on_suspend_.clear();
  provisions_ = node_group_enable_ = clears_estimates_ = eligible_time_enable_ = false;
  backfill_depth_ = 1;
  server_formula_.clear();
  for (const auto a : attributes) {
    const auto name = text(a.getName());
    if (name == "restrict_res_to_release_on_suspend") released_on_suspend_ = values::split_trimmed(text(a.getValue()));
    if (name == "provision_enable") provisions_ = is_true(text(a.getValue()));
    if (name == "node_group_enable") node_group_enable_ = is_true(text(a.getValue()));
    if (name == "node_group_key") server_group_keys_ = values::split_list(text(a.getValue()));
    if (name == "backfill_depth") backfill_depth_ = values::parse_integer(text(a.getValue())).value_or(1);
    if (name == "clear_topjob_estimates_enable") clears_estimates_ = is_true(text(a.getValue()));
    if (name == "eligible_time_enable") eligible_time_enable_ = is_true(text(a.getValue()));
    if (name == "job_sort_formula") server_formula_ = text(a.getValue());
  }
  compile_formula();
}

namespace {

// The scheduler's, or else the server's. The server took it, so its names mean something; one whose resource is gone since counts as 0
// (job_terms).
std::optional<values::job_formula> formula_of(std::string_view scheduler, std::string_view server) {
  const auto formula = scheduler.empty() ? server : scheduler;
  if (formula.empty()) return std::nullopt;
  return values::job_formula::parse(formula, [](std::string_view) { return true; });
}

bool names_shares(const std::optional<values::job_formula>& formula) {
  return formula && std::ranges::any_of(formula->names(), values::is_fairshare_word);
}

// `before`: what holds if the delta says nothing of these attributes.
std::string_view formula_in(capnp::List<schema::Attribute>::Reader attributes, std::string_view before) {
  if (attributes.size() == 0) return before;
  for (const auto a : attributes)
    if (text(a.getName()) == "job_sort_formula") return text(a.getValue());
  return {};
}

}  // namespace

void site_settings::compile_formula() {
  formula_ = formula_of(scheduler_formula_, server_formula_);
  formula_names_shares_ = names_shares(formula_);
}

bool site_settings::formula_names_shares_after(schema::SchedulingDelta::Reader delta) const {
  return names_shares(
      formula_of(formula_in(delta.getScheduler(), scheduler_formula_), formula_in(delta.getServer(), server_formula_)));
}

// A program that never ends would stop the scheduler: 0 is no answer to how long it may take.
void site_settings::set_dynamic_alarm(std::string_view value) {
  dynamic_alarm_seconds_ = values::parse_integer(value).value_or(0);
  if (dynamic_alarm_seconds_ <= 0) dynamic_alarm_seconds_ = dynamic_alarm_default;
}

void site_settings::apply_scheduler(capnp::List<schema::Attribute>::Reader attributes) {
  do_not_span_psets_ = only_explicit_psets_ = false;
  scheduler_formula_.clear();
  formula_threshold_.reset();
  preempting_ = {};
  for (const auto a : attributes) {
    const auto name = text(a.getName());
    const auto value = text(a.getValue());
    if (name == "do_not_span_psets") do_not_span_psets_ = is_true(value);
    if (name == "job_sort_formula") scheduler_formula_ = value;
    if (name == "job_sort_formula_threshold") formula_threshold_ = values::parse_real(value);
    if (name == "server_dyn_res_alarm") set_dynamic_alarm(value);
    if (name == "only_explicit_psets") only_explicit_psets_ = is_true(value);
    if (name == "preempt_queue_prio") preempting_.queue_prio = values::parse_integer(value).value_or(preempting_.queue_prio);
    if (name == "preempt_targets_enable") preempting_.targets_count = is_true(value);
    if (name == "sched_preempt_enforce_resumption") preempting_.enforces_resumption = is_true(value);
    if (name == "preempt_prio") preempting_.set_levels(value);
    if (name == "preempt_order") preempting_.set_order(value);
    if (name == "log_events") log_events_ = static_cast<std::uint32_t>(values::parse_integer(value).value_or(log_events_));
  }
  compile_formula();
}

bool site_settings::is_released_on_suspend(std::string_view resource) const {
  return std::find(released_on_suspend_.begin(), released_on_suspend_.end(), resource) != released_on_suspend_.end();
}

}  // namespace annals::cycle
