#include <cstdio>
#include <cstdlib>

#include "events/model/outcome.hpp"

namespace annals::model {

void invariant_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr,
               "annals: broken invariant: %s (%s:%d). Nothing wrong was written. Run `pbs_audit verify`, keep its output and the logs, and "
               "report them.\n",
               what, file, line);
  std::abort();
}

}  // namespace annals::model
