// Starting the shepherd program from a large, threaded process: posix_spawn, which copies no page tables.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::mom {

struct child_process {
  pid_t pid = 0;
  int pidfd = -1;  // readable when it has ended; the caller's to close
};

// In a session of its own, with no descriptor but these three and no environment but ANNALS_OPEN_FILES, its shepherd
// signals blocked.
// A descriptor of -1 is /dev/null. Nothing: errno says why.
std::optional<child_process> spawn_program(const std::vector<std::string>& argv, int in = -1, int out = -1);

// A pidfd for a process that need not be a child; -1: there is none.
int open_pidfd(pid_t pid);
// Asks a shepherd to send `signal` to its run.
void ask_shepherd(int pidfd, int signal);
// Tells a shepherd to kill its run and to end.
void stop_shepherd(int pidfd);
// Takes the exit status of a child that has ended.
int reap(pid_t pid);

// A descriptor to read these bytes from; -1: errno says why.
int bytes_to_read(std::string_view bytes);

}  // namespace annals::mom
