// The names in $PBS_HOME/spool that a run's output has while it runs: a job's "12.borg.OU" and a task's "12.borg.1-2.ER". Everything
// else in an order's output paths is the user's own words, and no place of ours.
//
// This file is compiled into the shepherd as well: standard library only, and as little of it as possible.
#pragma once

#include <string_view>

namespace annals::mom {

// "12.borg" of "12.borg.OU"; empty: no name of an output file.
inline std::string_view output_stem(std::string_view name) {
  return name.size() > 3 && (name.ends_with(".OU") || name.ends_with(".ER")) ? name.substr(0, name.size() - 3) : std::string_view{};
}

// The name of a file right below `spool`; empty: `path` is none.
inline std::string_view name_in_spool(std::string_view path, std::string_view spool) {
  if (path.size() <= spool.size() + 1 || !path.starts_with(spool) || path[spool.size()] != '/') return {};
  const auto name = path.substr(spool.size() + 1);
  return name.find('/') == std::string_view::npos ? name : std::string_view{};
}

// Whether `path` is one of the output files of this run.
inline bool is_spool_file_of(std::string_view path, std::string_view spool, std::string_view job_id, std::string_view key) {
  const auto stem = output_stem(name_in_spool(path, spool));
  return !stem.empty() && (stem == job_id || stem == key);
}

}  // namespace annals::mom
