// The process above the interpreter. It adopts whatever a script starts, so that nothing of a run outlives its worker:
// when the pool says so, when the pool dies or when the interpreter ends, it kills the whole tree and reports how it
// ended. It also counts the processes of the tree, for the kernel's own limit does not hold for root.
#pragma once

#include <sys/types.h>

#include <string>

#include "hooks-runtime/worker/scratch.hpp"

namespace annals::hooks {

// Becomes the guard of a child and returns only in the child, with the child's end of a socket to the guard
// (sandbox.hpp). The guard itself never returns; its last deed is to remove the scratch directory that it has made in `where` (empty:
// none), whenever it is told to end. -1: no process could be made.
int stand_guard(const std::string& where, scratch_directory& scratch);

// For the child: gives the guard the listener of its filter and the largest number of processes. False: not delivered.
bool hand_over(int to_guard, int listener, unsigned processes_max);

}  // namespace annals::hooks
