#include "events/values/efficiency.hpp"

namespace annals::values {

namespace {

std::optional<double> part_of(std::uint64_t used, std::uint64_t all) {
  return all == 0 ? std::nullopt : std::optional(static_cast<double>(used) / static_cast<double>(all));
}

}  // namespace

std::optional<double> efficiency::cpu() const { return part_of(cput_s, cpu_given_s()); }
std::optional<double> efficiency::memory() const { return part_of(mem_kb, mem_asked_kb.value_or(0)); }
std::optional<double> efficiency::walltime() const { return part_of(walltime_s, walltime_asked_s.value_or(0)); }

void efficiency_sum::mean::add(std::optional<double> part, double weight) {
  if (!part) return;
  sum += *part * weight;
  weights += weight;
}
std::optional<double> efficiency_sum::mean::value() const { return weights > 0 ? std::optional(sum / weights) : std::nullopt; }

void efficiency_sum::add(const efficiency& run) {
  ++runs_;
  cput_s_ += run.cput_s;
  given_s_ += run.cpu_given_s();
  const auto weight = static_cast<double>(run.cpu_given_s());
  memory_.add(run.memory(), weight);
  walltime_.add(run.walltime(), weight);
}
std::optional<double> efficiency_sum::cpu() const { return part_of(cput_s_, given_s_); }

}  // namespace annals::values
