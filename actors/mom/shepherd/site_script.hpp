// The site's prologue and epilogue. Source: pbs guide, "MoM" (prologue, epilogue).
#pragma once

#include <string>
#include <vector>

namespace annals::shepherd {

struct site_script {
  std::string path;
  std::vector<std::string> arguments;  // without the path
  std::string directory;
  std::string jobdir;  // PBS_JOBDIR
  int out = -1, err = -1;
  unsigned alarm_s = 30;
  std::string other_directory;  // where it runs if we can't enter that one: the user may have removed it. Empty: nowhere
};

struct script_result {
  int exit = 0;     // -1: not allowed to run; -4: too slow, or stopped
  std::string why;  // "nonzero p/e exit status", "Permission Error", ...
};

// Runs it as ourselves and waits for it; it is killed with its session after alarm_s.
script_result run_script(const site_script& s);

// "pro/epilogue failed, file: <path>, exit: 1, nonzero p/e exit status"
std::string failure_text(const site_script& s, const script_result& r);

}  // namespace annals::shepherd
