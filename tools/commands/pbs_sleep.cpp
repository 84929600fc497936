// pbs_sleep: does nothing for so many seconds, in jobs that only hold a place (pbs guide: pbs_sleep). It has no options: a word
// that begins with no number is no second.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace {

void sleep_whole(unsigned seconds) {
  while (seconds > 0) seconds = sleep(seconds);  // a signal that is handled ends none of it
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("pbs_sleep secs\n", stderr);
    return 1;
  }
  constexpr long longest = std::numeric_limits<unsigned>::max();  // 136 years: for ever
  const long seconds = std::strtol(argv[1], nullptr, 10);
  sleep_whole(static_cast<unsigned>(seconds < 0 ? longest : std::min(seconds, longest)));
  return 0;
}
