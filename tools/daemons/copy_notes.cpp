#include "tools/daemons/copy_notes.hpp"

#include <cstdio>
#include <sstream>

namespace annals::daemons {

void note_copies(actors::daemon_log& notes, const std::string& job, const ports::delivery_result& result, const std::string& way) {
  namespace log = actors::log_event;
  const auto line = [&](const std::string& text) { notes.write(log::debug2, "Job", job, text); };
  for (const auto& t : result.tries) notes.write(log::debug, "Fil", "sys_copy", t);
  if (!result.ok) {
    line("Job files not copied:---->>>>");
    std::string one;
    for (std::istringstream text(result.text); std::getline(text, one);) line(one);
    line("---->>>>");
  }
  if (result.asked == 0) return;
  char took[32];
  std::snprintf(took, sizeof took, "%u:%02u:%02u", result.seconds / 3600, result.seconds / 60 % 60, result.seconds % 60);
  line("Staged " + std::to_string(result.delivered) + "/" + std::to_string(result.asked) + " items " + way + " over " + took);
}

}  // namespace annals::daemons
