// `pbs_audit accounting`: the accounting files beside a server's log against the lines that the log leads to, and those lines
// written to files anew. Governed by docs/design/0012-accounting.md.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "events/log/rocksdb_event_store.hpp"

namespace annals::audit {

struct accounting_days {
  std::size_t days = 0, lines = 0;       // looked at, or written
  std::vector<std::string> differences;  // one line per day
  std::string being_written;             // the day whose file the server writes on; "": none
  std::string trouble;                   // why it came to no end; "": it did
};

// Compares the files, line for line. Beside a live server lines behind its checkpoint may be still to come. `days`: only
// these; none: all.
accounting_days check_accounting(log::audit_store& store, const std::string& log_directory, const std::set<std::string>& days,
                                 const std::function<bool()>& go_on);

// Writes the files of all or these days into a directory, which must not exist.
accounting_days rebuild_accounting(const log::audit_store& store, const std::string& log_directory, const std::string& into,
                                   const std::set<std::string>& days, const std::function<bool()>& go_on);

}  // namespace annals::audit
