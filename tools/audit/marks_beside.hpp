// What stands beside a server's log and knows how far the log went: the notes of its verification, its mark, the checkpoint of
// the accounting. Each is written behind the log, so marks that are read before a log is opened never know more than it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "events/log/check_notes.hpp"
#include "events/log/log_mark.hpp"
#include "projections/accounting/checkpoint_mark.hpp"

namespace annals::audit {

struct marks_beside {
  std::optional<log::check_notes> notes;
  std::optional<log::log_mark> mark;
  std::optional<projections::checkpoint_mark> accounting;
};

marks_beside read_marks_beside(const std::string& log_directory);
std::optional<projections::checkpoint_mark> read_accounting_mark(const std::string& log_directory);

// Which log it is; empty: the record that says it can't be read.
struct log_names {
  std::string name;      // log::name_of_log()
  std::string identity;  // log::identity_of()
};
log_names names_of(const ports::record_log& log);

// The accounting keeps only the beginning of a log's name.
bool is_of(const projections::checkpoint_mark& mark, const std::string& name);

// The last record that marks of this log know of. A log that does not say which it is may be that of any mark.
std::uint64_t known_sequence(const marks_beside& marks, const log_names& own);

}  // namespace annals::audit
