// Work in a process of its own: what ends that process does not end this one. Run it before this process has threads.
#pragma once

#include <functional>
#include <string>

namespace annals::audit {

struct apart_end {
  bool well = false;  // it came to its end
  std::string said;   // what it wrote to `out`; of a signal its number, when nothing was said
};

// `out`: a file descriptor; standard error goes there too.
apart_end run_apart(const std::function<void(int out)>& work);

}  // namespace annals::audit
