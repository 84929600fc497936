// What runs used, added up: of all of them, and of each user, project or whatever a report is by.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/counted_runs.hpp"
#include "tools/report/rates.hpp"

namespace annals::reporting {

// Sums of some runs. Those of a job must come one after the other, as each_run tells them.
class use_sum {
 public:
  // `cost`: of the run, in smallest units.
  void add(const counted_run& r, exact cost);

  std::int64_t jobs = 0, runs = 0, failed_starts = 0;
  exact cput_s = 0, walltime_s = 0, suspended_s = 0, core_s = 0, mem_byte_s = 0;
  std::int64_t mem_bytes_max = 0;
  std::vector<held_sum> held;
  exact cost = 0;

  // Of those that have waited: the smallest time that at least so many percent of them waited no longer than. Nothing: none has.
  std::optional<std::int64_t> wait_s(unsigned percent) const;
  // Cpu time in tenths of a percent of what the cores that were held could have given; nothing: none was held.
  std::optional<exact> efficiency_tenths() const;

 private:
  std::optional<std::int64_t> last_job_;
  mutable std::vector<std::int64_t> waits_s_;  // in no order
};

// What a report may be by. Days and months are those of the end of a run in local time.
enum class dimension : std::uint8_t { user,
                                      group,
                                      project,
                                      account,
                                      queue,
                                      reservation,
                                      day,
                                      month };
std::optional<dimension> dimension_named(std::string_view name);
const char* name_of(dimension d);
std::vector<std::string> dimension_names();

using group_key = std::vector<std::optional<std::string>>;  // nothing: the run is of none, as of no account

class use_table {
 public:
  use_table(std::vector<dimension> by, std::vector<std::string> resources, const rates* prices)
      : by_(std::move(by)), resources_(std::move(resources)), prices_(prices) {}

  void add(const counted_run& r);

  const std::vector<dimension>& by() const { return by_; }
  const std::map<group_key, use_sum>& groups() const { return groups_; }
  const use_sum& all() const { return all_; }

 private:
  group_key key_of(const counted_run& r) const;
  exact cost_of(const counted_run& r) const;

  std::vector<dimension> by_;
  std::vector<std::string> resources_;  // of counted_run::held
  const rates* prices_;                 // nullptr: nothing has a price
  std::map<group_key, use_sum> groups_;
  use_sum all_;
};

}  // namespace annals::reporting
