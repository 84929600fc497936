// The tables of schedulers: their cycles, and why jobs did not run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "events/log/record.hpp"
#include "projections/exports/row.hpp"

namespace annals::exports {

class cycles {
 public:
  // Says how a scheduler is called, whose creation was not folded.
  using name_of = std::function<std::string(std::uint64_t stream)>;
  explicit cycles(name_of name) : find_name_(std::move(name)) {}

  void fold(const log::record& record, const row_taker& take);
  // The records with which the cycles began that go on.
  std::vector<std::uint64_t> open() const;
  const std::string& name(std::uint64_t stream);

 private:
  struct cycle {
    std::uint64_t began_sequence = 0, number = 0, view = 0;
    std::int64_t began_ns = 0, decides_for_ns = 0;
    std::string cause, policy;
  };
  void begin(std::uint64_t stream, const log::record& by, const row_taker& take);
  void end(std::uint64_t stream, const log::record& by, const row_taker& take);
  void give_reasons(std::uint64_t stream, const log::record& by, const row_taker& take);
  row_builder row_of(std::uint64_t stream, const cycle& c, const log::record& by);

  name_of find_name_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, cycle> open_;  // by the scheduler's stream
};

}  // namespace annals::exports
