// Where a test finds the project's files and the programs that the build made.
#pragma once

#include <string>

namespace annals::test {

// The top folder of the source tree.
std::string source_dir();

// Where the build puts programs and files as they are installed: bin, sbin, libexec, lib.
std::string stage_dir();

}  // namespace annals::test
