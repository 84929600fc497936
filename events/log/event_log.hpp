// The event log of one process: one writer over an event_store. It gives each event its sequence, stream version, times
// and place in the hash chain, gathers appends into one batch with one sync, remembers command ids, and verifies.
//
// One thread calls the writing functions (the log writer actor); readers (log_reader) may be used by any thread.
// Governed by docs/design/0002-event-log.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "events/log/record.hpp"
#include "events/ports/clock.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// What an actor wants written: all of the events on one stream, or none.
struct append {
  std::uint64_t stream = 0;                // 0: a new stream; its serial comes back
  schema::StreamKind kind = schema::StreamKind::JOB;
  std::uint64_t expected_version = 0;      // of the stream, as the actor saw it
  std::vector<model::event> events;
  who by;
  std::string command_id;                  // empty: not remembered
  std::string answer;                      // kept beside the command id, returned to a repeat
  std::uint64_t cause = 0;
  std::vector<ports::blob> blobs;          // named by the events, written in the same batch
};

struct staged { std::uint64_t stream; std::uint64_t version; std::uint64_t last_sequence; };
struct version_conflict { std::uint64_t actual; };
struct repeated { std::string answer; std::uint64_t sequence; };  // this command id was done before

// Reads a log that somebody else (or nobody) writes.
class log_reader {
 public:
  explicit log_reader(const ports::event_store& store) : store_(&store) {}
  using visitor = std::function<bool(const record_ptr&)>;   // false: enough
  // Damage is reported with the sequence and what to run; a record is never skipped.
  ports::store_status read(std::uint64_t from, const visitor& visit) const;
  ports::store_status read_stream(std::uint64_t stream, std::uint64_t from_version, const visitor& visit) const;
  const ports::event_store& store() const { return *store_; }

 private:
  const ports::event_store* store_;
};

struct verify_report {
  std::uint64_t records = 0;
  std::vector<std::string> faults;         // each names sequence, stream and what is wrong
  bool ok() const { return faults.empty(); }
};
// Checksums, chain, gapless sequences, gapless versions per stream, blobs that events name (unless forgotten).
verify_report verify(const ports::event_store& store, std::uint64_t from = 1);

class event_log {
 public:
  // Reads the tail (the last record, and the command ids of the last 24 hours). Throws log_damaged when the tail is
  // damaged: the message names the sequence and says to run `pbs_audit verify`.
  event_log(ports::event_store& store, const ports::clock& clock);

  // Puts an append into the next batch. Versions count what is staged before it.
  std::variant<staged, version_conflict, repeated> stage(append what);

  // Events of the next batch as they will be written, in order, for the ledger's check: the last append only.
  // Takes the last staged append back (the ledger refused it).
  void unstage_last();
  const std::vector<record_ptr>& staged_records() const { return staged_records_; }

  // Writes and syncs what is staged. On `none` the records are durable and returned in order; on disk_full nothing is
  // kept and the stage is emptied; on any other error the process must stop.
  ports::store_status commit(std::vector<record_ptr>& committed);

  std::uint64_t last_sequence() const { return last_sequence_; }      // durable
  std::uint64_t epoch() const { return epoch_; }
  chain_hash head() const { return head_; }
  std::size_t staged_bytes() const { return staged_bytes_; }

 private:
  // The helper types live in event_log.cpp; see there.
  struct pending;
  ports::event_store& store_;
  const ports::clock& clock_;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t next_stream_ = 1;
  std::uint64_t epoch_ = 1;
  std::int64_t last_wall_ns_ = 0;
  chain_hash head_{};
  std::vector<record_ptr> staged_records_;
  std::size_t staged_bytes_ = 0;
};

}  // namespace annals::log
