// The limits of tasks and of who speaks TM on a host, each with its reason (docs/design/0022-task-manager.md).
#pragma once

#include <cstddef>

#include "events/model/limits.hpp"

namespace annals::limits {

// A piece of a task's output on its way. One of each stream is under way at a time: 1000 tasks hold 64 MB at most, and a
// piece of this size costs less to carry than to write.
constexpr std::size_t output_piece_bytes = 32u << 10;
// A piece that was not taken is sent again after this: whoever it was for may be gone.
constexpr int output_repeat_s = 5;

// Tasks of one run, ended ones included: about 700 bytes each of the memory of the MoM that runs it, 300 of the primary's. 70 MB
// are what a MoM can spare for one job.
constexpr std::size_t tasks_of_run_max = 100'000;

// Largest request: a program's arguments and its whole environment. Every connection may have one half read.
constexpr std::size_t tm_frame_bytes_max = 512u << 10;
static_assert(tm_frame_bytes_max < event_bytes_max, "what is one event can be asked for in one frame");
// No more is read from a caller while so much of what it asked is not done yet: its job's log is written as fast as the disk is.
constexpr std::size_t tm_in_hand_max = 64, tm_bytes_in_hand_max = 1u << 20;
// Questions of one connection that wait for their answers: pbsdsh waits for the end of each task.
constexpr std::size_t tm_questions_max = 65536;
// Who connects and does not say for which job is closed after this.
constexpr int tm_silence_s = 30;

// pbsdsh and pbs_tmrsh hand signals on to their tasks. Where nobody takes one for so long, they end by it themselves: whoever sends
// it wants them to end, and a kill delay is longer.
constexpr unsigned signal_patience_s = 2;

// A job's id and its cookie, each, as a command says them: an id has at most the 253 letters of a host's name behind its number.
constexpr std::size_t claim_bytes_max = 512;
// Connections to a MoM's sockets are bounded by shares of the descriptors that it may have (actors/link/wire/wire_limits.hpp): those
// of TM as if it had three quarters of them, commands of jobs as if it had an eighth. A command takes two, so that all take 0.8 of
// them at most, and the rest is for daemons, the log and programs.
constexpr std::size_t tm_descriptors_of_four = 3, command_descriptors_of = 8;

// What tasks publish for each other is for addresses and keys, and the MoM keeps it in memory.
constexpr std::size_t published_name_bytes_max = 256;
constexpr std::size_t published_value_bytes_max = 64u << 10;
constexpr std::size_t published_values_max = 4096, published_bytes_of_run_max = 16u << 20;
static_assert(published_value_bytes_max < event_bytes_max);

}  // namespace annals::limits
