// Whether a daemon could take in all of a log when it starts: the same folds, in a process of its own, since a record that
// they can't take ends the process. Run it before this process has threads.
#pragma once

#include <cstdint>
#include <string>

namespace annals::audit {

struct start_check {
  std::uint64_t refused = 0;  // the record that was not taken in; 0: none, as far as the log can be read
  std::string trouble;        // empty: all of the log was taken in
};

start_check try_to_start(const std::string& directory);

}  // namespace annals::audit
