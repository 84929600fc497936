// Reading and writing the small files of a cgroup, and finding who is in it.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace annals::mom::cgroup_files {

// What stood there; nothing if it can't be read.
std::optional<std::string> read(const std::string& path);
// A file that is there already. 0, or errno.
int write(const std::string& path, const std::string& text);

// A whole number: the file's first line, or the one behind `name` ("oom_kill 3") in a file of such lines.
std::optional<std::uint64_t> number(const std::string& path);
std::optional<std::uint64_t> number(const std::string& path, std::string_view name);

// The processes in a cgroup and in those below it. Those of another pid namespace have no number here and are left out.
std::vector<int> members(const std::string& directory);
// Sends SIGKILL to all of them. False: there was none.
bool kill_members(const std::string& directory);

// Removes a cgroup and those below it. False: somebody is still in it.
bool remove(const std::string& directory);

}  // namespace annals::mom::cgroup_files
