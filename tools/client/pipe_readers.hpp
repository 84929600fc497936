// Who waits for what comes out of a pipe: a program whose input comes from elsewhere gets it when it wants it, and not before.
// What /proc tells of processes (proc(5): syscall, fd, fdinfo, children). docs/design/0022-task-manager.md.
#pragma once

#include <sys/types.h>

#include <string>

namespace annals::client {

// The name that /proc has for what is open as this descriptor of this process, such as "pipe:[4711]".
std::string name_of_open_file(int descriptor);

// Whether a process below `root`, at any depth, waits for bytes of the pipe of this name: in a call that reads it, in one that waits until
// it can be read, or because it has set the pipe's reading end to be read without waiting. Also true of one that has the pipe, or may have
// it, and can't be looked at: it runs as another user, or the kernel does not tell.
bool someone_waits_for(const std::string& pipe, pid_t root);

// Whether the processes below this one can be told at all.
bool shows_what_is_below(pid_t process);

}  // namespace annals::client
