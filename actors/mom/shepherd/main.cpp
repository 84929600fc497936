// pbs_shepherd: the program between a MoM and a job. `run FILE` runs the job that the order in FILE describes and
// appends what happens to FILE; `as-user` does file work as the user. Only a MoM starts it.
// docs/design/0004-shepherd.md is the contract.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "actors/mom/shepherd/as_user.hpp"
#include "actors/mom/shepherd/run.hpp"

namespace {

// The MoM needs more open files than programs are used to: jobs get what it was started with.
void restore_open_files() {
  const char* before = getenv("ANNALS_OPEN_FILES");
  rlimit files{};
  if (before == nullptr || getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t wanted = strtoull(before, nullptr, 10);
  if (wanted == 0 || wanted > files.rlim_max) return;
  files.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  restore_open_files();
  if (argc == 3 && std::strcmp(argv[1], "run") == 0) return annals::shepherd::run(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "as-user") == 0) return annals::shepherd::as_user();
  constexpr char usage[] =
      "usage: pbs_shepherd run FILE | as-user\n"
      "Started by pbs_mom, one for each job or for the subjobs of an array in turn; of no use by hand.\n";
  const bool asked = argc == 2 && std::strcmp(argv[1], "--help") == 0;
  [[maybe_unused]] const auto n = write(asked ? 1 : 2, usage, sizeof usage - 1);
  return asked ? 0 : 2;
}
