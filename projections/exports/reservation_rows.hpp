// The tables of reservations.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "projections/accounting/reservation_records.hpp"
#include "projections/exports/resource_dimension.hpp"
#include "projections/exports/row.hpp"

namespace annals::exports {

class reservation_rows {
 public:
  explicit reservation_rows(const resource_dimension& resources) : resources_(resources) {}
  void changed(const projections::reservation_occasion& o, const row_taker& take);

 private:
  struct story {
    std::string submitted_by, confirmed_by, deleted_by;
    std::int64_t confirmed_ns = 0;
    model::occurrence open;  // index 0: none
    std::int64_t opened_ns = 0;
  };
  void put(const projections::reservation_occasion& o, const story& s, const row_taker& take) const;
  static void put_occurrence(const projections::reservation_occasion& o, const story& s, bool closed, const row_taker& take);

  const resource_dimension& resources_;
  std::unordered_map<std::uint64_t, story> stories_;  // of those that are not gone, by stream
};

}  // namespace annals::exports
