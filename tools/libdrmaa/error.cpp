#include "tools/libdrmaa/error.hpp"

#include <array>

#include "tools/libpbs/include/pbs_error.h"

namespace annals::drmaa {

namespace {

// In the order of the numbers.
constexpr std::array<const char*, 26> texts{
    "Success",
    "Internal error",
    "The server can not be reached",
    "Not authorized",
    "Invalid argument",
    "There is no active session",
    "Out of memory",
    "Invalid contact string",
    "The default contact string does not work",
    "No default contact string was selected",
    "The session could not be initialized",
    "There is an active session already",
    "The session could not be ended",
    "The format of the attribute's value is invalid",
    "The attribute's value is invalid",
    "The attribute's value conflicts with another's",
    "The server is busy, try again later",
    "The server refused it",
    "There is no such job",
    "The job can not be resumed, since it is not suspended",
    "The job can not be suspended, since it does not run",
    "The job can not be held in its state",
    "The job can not be released, since it is not held",
    "Time ran out",
    "No usage is known of the job",
    "There are no more elements",
};

}  // namespace

int code_of(int pbs_error) {
  switch (pbs_error) {
    case PBSE_UNKJOBID:
    case PBSE_HISTJOBID:
    case PBSE_NOHISTARRAYSUBJOB: return DRMAA_ERRNO_INVALID_JOB;
    case PBSE_PERM:
    case PBSE_BADCRED:
    case PBSE_EXPIRED:
    case PBSE_BADUSER: return DRMAA_ERRNO_AUTH_FAILURE;
    case PBSE_BADHOST:
    case PBSE_NOSERVER:
    case PBSE_SYSTEM:
    case PBSE_PROTOCOL:
    case PBSE_DISPROTO: return DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE;
    case PBSE_NOCONNECTS:
    case PBSE_CONNFULL:
    case PBSE_TRYAGAIN: return DRMAA_ERRNO_TRY_LATER;
    case PBSE_BADATVAL:
    case PBSE_NOATTR:
    case PBSE_ATTRRO:
    case PBSE_UNKRESC:
    case PBSE_ATTRTYPE: return DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE;
    default: return DRMAA_ERRNO_DENIED_BY_DRM;
  }
}

}  // namespace annals::drmaa

extern "C" const char* drmaa_strerror(int drmaa_errno) {
  const auto& all = annals::drmaa::texts;
  return drmaa_errno >= 0 && static_cast<std::size_t>(drmaa_errno) < all.size() ? all[static_cast<std::size_t>(drmaa_errno)]
                                                                                : "Unknown error number";
}
