#include "tools/client/other_options.hpp"

namespace annals::client {

namespace {

struct other_option {
  std::string_view command;
  char letter;
  const char* instead;
};

// Source: Torque's and Slurm's man pages. An option that both have is left out, whatever it means there.
constexpr other_option known[] = {
    {"qsub", '-', "an option is one letter; a program that needs no script follows: qsub [options] -- PROGRAM ARGUMENTS"},
    {"qsub", 'b', "qsub waits for the server by itself"},
    {"qsub", 'd', "begin the script with cd DIR, or give the job a directory of its own with -W sandbox=PRIVATE"},
    {"qsub", 'w', "begin the script with cd DIR"},
    {"qsub", 'F', "arguments follow the program: qsub [options] -- PROGRAM ARGUMENTS"},
    {"qsub", 'L', "chunks are -l select=N:ncpus=C:mem=M"},
    {"qsub", 'n', "a job alone on its hosts is -l place=excl"},
    {"qsub", 't', "an array of jobs is -J 1-10"},
    {"qalter", 't', "a part of an array is named: 12[3-5]"},
    {"qdel", 'm', "the message of a job is sent with qmsg"},
    {"qdel", 'p', "a job whose host does not answer goes with -W force"},
    {"qdel", 't', "a part of an array is named: 12[3-5]"},
    {"qhold", 't', "a part of an array is named: 12[3-5]"},
    {"qrls", 't', "a part of an array is named: 12[3-5]"},
    {"qrerun", 'f', "a job whose host does not answer is queued again with -W force"},
    {"qstat", 'c', "finished jobs are shown with -x"},
    {"pbsnodes", 'n', "notes are comments: pbsnodes -l, or -v VNODE"},
    {"pbsnodes", 'N', "a note is a comment: -C COMMENT VNODE"},
    {"pbsnodes", 'x', "a program reads -F json"},
};

}  // namespace

std::string in_pbs(std::string_view command, char letter) {
  for (const auto& o : known)
    if (o.command == command && o.letter == letter) return std::string(": ") + o.instead;
  return {};
}

}  // namespace annals::client
