// Jobs that a command line has named: who is named again, alone or in a range of subjobs, is not asked for again (pbs guide: qdel).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "events/values/job_indices.hpp"

namespace annals::client {

class named_jobs {
 public:
  // `id` is whole: "12.q1", "12[].q1", "12[3-9].q1". False: all of it was named before.
  bool add(std::string_view server, std::string_view id);

 private:
  struct named {
    bool whole = false;
    std::vector<values::index_range> subjobs;
  };
  std::map<std::tuple<std::string, std::uint64_t, bool>, named> jobs_;  // by server, number, and whether it is an array
};

}  // namespace annals::client
