// Brings a target as far as a log is: reads records behind the target's position, folds them, and writes their rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "events/log/log_reader.hpp"
#include "projections/exports/exports.hpp"
#include "tools/export/target.hpp"

namespace annals::exporting {

// The log can't be gone on with: it is damaged, or it is not the one that the target's rows are of.
class log_trouble : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How much is written at once.
struct batch_bounds {
  std::uint64_t records = 20'000;
  std::size_t rows = 50'000;
  std::size_t bytes = 64u << 20;
};

class exporter {
 public:
  // Both outlive it. Finds the target's position in the log, and learns what the fold needs of records before it. Throws log_trouble and
  // target_trouble; then this exporter and its target are of no use any more, and rows and position are as they were after a write.
  exporter(const log::log_reader& log, target& to, const batch_bounds& bounds = {});

  // Writes one batch. Returns false if there was no record.
  bool step();
  std::uint64_t sequence() const { return target_.at().sequence; }
  std::uint64_t rows_written() const { return rows_written_; }

 private:
  void find_position();
  void learn();

  const log::log_reader& log_;
  target& target_;
  batch_bounds bounds_;
  exports::export_fold fold_;
  row_batch batch_;
  std::uint64_t rows_written_ = 0;
};

}  // namespace annals::exporting
