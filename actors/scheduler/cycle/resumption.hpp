// A suspended job that goes on, or one from its checkpoint: where it was, or not at all.
#pragma once

#include <optional>

#include "actors/scheduler/cycle/placement.hpp"
#include "actors/scheduler/cycle/view.hpp"

namespace annals::cycle {

// What the job would hold again, with its amounts taken in the view. Nothing: there is no room.
std::optional<claim> take_again(view& v, const job& j);
// It does not, after all.
void give_back(view& v, const claim& taken);
// The same place, of a job that will start there.
allocation kept_place(const view& v, const job& j);

}  // namespace annals::cycle
