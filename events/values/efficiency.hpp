// How much of what a run was given and of what it asked for it made use of. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace annals::values {

struct efficiency {
  std::uint64_t cput_s = 0, walltime_s = 0, ncpus = 0, mem_kb = 0;  // used; of memory the highest
  std::optional<std::uint64_t> mem_asked_kb, walltime_asked_s;      // nothing: not asked for

  std::uint64_t cpu_given_s() const { return ncpus * walltime_s; }
  // Parts of one; nothing: it was given, or asked for, nothing.
  std::optional<double> cpu() const;
  std::optional<double> memory() const;
  std::optional<double> walltime() const;
  bool operator==(const efficiency&) const = default;
};

// The efficiency of many runs. Each counts as much as the cpu time that it was given: cpu is all cpu time used, divided by all that was
// given.
class efficiency_sum {
 public:
  void add(const efficiency& run);
  std::size_t runs() const { return runs_; }
  std::uint64_t cput_s() const { return cput_s_; }
  std::uint64_t cpu_given_s() const { return given_s_; }
  std::optional<double> cpu() const;
  std::optional<double> memory() const { return memory_.value(); }      // of the runs that asked for some
  std::optional<double> walltime() const { return walltime_.value(); }  // the same

 private:
  struct mean {
    double sum = 0, weights = 0;
    void add(std::optional<double> part, double weight);
    std::optional<double> value() const;
  };
  std::size_t runs_ = 0;
  std::uint64_t cput_s_ = 0, given_s_ = 0;
  mean memory_, walltime_;
};

}  // namespace annals::values
