// Whether a file may be trusted with this process's rights: nobody but root and this process's user can change it, or put another one in
// its place. A daemon asks before it executes a program, and before it reads a file that names programs.
//
// This file is compiled into the shepherd as well: no exceptions, and as little of the library as possible.
// docs/design/0067-what-root-executes.md.
#pragma once

#include <string>

namespace annals::actors {

enum class owned_as : unsigned char { program,
                                      file,
                                      directory };

// Why others could change what stands at this path; empty: they can't. Looked at are the file, each directory on the way from the root
// directory, and each symbolic link on it. A directory that all may write to is good when it is sticky, as /tmp is: what is in it is
// looked at in its turn.
std::string why_not_owned(const std::string& path, owned_as what);

}  // namespace annals::actors
