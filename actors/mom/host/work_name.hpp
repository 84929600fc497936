// What is done for a run, or for a program of it, by processes that act as its user or again after a pause.
#pragma once

#include <compare>
#include <cstdint>

#include "events/values/program_key.hpp"

namespace annals::mom {

enum class work : std::uint8_t { copying,      // files that come or go
                                 unstaging,    // what came is removed
                                 output,       // what tasks wrote is added to the run's files
                                 directories,  // are made
                                 removal };    // of directories

// Of each name there is one at a time.
struct work_name {
  values::program_key of;
  work what = work::copying;
  auto operator<=>(const work_name&) const = default;
};

}  // namespace annals::mom
