// The processes below another, as /proc shows them at a moment.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>
#include <vector>

namespace annals::hooks {

// Those that its first thread started, and theirs. What another thread started shows when that process is gone: it is
// then below whoever takes in orphans.
inline void add_tree(pid_t pid, std::vector<pid_t>& out) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  for (pid_t child = 0; in >> child;) {
    out.push_back(child);
    add_tree(child, out);
  }
}

inline std::vector<pid_t> tree_below(pid_t pid) {
  std::vector<pid_t> out;
  add_tree(pid, out);
  return out;
}

}  // namespace annals::hooks
