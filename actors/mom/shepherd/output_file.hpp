// Opening a file that gets a job's output, with the user's rights.
#pragma once

#include <string>

#include "actors/mom/shepherd/identity.hpp"

namespace annals::shepherd {

struct output_rule {
  bool make = false;      // made if it is missing, emptied if it is there
  bool terminal = false;  // may be one: a write that would wait is dropped
  bool shared = false;    // in a directory where others may make files: no link is followed, and the file must be ours
};

// To write at its end. A plain file, or a device that is no terminal: nothing that could make a reader or a writer wait.
// -1: errno says why.
int open_output(const std::string& path, const output_rule& rule);

// A new file in a directory that nobody but us may write to, for this user; what stood there is removed. To write at its end. -1:
// errno says why.
int make_spool_file(const std::string& path, const identity& owner);

}  // namespace annals::shepherd
