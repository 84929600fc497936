// Bounds of what pbs_report reads, each with its reason.
#pragma once

#include <cstddef>

namespace annals::reporting::limits {

// A file of prices is written by people: a thousand queues with ten resources each fit.
constexpr std::size_t rates_bytes_max = 1u << 20;
constexpr std::size_t prices_max = 10'000;
// A price has so many digits before and behind its point: as a number of 63 bits it is exact. What a run costs is computed in 127 bits
// (charge in rates.cpp), in which a petabyte for a year at 1000 per gb and hour has its place.
constexpr std::size_t price_digits_max = 6, price_decimals_max = 9;
// A currency's smallest unit: yen have 0, euros 2, dinars 3 decimals. More is for prices that are no money.
constexpr unsigned currency_decimals_max = 6;
constexpr std::size_t currency_bytes_max = 16;
// Names of resources, as --resource and files of prices have them, and how many there are columns of.
constexpr std::size_t resource_name_bytes_max = 256;
constexpr std::size_t resources_max = 100;
// Bars of a page: more can't be compared by eye. The table below them has every line.
constexpr std::size_t bars_max = 40;
// Characters to which a column of text is filled up with blanks: names are short, and one of a megabyte makes no other line as long.
constexpr std::size_t text_width_max = 60;

}  // namespace annals::reporting::limits
