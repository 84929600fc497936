// What a connection may cost and how long its peer may be silent: the bounds of actors/link/wire, each with its reason.
// docs/design/0003-links.md says what happens when one is met.
#pragma once

#include <cstddef>

#include "events/model/limits.hpp"

namespace annals::limits {

// Largest frame between daemons, and from the server to a command: a full scheduling view goes in pieces below this.
constexpr std::size_t daemon_frame_bytes_max = 16u << 20;
// Largest frame the server takes from a command: one submission with its environment and a script that is sent inline.
constexpr std::size_t client_frame_bytes_max = 4u << 20;
static_assert(event_bytes_max <= client_frame_bytes_max, "what is one event can be asked for in one frame");
static_assert(client_frame_bytes_max <= daemon_frame_bytes_max);
// Cap'n Proto structs inside structs; the deepest message of the schema has 6 levels.
constexpr int frame_nesting_max = 32;

// Something is written to a daemon at least this often, so that it knows we are there.
constexpr int heartbeat_ms = 2000;
// A daemon from which nothing came for this long is down, whatever TCP says: five heartbeats lost.
constexpr int peer_silence_s = 10;
static_assert(3 * heartbeat_ms <= peer_silence_s * 1000, "a lost packet or two is no silence");
// Connect, TLS handshake and certificate check together.
constexpr int handshake_ms = 10000;

// No more is read from a client whose own answers wait to be sent beyond this: it has to read before it may ask again.
constexpr std::size_t unsent_pause_bytes = 4u << 20;
// Requests of one connection that were read and are not answered yet: no more is read then, until half of them are. Programs keep some
// hundred in flight at most, and one sync of the log serves all of these.
constexpr std::size_t requests_in_hand_max = 512;
// The same in bytes: two of the largest.
constexpr std::size_t request_bytes_in_hand_max = 2 * client_frame_bytes_max;
// A request takes so much memory beside its frame, on its way through the actors: messages, what was decoded, its event.
constexpr std::size_t bytes_beside_request = 2u << 10;
// Those of all users, of whom nobody may have more than is left. One user has half of it at most: 60,000 small requests, or submissions of
// 30 KB over each of 4,000 connections.
constexpr std::size_t all_request_bytes_in_hand_max = 256u << 20;
static_assert(requests_in_hand_max * bytes_beside_request <= request_bytes_in_hand_max / 2,
              "small requests are counted, large ones weighed");
static_assert(request_bytes_in_hand_max * 16 <= all_request_bytes_in_hand_max, "a few connections do not take all");
// A peer that takes nothing for unread_ms while more than this waits for it is closed: it is stopped or gone.
constexpr std::size_t unread_bytes_max = 64u << 20;
constexpr int unread_ms = 30000;
// No peer may hold more of our memory than this, however fast it reads.
constexpr std::size_t unsent_bytes_max = 1u << 30;
static_assert(unsent_pause_bytes < unread_bytes_max && unread_bytes_max < unsent_bytes_max);
// How long a closed connection waits for a peer that takes nothing of what was sent before the close.
constexpr int close_ms = 2000;

// A frame that was begun is whole within this, or its connection ends: 16 MiB at half a megabyte a second. Time in which we do not
// read does not count.
constexpr int frame_ms = 30000;

// Of the descriptors that the process may have, ordinary users' connections to Unix sockets get half, those of root and of the
// daemon's own user a quarter, and TCP peers that have not shown a certificate yet a sixteenth. The rest is for daemons that have,
// for the log's files and for what programs need that the process starts: no user's connections can take these.
constexpr std::size_t ordinary_share = 2, own_share = 4, unproven_share = 16;
// Commands on other hosts come over connections of a MoM or of a login host's pbs_comm: these get a sixteenth of the server's, by user.
constexpr std::size_t remote_caller_share = 16, remote_callers_max = 1024;
static_assert(1.0 / ordinary_share + 1.0 / own_share + 1.0 / unproven_share + 1.0 / remote_caller_share < 0.9,
              "some are left for files and daemons");
// However many descriptors there are, no more than these: each may hold a half frame in our memory.
constexpr std::size_t ordinary_connections_max = 8192, own_connections_max = 4096, unproven_connections_max = 1024;

// A user's name in a host's word: what Linux takes has 32 characters, and names of directory services may have a domain.
constexpr std::size_t user_name_bytes_max = 256;

// What a listener says of one user or address in the log, it says at most once in this time, with a count.
constexpr int complaint_ms = 60000;
// Users and addresses that it keeps apart for that; those beyond are counted as one.
constexpr std::size_t complaints_max = 256;

// The name of a user and of a group is asked for again after the first; until the second the old one is used meanwhile, so that
// those who come often never wait for a directory server.
constexpr int name_memory_s = 60, name_memory_s_max = 600;
static_assert(name_memory_s < name_memory_s_max);
constexpr std::size_t names_known_max = 10'000;  // 2 MB; a cluster with more users asks again
// Threads that ask the name service: so many look-ups may hang at once, and the next user still comes in. Those of other users
// wait for a thread, each once, however many connections it has; who comes then is turned away.
constexpr std::size_t lookup_threads_max = 8, lookups_waiting_max = 256;

// A dialer's pauses between attempts double from the first to the second.
constexpr int redial_ms_min = 100;
constexpr int redial_ms_max = 5000;

}  // namespace annals::limits
