// What a worker sees of the file system, in a namespace of its own: some directories are covered, and all is read-only but a
// few places. Unlike Landlock this also keeps the modes, owners and times of files.
#pragma once

#include <string>
#include <vector>

namespace annals::hooks {

struct view_rules {
  std::vector<std::string> hidden;    // directories that are covered
  std::vector<std::string> seen;      // below a covered directory, but seen; each is there, without links in its path
  std::vector<std::string> writable;  // these stay as they are, below a covered directory too; each is as those that are seen
};

// As root it must succeed. Without root it is done where the kernel lets users have namespaces. Empty: done, or not to be had
// without root; else what went wrong.
std::string put_on_view(const view_rules& rules);

}  // namespace annals::hooks
