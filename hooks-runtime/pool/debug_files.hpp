// What a hook with debug = True leaves in the daemon's hooks/tmp: hook_<event>_<hook>_<time>.in, .out and .data (pbs
// guide: "hooks: debug"). They are JSON: `pbs_python --hook -i X.in -s X.data script` repeats the run. A help, not a
// record: what can't be written is left out; the log has the run in any case.
#pragma once

#include <string>
#include <vector>

#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::hooks {

class debug_files {
 public:
  debug_files() = default;  // keeps nothing
  // Writes the .in file now, so that it is there whatever becomes of the run.
  debug_files(const std::string& directory, protocol::Request::Reader request);
  void answered(const sealed_answer& answer);
  void ended(protocol::Reply::Reader reply);  // writes .out and .data

 private:
  std::string path_;  // without the ending; empty: nothing is kept
  std::vector<sealed_answer> answers_;
};

}  // namespace annals::hooks
