// An allocation in PBS's words: exec_vnode and exec_host (pbs guide: exec_vnode, exec_host, node file).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/cycle/placement.hpp"

namespace annals::cycle {

struct exec_texts {
  std::string exec_vnode, exec_host;
  std::vector<std::string> hosts;                      // each once, primary first
  std::vector<std::pair<index, std::uint32_t>> slots;  // host and slot, one per entry of exec_host
};

exec_texts describe(const view& v, const allocation& what);

}  // namespace annals::cycle
