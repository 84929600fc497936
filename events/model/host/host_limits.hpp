// The limits of what a host does for a job, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "events/model/limits.hpp"

namespace annals::limits {

// Files that come to a run, or go from it, have this long altogether: a copy that never ends would hold the run's vnodes
// for ever. At 100 MB/s it is 8 TB, and most sites end a job's whole life sooner.
constexpr std::uint32_t copying_s_max = 24 * 60 * 60;
// What a copy program says, of which the end is kept: why it failed is a line or two, progress may be any number.
constexpr std::size_t copy_text_bytes_max = 16u << 10;
// An answer of a process that acted as the user; what was delivered fits, and texts are cut so that they do.
constexpr std::size_t user_answer_bytes_max = 1u << 20;
static_assert(copy_text_bytes_max * 4 <= user_answer_bytes_max);

// What a task wrote elsewhere is tried to be put into the job's file so often, a second apart: a minute bridges a restart of
// a file server. Until then the task's end waits, and the run's vnodes; a user over his quota should not hold them longer.
constexpr unsigned output_tries_max = 60;

// Vnode definition files of one host, together, each vnode counted as an attribute too. A vnode has some ten of them of 40 bytes each:
// room for 900 vnodes, on machines that have a hundred at most.
constexpr std::size_t definition_bytes_max = 1u << 20;
constexpr std::size_t defined_attributes_max = 10'000;
// What a host reports is one event. An attribute costs 56 bytes there beside its texts, and its value may be longer than it was written;
// a vnode costs as much and 72 bytes for the architecture of its host.
static_assert((56 + 72 + 32) * defined_attributes_max + definition_bytes_max <= event_bytes_max);
// Vnodes of a host where max_vnodes_per_host does not say another number. A machine has a hundred at most, its definition files have room
// for 900; each vnode costs the server 25 KB in all its views, and everybody who lists vnodes a line. The host's root is not the
// cluster's: without a limit one hello could make so many that nobody else is served for a while.
constexpr std::int64_t vnodes_of_host_default = 1000;
// What is in the event of a hello beside its vnodes, at most.
constexpr std::size_t hello_room_bytes = 64u << 10;
static_assert(hello_room_bytes < event_bytes_max);
// With too little no program starts in a cgroup: the kernel refuses what it needs for that itself, and a shell is killed before it reads
// its first line. On x86-64 a shell starts with 1 MB and does not with 512 KB; the rest is room for other machines. A job that asks for
// less is held to this.
constexpr std::uint64_t cgroup_memory_bytes_min = 4u << 20;
// As long as a host's name may be (RFC 1035), which is its natural vnode's.
constexpr std::size_t vnode_name_chars_max = 255;

}  // namespace annals::limits
