// The limits of terminals of interactive jobs, each with its reason (docs/design/0059-interactive-jobs.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace annals::limits {

// One piece of what is typed or printed. A screen has some 10 KB, and a piece of this size costs less to carry than to print.
constexpr std::size_t terminal_piece_bytes = 32u << 10;
// Output that the job's end keeps until the user's end has it, so that nothing is lost when a connection is: the job waits when it is
// full. Eight pieces on their way keep a line with 20 ms of delay at 10 MB/s. The server holds as much for each terminal, at most.
constexpr std::size_t terminal_output_bytes = 256u << 10;
// The same for what was typed: a paragraph that is pasted, and what is typed while a connection is away.
constexpr std::size_t terminal_input_bytes = 64u << 10;
static_assert(terminal_piece_bytes <= terminal_input_bytes && terminal_input_bytes <= terminal_output_bytes);
// TERM, as the user's end says it: names of terminals have a few letters.
constexpr std::size_t terminal_name_bytes = 128;

// X connections of a job that forwards X: a desktop's worth of programs.
constexpr std::size_t display_connections = 64;
// Of one of them, on its way or waiting for who reads it: two full requests of the size that X programs send.
constexpr std::size_t display_window_bytes = 64u << 10;
constexpr std::size_t display_piece_bytes = 8u << 10;
// Words of all of them together that the other end has not taken: 25 MB/s with 20 ms of delay, and half a megabyte in the server.
constexpr std::size_t display_words = 64;
static_assert(display_piece_bytes <= display_window_bytes);
// The cookie that is made for a session; MIT-MAGIC-COOKIE-1 has as much. A longer one of the user's, or a longer name, is none.
constexpr std::size_t display_made_cookie_bytes = 16, display_cookie_bytes = 64;
// What is read of `xauth list` of one display: a few lines.
constexpr std::size_t xauth_list_bytes = 64u << 10;
// The job's display is the first of these that is free on its host; PBS begins there too. The X protocol has it at this port and up.
constexpr unsigned display_first = 50, display_last = 1049, x_port = 6000;
// An X server at another host that says neither yes nor no is waited for so long; what is typed waits with it.
constexpr int display_connect_ms = 1000;

// Without its other end a terminal waits so long for a connection that was lost: a server's upgrade, a cable, a switch. Nobody wants to
// pay longer for a job that nobody sits at.
constexpr int terminal_grace_s = 900;
// A job that starts and at whose terminal nobody is: a qsub that lost its server looks for it more often than that.
constexpr int terminal_join_s = 120;
// How often either end looks for a connection that was lost; the first time soon.
constexpr int terminal_redial_ms_min = 50, terminal_redial_ms_max = 2000;
// The user's end is told that its job is out of reach when it has been for this long: a MoM's restart is over before.
constexpr int terminal_notice_ms = 3000;
// A qsub whose connection ended is gone, unless it is back by then: the server may be about to end.
constexpr int terminal_gone_ms = 1000;
// What has been printed last may come after the news that the job has ended. Its end, when it was lost, may be back within the first; when
// it is there it says what it has and that this was all, and a host that stands still for a time is waited for.
constexpr int terminal_last_words_ms = 2000;
constexpr int terminal_last_words_there_ms = 60'000;

}  // namespace annals::limits
