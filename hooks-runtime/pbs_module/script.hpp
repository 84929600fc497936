// A script in the interpreter: compiled once, run many times, each time in a namespace of its own.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hooks-runtime/pbs_module/run_state.hpp"

namespace annals::hooks {

// Starts the interpreter with the pbs module, isolated from the caller's environment and site packages of users. Once
// per process. False: it could not be started.
bool start_python(bool with_site_packages);

// A variable that scripts and the programs they start see. Nothing is done for an empty value.
void set_environment(const char* name, const std::string& value);

// Python as python3 is, with these arguments of main(), its options among them. It has the pbs module but no event; lines for a daemon's
// log go to standard error. Returns the exit status.
int run_interpreter(int argc, char** argv, const std::string& local_node);

class script {
 public:
  // Empty: it compiled. Else the compiler's message, as Python prints it.
  std::string compile(std::string_view source, const std::string& hook_name);
  // Runs it to its end; the outcome stands in the run.
  void run(run_state& into) const;

  script();
  ~script();

 private:
  struct code;
  std::unique_ptr<code> code_;
};

}  // namespace annals::hooks
