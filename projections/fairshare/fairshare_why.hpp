// Which jobs made an entity's usage (pbsfs --why): read from the log when somebody asks, so that the server need not keep it.
//
// Promise: what is left of the jobs, of what was set by hand and of the start adds up to the entity's usage.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "projections/fairshare/fairshare.hpp"

namespace annals::projections {

// So many jobs are named; the oldest of more are one row. A person reads the last ones, and the answer is one message.
constexpr std::size_t why_rows_max = 10'000;

struct why_row {
  std::string what;          // a job's id; or one of the words below
  double used = 0;           // what it added
  double counts = 0;         // what is left of that after decays
  std::int64_t last_ns = 0;  // when it last added something
};
constexpr const char* why_start = "start";      // what every entity begins with, and never falls below
constexpr const char* why_set = "set";          // pbsfs -s: "set by root@borg"
constexpr const char* why_earlier = "earlier";  // jobs beyond why_rows_max

class fairshare_why : public fairshare_listener {
 public:
  fairshare_why();
  void scaled(double factor) override;
  void used(const model::job_state& job, double amount, std::int64_t wall_ns) override;
  void set(double usage, const std::string& by, std::int64_t wall_ns) override;
  void forgotten() override;

  std::vector<why_row> rows() const;  // the oldest first
  double sum() const;

 private:
  void begin(why_row first);
  void join_oldest();

  // The first is what it begins with. What is left of a row is `counts` times scale_: a decay touches one number.
  std::vector<why_row> rows_;
  std::unordered_map<std::string, std::size_t> row_of_;  // by job id
  double scale_ = 1;
  double sum_ = 0;
};

}  // namespace annals::projections
