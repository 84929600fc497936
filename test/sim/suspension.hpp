// Which jobs the server believes to stand still, and whether their processes do: a fold of its log.
//
// The rule: some moments after a job was suspended, or stopped for the load of a host, all its processes are stopped, those too that began
// meanwhile; after it was resumed and no host stops it, or if none of this ever was, none is. It holds while all hear the server; a job
// that is to end goes on, so that it can.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "events/log/record.hpp"
#include "events/values/program_key.hpp"

namespace annals::sim {

class suspended_jobs {
 public:
  void fold(const log::record& record);
  // "", or what is wrong with a living process of this run.
  std::string fault(const values::run_key& run, bool stopped, std::int64_t began_ns, std::int64_t now_ns) const;

 private:
  struct job {
    std::string id;
    std::uint32_t run = 0;
    bool by_hand = false;
    std::set<std::string> loaded;  // hosts that stop it
  };
  struct belief {
    bool suspended;
    std::int64_t since_ns;
  };
  std::map<std::uint64_t, job> jobs_;       // by stream
  std::map<values::run_key, belief> runs_;  // none: anything may be
};

}  // namespace annals::sim
