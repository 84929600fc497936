// The start of an interactive job's program, in the process that becomes it.
#pragma once

namespace annals::terminal {

// Waits at this descriptor for one line, the name of the user's terminal, then executes the program with the terminal (standard input) as
// its own. `words`: the path, the program's name for itself, its arguments, a null pointer. Answers the exit status of what could not
// be started: 254, and 255 when nobody has come to the terminal.
int start_program(int go, char** words);

}  // namespace annals::terminal
