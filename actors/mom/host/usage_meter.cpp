#include "actors/mom/host/usage_meter.hpp"

#include <unistd.h>

#include <algorithm>

namespace annals::mom {
namespace {

// The moving average of cpupercent follows a rise faster than a fall (pbs guide: delta_weightup, delta_weightdown).
constexpr double weight_up = 0.4, weight_down = 0.1;
// Shorter intervals say little: the clock ticks of /proc are 10 ms.
constexpr std::uint64_t interval_ms_min = 100;

}  // namespace

void usage_meter::sample(const process_table& table, std::int64_t shepherd, std::uint64_t started_ms,
                         std::uint64_t now_ms) {
  const process* const root = table.find(shepherd);
  if (root) take(table.descendants(shepherd), root->children_cpu_ticks, started_ms, now_ms);   // the shepherd reaps what lost its parent
}

void usage_meter::sample_session(const process_table& table, std::int64_t session, std::uint64_t started_ms, std::uint64_t now_ms) {
  take(table.of_session(session), 0, started_ms, now_ms);
}

void usage_meter::take(const std::vector<const process*>& members, std::uint64_t more_ticks, std::uint64_t started_ms, std::uint64_t now_ms) {
  static const std::uint64_t tick_ms = 1000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  static const std::uint64_t page_kb = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
  std::uint64_t ticks = more_ticks, mem = 0, vmem = 0;
  for (const process* p : members) {
    ticks += p->cpu_ticks + p->children_cpu_ticks;
    mem += p->resident_pages * page_kb;
    vmem += p->vmem_bytes / 1024;
  }
  mem_kb_ = std::max(mem_kb_, mem);
  vmem_kb_ = std::max(vmem_kb_, vmem);
  const std::uint64_t cpu = std::max(cpu_ms_, ticks * tick_ms);
  const std::uint64_t since = sampled_ ? at_ms_ : started_ms;
  if (now_ms < since + interval_ms_min) return;
  const double now_percent = 100.0 * static_cast<double>(cpu - cpu_ms_) / static_cast<double>(now_ms - since);
  const double weight = !sampled_ ? 1.0 : now_percent > percent_ ? weight_up : weight_down;
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
  u.cpu_percent = static_cast<std::uint32_t>(percent_ + 0.5);
  return u;
}

}  // namespace annals::mom
