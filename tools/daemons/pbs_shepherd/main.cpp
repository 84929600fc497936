// pbs_shepherd: the program between a MoM and a job. `run FILE` runs the job that the order in FILE describes and
// appends what happens to FILE; `as-user` does file work as the user. Only a MoM starts it.
// docs/design/0004-shepherd.md is the contract.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tools/daemons/pbs_shepherd/as_user.hpp"
#include "tools/daemons/pbs_shepherd/run.hpp"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "run") == 0) return annals::shepherd::run(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "as-user") == 0) return annals::shepherd::as_user();
  constexpr char usage[] =
      "usage: pbs_shepherd run FILE | as-user\n"
      "Started by pbs_mom, one for each job; of no use by hand.\n";
  const bool asked = argc == 2 && std::strcmp(argv[1], "--help") == 0;
  [[maybe_unused]] const auto n = write(asked ? 1 : 2, usage, sizeof usage - 1);
  return asked ? 0 : 2;
}
