// `pbs_audit status`: how large a log is, and what its server's verification in the background has found
// (events/log/check_notes.hpp), and where a start would begin (actors/replica/checkpoint.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actors/replica/checkpoint.hpp"
#include "events/log/check_notes.hpp"

namespace annals::audit {

struct log_status {
  std::string directory;
  std::uint64_t last_sequence = 0;
  std::int64_t last_ns = 0;  // of the last record; 0: none, or it can't be read
  std::uintmax_t bytes = 0, files = 0;
  std::optional<log::check_notes> notes;              // none: no verification is known of this log
  std::optional<actors::checkpoint_head> checkpoint;  // the last one of a server; none: it has none
  bool sound() const {
    return !notes || ((!notes->last || notes->last->fault_count == 0) && (!notes->present || notes->present->fault_count == 0));
  }
};

log_status status_of(const ports::event_store& store, const std::string& directory);
std::string status_text(const log_status& s);
std::string status_json(const log_status& s);

}  // namespace annals::audit
