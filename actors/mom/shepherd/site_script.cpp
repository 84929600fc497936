#include "actors/mom/shepherd/site_script.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "actors/mom/shepherd/launch.hpp"
#include "actors/mom/shepherd/reaping.hpp"
#include "actors/runtime/owned_path.hpp"

namespace annals::shepherd {
namespace {

constexpr char failed_text[] = "nonzero p/e exit status";  // for a timeout too (pbs guide: prologue)

script_result result_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status), failed_text};
}

}  // namespace

script_result run_script(const site_script& s) {
  if (!actors::why_not_owned(s.path, actors::owned_as::program).empty()) return {-1, "Permission Error"};
  std::vector<std::string> arguments{s.path};
  arguments.insert(arguments.end(), s.arguments.begin(), s.arguments.end());
  const std::vector<std::string> environment{"PATH=/bin:/usr/bin", "PBS_JOBDIR=" + s.jobdir};
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  program p;
  p.path = s.path.c_str();
  p.argv = pointers(arguments);
  p.envp = pointers(environment);
  p.directory = s.directory.c_str();
  p.in = in;
  p.out = s.out;
  p.err = s.err;
  launched l = launch(p);
  if (l.pid < 0 && std::strcmp(l.step, "directory") == 0 && !s.other_directory.empty()) {
    p.directory = s.other_directory.c_str();
    l = launch(p);
  }
  close(in);
  top_process top{l.pid};
  if (l.pid < 0) {
    reap_ended(top);
    return {-1, l.step};
  }
  const auto until = monotonic_ms() + std::int64_t{s.alarm_s} * 1000;
  while (!top.ended) {
    const auto left = until - monotonic_ms();
    const bool stop = left <= 0 || wait_for_signal(left, false).what == wake::stop;
    reap_ended(top);
    if (!top.ended && stop) {
      end_descendants(top, 0);
      return {-4, failed_text};
    }
  }
  return result_of(top.status);
}

std::string failure_text(const site_script& s, const script_result& r) {
  return "pro/epilogue failed, file: " + s.path + ", exit: " + std::to_string(r.exit) + ", " + r.why;
}

}  // namespace annals::shepherd
