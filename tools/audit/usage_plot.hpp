// The course of a run's resources drawn with characters: for each resource a line per host, all of one scale and one time axis.
#pragma once

#include <string>
#include <vector>

#include "projections/usage/usage.hpp"
#include "tools/audit/resource_types.hpp"

namespace annals::audit {

// What the drawing is shown on.
struct page {
  std::size_t columns = 80;
  bool blocks = false;  // it shows the block characters of Unicode; else ASCII stands in their place
};
page page_of_output();  // of standard output: a terminal is as wide as it says, all else 80 columns

// What of these resources has a word for a value, as "name=value"; empty: all can be drawn.
std::string word_among(const projections::job_usage& job, const std::vector<std::string>& resources, const resource_types& types);
// Of all of the run's hosts. The resources have numbers for values.
std::string plot_text(const projections::run_series& run, const std::vector<std::string>& resources, const resource_types& types,
                      const page& on);

}  // namespace annals::audit
