// What cgroups this machine offers: v2, v1 or both side by side, and which of them a job's cgroup is made in.
// docs/design/0026-cgroups.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/mom/host/cgroup_root.hpp"

namespace annals::mom {

struct cgroup_mount {
  std::string path;
  bool v2 = false, writable = false;
  std::vector<std::string> controllers;  // of v1; those of v2 stand in its file cgroup.controllers
  bool operator==(const cgroup_mount&) const = default;
};

// The cgroup hierarchies in a /proc/PID/mountinfo (proc(5)). A line that is not understood mounts none.
std::vector<cgroup_mount> parse_mountinfo(std::string_view text);

// Each controller from where it is, at most once: v2 if it has it, else v1. Pure.
std::vector<cgroup_root> choose_roots(const std::vector<cgroup_mount>& mounts);

struct cgroup_offer {
  std::vector<std::string> roots;  // as print_root() writes them; empty: no cgroups
  std::string text;                // for the log: what is used, or why nothing is
};

// Looks at the machine. A hierarchy in which <parent> can't be made is not offered.
cgroup_offer find_cgroups(const std::string& mountinfo_file, const std::string& parent);

}  // namespace annals::mom
