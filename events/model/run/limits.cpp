// What a run may use, and when the server hears what it uses.
#include "events/model/run/run.hpp"

#include <algorithm>
#include <cmath>

#include "events/model/limits.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/values/duration.hpp"
#include "events/values/size.hpp"

namespace annals::model {

namespace {
std::string limit_text(schema::StartRun::Reader order, std::string_view resource) {
  for (auto a : order.getAttributes())
    if (schema::text(a.getName()) == "Resource_List" && schema::text(a.getResource()) == resource) return schema::str(a.getValue());
  return {};
}
}  // namespace

ports::run_usage counted(const run_state& run, ports::run_usage measured, std::int64_t now_s, const ports::time_factors& factors) {
  const auto lost = run.suspended_s + (run.suspended ? now_s - run.suspended_at_s : 0);
  measured.wall_seconds -= std::min(measured.wall_seconds, static_cast<std::uint64_t>(std::max<std::int64_t>(lost, 0)));
  return factors.of(measured);
}

std::optional<limit_met> exceeded_limit(schema::StartRun::Reader order, const usage_set& usage, bool enforce_mem) {
  const auto delay = order.getKillDelaySeconds();
  const auto over = [&](const char* resource, std::uint64_t used, std::int32_t code) -> std::optional<limit_met> {
    const auto limit = values::parse_duration(limit_text(order, resource));
    if (!limit || used <= static_cast<std::uint64_t>(*limit)) return std::nullopt;
    return limit_met{code, std::string(resource) + " " + std::to_string(used) + " exceeded limit " + std::to_string(*limit), delay};
  };
  if (auto met = over("walltime", usage.seconds("walltime"), -29)) return met;
  if (auto met = over("cput", usage.seconds("cput"), -28)) return met;
  if (!enforce_mem) return std::nullopt;
  const auto mem = values::parse_size(limit_text(order, "mem"));
  const auto used_kb = usage.kb("mem");
  if (!mem || used_kb <= mem->to_kb()) return std::nullopt;
  return limit_met{-27, "mem " + std::to_string(used_kb) + "kb exceeded limit " + std::to_string(mem->to_kb()) + "kb", delay};
}

namespace {
bool grew(std::uint64_t now, std::uint64_t told) { return now * 100 > told * (100 + limits::usage_growth_percent_max); }

// Of what hooks set: other words, or an amount that is no longer about what was told.
bool changed(std::string_view now, std::string_view told) {
  bool is_amount = false, was_amount = false;
  const auto is = read_amount(now, &is_amount), was = read_amount(told, &was_amount);
  if (!is_amount || !was_amount) return now != told;
  return std::abs(is.value - was.value) * 100 > std::abs(was.value) * limits::usage_growth_percent_max;
}

// What a MoM measures has rules of its own: cpupercent goes up and down.
bool hooks_changed(const usage_set& now, const usage_set& told) {
  static const usage_set measured = measured_usage({});
  for (const auto& e : now)
    if (!measured.get(e.resource) && (!told.get(e.resource) || changed(e.value, *told.get(e.resource)))) return true;
  for (const auto& e : told)
    if (!now.get(e.resource)) return true;
  return false;
}
}  // namespace

bool worth_reporting(const usage_set& now, const usage_set& told, std::int64_t since_told_s, std::int64_t interval_s) {
  if (now == told || since_told_s < interval_s) return false;
  if (since_told_s * 100 >= static_cast<std::int64_t>(now.seconds("walltime") * limits::usage_age_percent_max)) return true;
  return grew(now.kb("mem"), told.kb("mem")) || grew(now.kb("vmem"), told.kb("vmem")) || grew(now.seconds("cput"), told.seconds("cput")) ||
         now.count("ncpus") != told.count("ncpus") || hooks_changed(now, told);
}

}  // namespace annals::model
