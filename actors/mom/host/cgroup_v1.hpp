// One v1 hierarchy: one or several controllers, each with files of its own. `directory` is a cgroup in it.
// Source: the kernel's cgroup-v1 documentation.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include "actors/mom/host/cgroup_root.hpp"

namespace annals::mom::cgroup_v1 {

// What could not be set, "" if all was: "/sys/.../memory.limit_in_bytes: Invalid argument".
std::string limit(const std::string& directory, const cgroup_root& root, const cgroup_limits& limits);
// Of a cgroup that holds others: it weighs as much as so many cpus.
void weigh(const std::string& directory, const cgroup_root& root, std::uint32_t cpus);
// Of a cgroup that will hold others: their memory counts as its own, also on kernels that keep them apart unless they are told.
void count_children(const std::string& directory, const cgroup_root& root);
bool freeze(const std::string& directory, bool frozen);
// One round: whoever is there gets SIGKILL. True: nobody was.
bool kill(const std::string& directory);
void add_usage(const std::string& directory, const cgroup_root& root, cgroup_usage& usage);

// For another run to come with the same limits: nothing used. False: something of this one stays, as processes that the kernel killed, or
// memory.
bool forget(const std::string& directory, const cgroup_root& root);

}  // namespace annals::mom::cgroup_v1
