// `pbs_audit replay`: the state of everything at a moment, by the same apply() that the daemons use, and a digest of it
// that two logs, two machines or two program versions can be compared by.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "events/log/log_reader.hpp"
#include "events/log/place.hpp"
#include "events/model/run/run.hpp"
#include "projections/status/status.hpp"

namespace annals::audit {

struct replayed {
  projections::status status;                      // of a server's log
  std::map<std::uint64_t, model::run_state> runs;  // of a MoM's log, by stream
  std::uint64_t sequence = 0;                      // of the last record taken in
  std::int64_t wall_ns = 0;
};

void take_in(const log::record& r, replayed& into);

// Takes in everything up to `until`, which must exist (0: nothing). Stops with what the reader said at the first record that
// can't be read. `go_on` may stop it earlier.
ports::store_status replay(const log::log_reader& reader, std::uint64_t until, replayed& into, const std::function<bool()>& go_on);

std::string digest(const replayed& state);  // SHA-256 in hexadecimal
std::string replay_text(const replayed& state);
std::string replay_json(const replayed& state);

}  // namespace annals::audit
