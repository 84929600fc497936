// The index of the past: checkpoints of the log, from which questions about a past moment are answered without folding all of
// it. A checkpoint names the records that made what was there at its sequence, and who held what on the vnodes; the answer is
// the fold of those records, and of all records from the checkpoint to the asked moment, by the code that folds the live state.
//
// A cache in the event store (events/log/snapshots.hpp): losing any or all of it changes nothing but time, and whoever folds
// the whole log makes it anew. Governed by docs/design/0008-status.md.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "events/log/record.hpp"
#include "events/log/snapshots.hpp"
#include "events/schema/past.capnp.h"
#include "projections/scratch/scratch_rows.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

// How far apart checkpoints are.
struct checkpoint_spacing {
  std::uint64_t records_min = 10'000;   // so many are read to reach a moment between two: 5 ms
  std::uint64_t bytes_per_record = 32;  // by so much the index grows, before compression: where much is alive they are rarer
};

struct checkpoint {
  std::uint64_t sequence = 0;
  schema::sealed<schema::PastCheckpoint> content;
};

// The last checkpoint at or before `sequence`; nothing when there is none, or none that is sound.
std::optional<checkpoint> checkpoint_before(const log::snapshot_store& index, std::uint64_t sequence);
std::vector<std::pair<std::string, model::vnode_use>> uses_of(schema::PastCheckpoint::Reader content);

// Makes the index. Fed with every record of the log from the first on, in order; what the index has already is not made again.
class past_writer {
 public:
  explicit past_writer(ports::storage store, checkpoint_spacing spacing = {});
  // What is known of jobs that have ended is in a file in this directory, which has no name; without it, in memory. Why not; empty: it is.
  std::string keep_ended_in(const std::string& directory) { return ended_.use_directory(directory); }
  // `now` has just folded the record. Throws scratch_unreadable.
  void fold(const log::record& record, const status& now);

 private:
  // What a later record of the same class makes superfluous.
  enum class entry_class : std::uint8_t { plain,
                                          reasons,
                                          reason_began,
                                          estimate,
                                          usage,
                                          cycle,
                                          hook_run };
  struct entry {
    std::uint64_t sequence;
    entry_class what;
  };
  struct stream {
    schema::StreamKind kind;
    std::uint64_t number = 0;
    std::vector<entry> entries;
  };

  void note(const log::record& record, const status& now);
  stream& stream_to_change(std::uint64_t serial, schema::StreamKind kind);
  void put_aside(std::uint64_t serial);
  stream ended_job(const std::string& row) const;
  void note_reason(std::uint64_t job, std::uint64_t sequence, const status& now);
  void note_reasons(const log::record& record, const status& now);
  std::vector<entry>* entries_of_waiting(std::uint64_t job, const status& now);  // nullptr: it does not wait
  static void keep_last_reason(std::vector<entry>& entries);
  static void drop_last(std::vector<entry>& entries, entry_class what);
  void add(stream& to, const log::record& record);
  void close(const log::record& record, const status& now);
  schema::sealed<schema::PastCheckpoint> content(std::uint64_t sequence, const status& now) const;

  log::snapshot_store index_;
  std::vector<std::uint64_t> made_;                    // sequences of all checkpoints, rising
  std::unordered_map<std::uint64_t, stream> streams_;  // by serial; those that still have something, but for ended jobs
  scratch_rows ended_;                                 // of these, by serial: number and entries
  checkpoint_spacing spacing_;
  std::uint64_t next_;  // the next checkpoint is made here
};

}  // namespace annals::projections
