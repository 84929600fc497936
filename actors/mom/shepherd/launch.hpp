// Starting one program as the user: the part between vfork and exec.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/shepherd/identity.hpp"

namespace annals::shepherd {

struct program {
  const char* path = nullptr;
  std::vector<char*> argv, envp;  // ended by null pointers
  const char* directory = nullptr;
  int in = -1, out = -1, err = -1;
  identity who;
  bool own_session = true;
  const mom::shepherd_order* limits = nullptr;  // umask, rlimits and nice; nullptr: none of them
  std::vector<int> keep;                        // descriptors that it has under the same numbers
  std::vector<int> cgroup_doors;                // entered before it is executed (job_cgroup::open_doors)
};

struct launched {
  pid_t pid = -1;              // -1: it was not started
  const char* step = nullptr;  // what failed
  int error = 0;
  int outside = 0;  // errno: it runs, but could not enter a cgroup
};

// Returns when the program has been executed, or can't be. A failed exec is a program that ended with 254, which has
// said why on its standard error (pbs guide: exit codes).
launched launch(const program& p);

std::vector<char*> pointers(const std::vector<std::string>& texts);

}  // namespace annals::shepherd
