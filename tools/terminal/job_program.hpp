// The start of an interactive job's program, in the process that becomes it.
#pragma once

#include <string>

namespace annals::terminal {

// What it is told when it may begin.
struct program_words {
  std::string term;
  unsigned display = 0;  // 0: none
  std::string cookie;    // in hexadecimal; empty: X is not forwarded
};
std::string words_for_program(const program_words& words);

// Waits at this descriptor for those words, then executes the program with the terminal (standard input) as its own. `words`: the path, the
// program's name for itself, its arguments, a null pointer. Answers the exit status of what could not be started: 254, and 255 when nobody
// has come to the terminal.
int start_program(int go, char** words);

}  // namespace annals::terminal
