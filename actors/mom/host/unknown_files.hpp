// What an earlier life of this MoM left on disk and no run file tells of: a crash between two steps, and (but for temporary directories) a
// log that was begun anew. Only in directories of this MoM alone, and what has its mark in those that it shares with others.
// docs/design/0004-shepherd.md.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/mom/host/run_files.hpp"

namespace annals::mom {

// 8 hex digits that are of this MoM and its log alone: `log_uuid` is its log's.
std::string mom_mark(const std::string& log_uuid);

// Script, node and output files of jobs that are not in `jobs`.
void remove_unknown(const run_files& files, const std::set<std::string>& jobs);

struct owner {
  std::uint32_t uid = 0, gid = 0;
  auto operator<=>(const owner&) const = default;
};
// Directories "pbs.<jobid>.<mark>-..." right below `tmpdir` whose job is not in `jobs`: to be removed with their owners' rights.
// Without root's rights only our own. None if others may rename what is ours there.
std::map<owner, std::vector<std::string>> unknown_tmpdirs(const std::string& tmpdir, const std::string& mark,
                                                          const std::set<std::string>& jobs);

}  // namespace annals::mom
