// The terminal of an interactive job (docs/design/0059-interactive-jobs.md).
#pragma once

#include <string>

#include "actors/mom/host/order_file.hpp"
#include "actors/mom/shepherd/identity.hpp"

namespace annals::shepherd {

struct terminal {
  std::string name;      // "/dev/pts/3"
  int program_end = -1;  // what the program reads and writes
  int our_end = -1;      // the same for our own lines; a write that would wait is dropped
  int go = -1;           // where the program waits for its user
};

// Makes it, with the user's rights, and starts the program that owns its other side: as the user, and no descendant of ours, for it
// hands on what was printed last when we have ended. False: `wrong` says why. Before this process becomes a subreaper.
bool open_terminal(const mom::shepherd_order& order, const identity& who, terminal& made, std::string& wrong);

}  // namespace annals::shepherd
