// pbs_sched --replay: its options, and what it prints.
#pragma once

namespace annals::replay {

// Whether the arguments ask for it.
bool is_replay(int argc, char** argv);
// Exit status: 0: what was decided is what is recorded, or a policy was tried; 1: something differs, or the log can't be read; 2: not
// understood; 3: not opened.
int run_replay(int argc, char** argv);

}  // namespace annals::replay
