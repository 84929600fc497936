// Whole numbers of 127 bits that say when they are not enough: sums of a report are exact, or there is none.
#pragma once

#include <stdexcept>
#include <string>

namespace annals::reporting {

__extension__ typedef __int128 exact;

// A sum that has no place in 127 bits: somebody wrote numbers that no cluster has.
class too_large : public std::runtime_error {
 public:
  too_large() : std::runtime_error("a sum is larger than 127 bits") {}
};

exact plus(exact a, exact b);   // throws too_large
exact times(exact a, exact b);  // throws too_large
// The quotient as a whole number: half of one is rounded away from 0. `by` is greater than 0.
exact rounded(exact a, exact by);

std::string print(exact n);  // "-42"
// n / 10^decimals: "12.34"; with `short_form` without zeros at the end, and without the point where nothing is behind it.
std::string print_decimal(exact n, unsigned decimals, bool short_form = false);
exact power_of_ten(unsigned exponent);  // of at most 38

}  // namespace annals::reporting
