// The paths of -o and -e as a job keeps them: "host:/absolute/path" (pbs guide: Error_Path).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace annals::client {

struct path_facts {
  std::string host;  // of the submitter
  std::string working_directory;
  std::function<bool(const std::string&)> is_directory;  // on this host
  std::function<bool(const std::string&)> host_is_known;
};
path_facts real_path_facts();

// "out" -> "q1:/home/u/out", ":x" -> "q1:x", "q2:x" as it is; a directory gets a final '/'. Nothing: empty, no path
// behind the host, or a host nobody knows. `~` and `$NAME` stay as they are.
std::optional<std::string> full_output_path(std::string_view text, const path_facts& facts);

// $PWD when it is this directory (so that links stay as the user sees them), else what the kernel says.
std::string working_directory();

}  // namespace annals::client
