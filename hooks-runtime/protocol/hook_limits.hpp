// Limits of hooks, each with its reason.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace annals::limits {

// Largest message to a worker: a job with its environment, or every vnode of a large site.
constexpr std::size_t hook_request_bytes_max = 64u << 20;
// Largest message of a worker. Its log lines and changes are stored in the event that the hook influenced.
constexpr std::size_t hook_reply_bytes_max = 2u << 20;
// What the lines and changes of one run may hold; the rest of a message is its frame and what was asked.
constexpr std::uint64_t hook_output_bytes_max = 1u << 20;
static_assert(hook_output_bytes_max <= hook_reply_bytes_max);
// Lines as they are said, each with its frame: more is no script's that the worker let speak.
constexpr std::uint64_t hook_said_bytes_max = 4 * hook_output_bytes_max;
// What the log keeps of the runs at one event: beyond it a run is kept without its request, and is not run again by pbs_audit. Half of
// the largest event, since the runs stand in one record with the event that they led to.
constexpr std::size_t recorded_runs_bytes_max = 2u << 20;

// Runs of one daemon at the same time: each keeps a processor busy, and a daemon has a few of them.
constexpr unsigned hook_runs_at_once_max = 16;
// Workers of one pool that live. There is a place for each hook and for as many more as may run at once, up to this bound: each takes about
// 3.4 MB, two processes and two descriptors of its daemon, and a site with 100 hooks of one event is a large one.
constexpr unsigned hook_workers_max = 256;
static_assert(hook_workers_max > hook_runs_at_once_max);
// How long a worker rests that may end: longer than the usual freq of a periodic hook (120 s), and on hosts memory belongs to jobs.
constexpr std::chrono::minutes hook_worker_rest_max{5};
// The same for one whose script is no longer its hook's: requests that came before the change may still want it.
constexpr std::chrono::seconds former_hook_worker_rest_max{1};
static_assert(former_hook_worker_rest_max < hook_worker_rest_max);
// Workers of one hook at the same time: a hook takes some 50 us of one processor. A hook of the server that asks the server has one.
constexpr unsigned hook_workers_per_hook_max = 4;
// A worker is replaced after so many runs, so that what a script leaves behind does not pile up.
constexpr unsigned hook_worker_runs_max = 20'000;
// Runs that wait for a worker; more are refused, because their callers have given up by then.
constexpr std::size_t hook_runs_waiting_max = 100'000;
// For the start of the interpreter, the sandbox and the compiler, on a machine that is busy.
constexpr std::chrono::seconds hook_bind_time_max{30};
// How long who has nothing else to do stays with a run: most hooks are done by then, and a request that comes meanwhile
// waits no longer than for a sync of the log.
constexpr std::chrono::microseconds hook_attendance_max{150};

// Address space of a worker; on hosts, what each process of it may write to. The interpreter alone maps 60 MB; numpy
// and its like map some 500.
constexpr std::uint64_t hook_memory_bytes_max = 2ull << 30;
// Processor time of one run, for hooks whose alarm is hours away.
constexpr std::uint32_t hook_cpu_seconds_max = 600;
constexpr std::uint32_t hook_open_files_max = 256;
// Processes and threads that a hook on a host may have at the same time.
constexpr std::uint32_t hook_processes_max = 128;
// Largest file that a hook may write.
constexpr std::uint64_t hook_file_bytes_max = 1ull << 30;

}  // namespace annals::limits
