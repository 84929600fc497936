// Limits of verifying a log, with reasons and relations.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace annals::limits {

// One piece of a verification: some 5 ms of work, after which its state can be kept and it can stop. Twice as many places
// of the index are looked up for it, sorted: 130 KB.
constexpr std::size_t check_slice_records = 4096;
constexpr std::size_t check_slice_entries = 4 * check_slice_records;  // of the index, which cost a fifth
constexpr std::size_t check_slice_bytes = 1u << 20;                   // of the tables that are only read through
// Blobs that were found sound lately and are not read again: 1 MB. Jobs that share a script mostly come together.
constexpr std::size_t check_known_blobs_max = 10'000;
// Blobs that are missing, until a later record says that a salvage lost them; of more the rest of the log is asked at once.
constexpr std::size_t check_missing_blobs_max = 1000;

// What a verification in the background may take of one core and of the time. 100 million records in a day leave 864 us
// for each, and 43 us of a core; test/bench/check measures what one takes.
constexpr int check_core_percent = 5;
constexpr int check_busy_percent = 25;  // of the time it reads or computes: the disk belongs to others
// A log is verified again a day after the last verification ended.
constexpr std::chrono::hours check_interval{24};
// After a kill so much is done again at most.
constexpr std::chrono::seconds check_keep_interval{30};
// Findings that are kept and told; the rest is counted. A log with more is not understood better by a longer list.
constexpr std::size_t check_findings_max = 100;
// A file of a verification's state that is longer is not one.
constexpr std::size_t check_file_bytes_max = 1u << 20;

}  // namespace annals::limits
