// A state as a checkpoint has it, for tests of the law of checkpoints: a fold that was restored and then folded on is what it would be if
// it had been folded from the first record on (events/values/stored_state.hpp).
#pragma once

#include <string>

#include "events/values/stored_state.hpp"

namespace annals::test {

template <class State>
std::string stored_bytes(const State& state) {
  stored::writer to;
  to(state);
  return to.take();
}

}  // namespace annals::test
