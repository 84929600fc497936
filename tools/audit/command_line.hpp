// What pbs_audit was asked: its words and their options, which are its --help.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace annals::audit {

enum class word : std::uint8_t { log,
                                 verify,
                                 salvage,
                                 status,
                                 accounting,
                                 job,
                                 cycle,
                                 startup,
                                 hosts,
                                 usage,
                                 efficiency,
                                 replay,
                                 hook };

struct asked {
  audit::word word = audit::word::log;
  std::string directory;
  std::string job, user, queue, since, until, from, to;
  std::vector<std::string> kinds, days, jobs, resources;
  std::string scheduler = "default";
  std::uint64_t last = 0, rerun = 0, cycle = 0;
  bool follow = false, json = false, csv = false, plot = false, by_host = false, compare = false, all = false;
};

// Nothing: go on with what was asked. A number: end, with 0 after --help or --version, else it was not understood; both were printed.
std::optional<int> read_command_line(int argc, char** argv, asked& into);

}  // namespace annals::audit
