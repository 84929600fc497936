// `pbs_audit salvage`: copies all that is sound out of a damaged log of a server into a new one, and accounts for the rest.
//
// Sequences stay what they were; LogRecordLost stands where a record is missing. A job is kept up to the first hole in its
// stream, and held; of other objects what follows a hole is kept, since each change says what is so from then on. LogSalvaged
// ends it: job numbers and serials of streams go on above all that lost records can have given.
// Governed by docs/design/0029-a-damaged-log.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/audit/marks_beside.hpp"

namespace annals::audit {

struct salvage_order {
  std::string from, to, scratch;  // `to` must not exist; scratch: a private directory
  std::string account;            // file that is written
  std::string host;               // this one
  std::int64_t now_ns = 0;
  marks_beside beside;                           // `from`
  std::map<std::uint64_t, std::string> refused;  // records that no server could take in, and why
};

struct salvage_result {
  std::string trouble;  // it could not be done; else the counts
  std::uint64_t kept = 0, lost = 0, left_out = 0, cut_streams = 0, held_jobs = 0, lost_blobs = 0;
  bool whole() const { return lost + left_out + cut_streams + lost_blobs == 0; }
};

salvage_result salvage(const salvage_order& order);

}  // namespace annals::audit
