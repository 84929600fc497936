// The folds of a server without its books, as its start joins them.
#pragma once

#include <memory>
#include <vector>

#include "actors/runtime/daemon_log.hpp"
#include "actors/server_system/server_folds.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/model/outcome.hpp"
#include "projections/status/past.hpp"

namespace annals::test {

constexpr const char* home_of_server = "/var/spool/pbs";

struct server_replica {
  log::memory_event_store index;  // of the past
  actors::daemon_log no_lines{"/dev/null", "", 0, false, true};
  actors::server_folds folds{home_of_server, std::make_shared<actors::event_notes>(no_lines)};
  std::shared_ptr<projections::past_writer> past = std::make_shared<projections::past_writer>(ports::storage(index));
  actors::replica joined = folds.joined(actors::fold_of_past(past, folds.status), {});
  actors::replica& all() { return joined; }
};

inline std::vector<log::record_ptr> all_records(const log::log_reader& of) {
  std::vector<log::record_ptr> records;
  const auto read = of.read(1, [&](const log::record_ptr& r) {
    records.push_back(r);
    return true;
  });
  ANNALS_INVARIANT(static_cast<bool>(read), read.text.c_str());
  return records;
}

}  // namespace annals::test
