// Prices of resources: what a file of prices (rates.conf) says, and what a run costs by it.
//
// A line is empty, a comment behind '#', or one of
//   currency NAME DECIMALS                                                             once, before the first price
//   price RESOURCE AMOUNT [per kb|mb|gb|tb|pb] [queue NAME] [from TIME] [until TIME]   for an hour of one of it, or of so much of a size
// The amount is in the currency. A time is YYYY-MM-DD[THH:MM[:SS]] in local time; until it, but not at it. Governed by
// docs/design/0071-reports.md.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/report/held.hpp"

namespace annals::reporting {

struct price {
  std::string resource, queue;  // queue empty: of all that have no price of their own
  std::int64_t nano = 0;        // in 10^-9 of the currency
  bool of_size = false;         // of 2^shift bytes; else of one
  unsigned shift = 0;
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  // since 1970
  std::int64_t until_ns = std::numeric_limits<std::int64_t>::max();
  unsigned line = 0;  // of the file
};

struct rates {
  std::string currency;
  unsigned decimals = 0;  // of its smallest unit
  std::vector<price> prices;

  // The one of this queue at this time, else the one for all queues at it; nullptr: it costs nothing.
  const price* find(std::string_view resource, std::string_view queue, std::int64_t at_ns) const;
  std::vector<std::string> resources() const;  // each once, in order of first use
};

struct rates_error {
  unsigned line = 0;  // 0: the file as a whole
  std::string word;   // the one that is wrong; empty: the line ends too early
  std::string why;
  std::string print() const;  // "line 4: \"0,02\": a price is ..."
};

// A price that does not fit what it is of.
class rates_trouble : public report_trouble {
  using report_trouble::report_trouble;
};

std::variant<rates, rates_error> parse_rates(std::string_view text);

// What so much for so many seconds costs, in smallest units of the currency. Rounded once: half of one upwards. `held_s`: the amounts
// (held.hpp) times their seconds, added up. Throws rates_trouble when the price is of a size and the amount is none, or the other way
// round, and too_large.
exact charge(const rates& by, const price& p, amount_kind kind, exact held_s);

}  // namespace annals::reporting
