#include "actors/mom/host/usage_meter.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace annals::mom {
namespace {

// The moving average of cpupercent follows a rise faster than a fall (pbs guide: $enforce, weights of delta).
constexpr double weight_up = 0.4, weight_down = 0.1;
// Shorter intervals say little: the clock ticks of /proc are 10 ms.
constexpr std::uint64_t interval_ms_min = 100;

std::uint64_t tick_ms() {
  static const std::uint64_t ms = 1000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return ms;
}

}  // namespace

void usage_meter::sample(const process_table& table, std::int64_t shepherd, std::uint64_t started_ms,
                         std::uint64_t now_ms, std::uint64_t cpu_ms_before) {
  const process* const root = table.find(shepherd);
  if (!root) return;
  const auto ended_ms = root->children_cpu_ticks * tick_ms();  // the shepherd reaps what lost its parent
  take(table.descendants(shepherd), ended_ms - std::min(ended_ms, cpu_ms_before), started_ms, now_ms);
}

void usage_meter::sample_session(const process_table& table, std::int64_t session, std::uint64_t started_ms, std::uint64_t now_ms) {
  take(table.of_session(session), 0, started_ms, now_ms);
}

void usage_meter::take(const std::vector<const process*>& members, std::uint64_t more_ms, std::uint64_t started_ms,
                       std::uint64_t now_ms) {
  static const std::uint64_t page_kb = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
  std::uint64_t ticks = 0, mem = 0, vmem = 0;
  for (const process* p : members) {
    ticks += p->cpu_ticks + p->children_cpu_ticks;
    mem += p->resident_pages * page_kb;
    vmem += p->vmem_bytes / 1024;
  }
  mem_kb_ = std::max(mem_kb_, mem);
  vmem_kb_ = std::max(vmem_kb_, vmem);
  take_cpu(more_ms + ticks * tick_ms(), started_ms, now_ms);
}

void usage_meter::sample(const cgroup_usage& used, std::uint64_t started_ms, std::uint64_t now_ms) {
  mem_kb_ = std::max(mem_kb_, used.mem_kb.value_or(0));
  vmem_kb_ = std::max(vmem_kb_, used.vmem_kb.value_or(0));
  if (used.cpu_ms) take_cpu(*used.cpu_ms, started_ms, now_ms);
}

void usage_meter::take_cpu(std::uint64_t cpu_ms, std::uint64_t started_ms, std::uint64_t now_ms) {
  const std::uint64_t cpu = std::max(cpu_ms_, cpu_ms);
  const std::uint64_t since = sampled_ ? at_ms_ : started_ms;
  if (now_ms < since + interval_ms_min) return;
  const double now_percent = 100.0 * static_cast<double>(cpu - cpu_ms_) / static_cast<double>(now_ms - since);
  const double weight = !sampled_ ? 1.0 : now_percent > percent_ ? weight_up
                                                                 : weight_down;
  percent_ += weight * (now_percent - percent_);
  cpu_ms_ = cpu;
  at_ms_ = now_ms;
  sampled_ = true;
}

ports::run_usage usage_meter::so_far() const {
  ports::run_usage u;
  u.cpu_seconds = cpu_ms_ / 1000;
  u.mem_kb = mem_kb_;
  u.vmem_kb = vmem_kb_;
  u.cpu_percent = static_cast<std::uint32_t>(std::lround(percent_));
  return u;
}

void usage_sampler::sample(usage_meter& meter, const job_cgroup& cgroup, const subject& of) {
  const auto used = cgroup.usage();
  meter.sample(used, of.started_ms, boottime_ms());
  if (used.cpu_ms && used.mem_kb && used.vmem_kb) return;
  const auto now = std::chrono::steady_clock::now();
  if (!table_at_ || now - *table_at_ > age_max_) {
    table_ = process_table::now();
    table_at_ = now;
    table_boottime_ms_ = boottime_ms();
  }
  if (of.session == 0) meter.sample(table_, of.shepherd, of.started_ms, table_boottime_ms_, of.cpu_ms_before);
  else meter.sample_session(table_, of.session, of.started_ms, table_boottime_ms_);
}

}  // namespace annals::mom
