// What a user types at an interactive job, before it is sent: at the start of a line "~." ends the session and "~" with the suspend
// character stops qsub, as at a remote login (pbs guide: qsub -I). Anything else is the job's. Pure.
#pragma once

#include <string>
#include <string_view>

namespace annals::terminal {

class escape_reader {
 public:
  explicit escape_reader(char suspend_key) : suspend_key_(suspend_key) {}

  enum class wish { none,
                    hang_up,
                    suspend };
  struct found {
    std::string for_job;
    wish what = wish::none;  // behind those bytes
    std::string_view rest;   // behind that: to be read again
  };
  found read(std::string_view typed);

 private:
  enum class place { line_start,
                     tilde,  // at the start of a line; it waits for the next byte
                     inside };
  char suspend_key_;
  place at_ = place::line_start;
};

}  // namespace annals::terminal
