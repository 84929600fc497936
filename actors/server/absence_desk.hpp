// When the runs of a host that is down are given up. A fold of the log that knows which hosts are down and since when; what
// becomes of each job its own rules say (events/model/job_reports.cpp). Source: pbs guide, node_fail_requeue.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/site.hpp"

namespace annals::actors {

class absence_desk {
 public:
  void fold(const log::record& record);
  // The server is there from now on. What a host did while nobody could hear it is not held against it.
  void begin(std::int64_t now_ns) { began_ns_ = now_ns; }

  // Names of the hosts whose runs are to be given up now; one that stays away is named again after a while, for a run that
  // came late or could not be told.
  std::vector<std::string> given_up(std::int64_t now_ns, const model::site& site);
  // When given_up is to be called if nothing is folded before; nothing: no host is down, or their runs wait for ever.
  std::optional<std::int64_t> next_ns(const model::site& site) const;

 private:
  struct absence { std::int64_t since_ns; std::int64_t told_ns = 0; };
  std::int64_t due_ns(const absence& a, std::int64_t patience_ns) const;

  std::int64_t began_ns_ = 0;
  std::map<std::uint64_t, std::string> names_;      // by stream
  std::map<std::uint64_t, absence> absent_;
};

}  // namespace annals::actors
