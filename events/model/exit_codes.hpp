// Reasons below 0 for the end of a run that a MoM and the server agree on. PBS's own stand where they are used.
#pragma once

#include <cstdint>

namespace annals::model {

// The server has no script for the run (PBS has no number for it): nothing is wrong with the job, it is held.
inline constexpr std::int32_t exit_script_lost = -40;

// pbs guide: JOB_EXEC_RETRY. The host could not start the job, which is queued again.
inline constexpr std::int32_t exit_retry = -3;
// pbs guide: JOB_EXEC_FAILHOOK_RERUN. A hook of the host rejected the start, and the job is queued again.
inline constexpr std::int32_t exit_hook_rejected = -16;
// pbs guide: JOB_EXEC_HOOK_RERUN. A hook of the host wants the job to be started again.
inline constexpr std::int32_t exit_hook_wants_rerun = -18;
constexpr bool is_failed_start(std::int32_t code) { return code == exit_retry || code == exit_hook_rejected; }

// pbs guide: JOB_EXEC_BADRESRT, a restart from the checkpoint is not possible; JOB_EXEC_CHKP, checkpointed and killed.
inline constexpr std::int32_t exit_bad_restart = -7;
inline constexpr std::int32_t exit_checkpointed = -12;

// PBS's own: communication with a host was lost (pbs guide: JOB_EXEC_RERUN_MS_FAIL). Also what a task ends with whose host was lost.
inline constexpr std::int32_t exit_host_lost = -4;

}  // namespace annals::model
