// A suspended job that goes on: where it was, or not at all.
#pragma once

#include <optional>

#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// What the job would hold again, with its amounts taken in the view. Nothing: there is no room.
std::optional<claim> take_again(view& v, const job& j);

}  // namespace annals::cycle
