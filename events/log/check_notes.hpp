// What is known of the verifications of a log, as a file beside it: what the last whole one found, and how far the present
// one is, so that a restart goes on with it. Lines "name value", the last one a checksum of those before; a file that is
// torn or of another log counts as none. Losing it costs one verification.
// Governed by docs/design/0029-a-damaged-log.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/log_check.hpp"

namespace annals::log {

struct check_result {
  std::int64_t began_ns = 0, ended_ns = 0;
  std::uint64_t upto = 0;  // records 1 to this one, and all beside them
  std::uint64_t records = 0, blobs = 0;
  std::uint64_t fault_count = 0;
  std::vector<std::string> faults;  // at most limits::check_findings_max
  std::uint64_t lost_count = 0;     // blobs that a salvage lost and said so
  std::vector<std::string> lost;    // as many texts at most
  bool operator==(const check_result&) const = default;
};

struct check_notes {
  std::string log;                   // name_of_log()
  std::optional<check_result> last;  // the last one that ended
  std::int64_t began_ns = 0;         // of the present one
  std::optional<check_state> present;
  bool operator==(const check_notes&) const = default;
};

// Which log it is: the chain hash of its first record in hexadecimal; "" when that can't be read.
std::string name_of_log(const ports::record_log& log);

std::string print(const check_notes& notes);
std::optional<check_notes> parse_check_notes(std::string_view text);

// The file of a log's directory: "views/log_check" beside it.
std::string check_notes_file(const std::string& log_directory);
// Nothing: no such file, or none that is sound.
std::optional<check_notes> read_check_notes(const std::string& file);
// Replaces the file. What could not be done, or "".
std::string keep_check_notes(const std::string& file, const check_notes& notes);

}  // namespace annals::log
