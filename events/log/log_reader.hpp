// Reading a log: typed records from a store, and the verification of a whole log. Any thread; needs no writer.
// Governed by docs/design/0002-event-log.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/outcome.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// Reads a log that somebody else (or nobody) writes. A follower subscribes by reading from its position on; what is
// committed later comes from the log writer, or from the next read.
class log_reader {
 public:
  explicit log_reader(const ports::record_log& records, const ports::blob_store* blobs = nullptr) : records_(&records), blobs_(blobs) {}
  explicit log_reader(const ports::event_store& both) : log_reader(both, &both) {}
  using visitor = std::function<bool(const record_ptr&)>;  // false: enough
  // Damage (also a gap that no accepted loss explains, or a record that stands in another's place) is reported with the sequence and what
  // to run; a record is never skipped.
  ports::store_status read(std::uint64_t from, const visitor& visit) const;
  ports::store_status read_stream(std::uint64_t stream, std::uint64_t from_version, const visitor& visit) const;
  const ports::record_log& records() const { return *records_; }
  // What the records name; only of a reader that was given them.
  const ports::blob_store& blobs() const {
    ANNALS_INVARIANT(blobs_, "who reads blobs was given them");
    return *blobs_;
  }

 private:
  const ports::record_log* records_;
  const ports::blob_store* blobs_;
};

struct verify_report {
  std::uint64_t records = 0;  // read, sound or not
  std::uint64_t blobs = 0;
  chain_hash head{};                // of the last record
  std::vector<std::string> faults;  // each names sequence, stream and what is wrong; at most faults_max
  std::uint64_t lost_count = 0;
  std::vector<std::string> lost;  // blobs that a salvage lost and said so: no faults; at most faults_max
  bool ok() const { return faults.empty(); }
};
constexpr std::size_t faults_max = 1000;  // a log with more is not understood better by a longer list

// Checksums, chain, gapless sequences, gapless versions per stream, the index of streams, and blobs that events name, with
// their sizes (unless forgotten). With from > 1 only the records from there on, nothing of index and blobs.
// `progress` (sequence) may stop it by answering false.
verify_report verify(const ports::event_store& store, std::uint64_t from = 1,
                     const std::function<bool(std::uint64_t)>& progress = {});
// The same without blobs, for a start: what a lost one means is for those who need it, and the log is sound without it.
verify_report verify_records(const ports::record_log& log, std::uint64_t from);

// What every report of damage ends with.
inline constexpr const char* what_to_run = "; run `pbs_audit verify` on the log and restore it from a copy";

}  // namespace annals::log
