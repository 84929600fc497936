// Calls of PBS's library that this server has no request for: programs that link them get an error that says what there is.
#include <string>

#include "tools/libpbs/connections.hpp"
#include "tools/libpbs/include/pbs_ifl.h"

using namespace annals;

namespace {

// The connection's error and pbs_errno; the number too.
int refuse(int connect, const char* why) noexcept {
  ifl::with_connection(connect, -1, [&](ifl::connection&) -> int {
    const auto refusal = values::refuse_about(values::pbs_error::no_support, why);
    throw ifl::failure{refusal.code, refusal.text};
  });
  return pbs_errno;
}

}  // namespace

extern "C" {

int pbs_rescreserve(int connect, char**, int, pbs_resource_t*) { return refuse(connect, "pbs_submit_resv keeps resources for later"); }
int pbs_rescrelease(int connect, pbs_resource_t) { return refuse(connect, "pbs_delresv gives up what pbs_submit_resv keeps"); }
int pbs_stagein(int connect, const char*, const char*, const char*) {
  return refuse(connect, "a job's files are staged in when it is run");
}
int pbs_confirmresv(int connect, const char*, const char*, unsigned long, const char*) {
  return refuse(connect, "only the scheduler of this server confirms reservations");
}
struct preempt_job_info* pbs_preempt_jobs(int connect, char**) {
  refuse(connect, "only the scheduler of this server preempts jobs");
  return nullptr;
}

}  // extern "C"
