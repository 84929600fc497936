// The index of the past: checkpoints of the log, from which questions about a past moment are answered without folding all of
// it. A checkpoint names the records that made what was there at its sequence, and who held what on the vnodes; the answer is
// the fold of those records, and of all records from the checkpoint to the asked moment, by the code that folds the live state.
//
// A cache in the event store (events/log/snapshots.hpp): losing any or all of it changes nothing but time, and whoever folds
// the whole log makes it anew. Governed by docs/design/0008-status.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/log/record.hpp"
#include "events/log/snapshots.hpp"
#include "events/schema/past.capnp.h"
#include "projections/status/past_records.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

// So many records behind a restored state the index is made up for what it lacks. Few: a server that is often restarted must come to it.
constexpr std::uint64_t records_of_a_start = 1'000;

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

// The checkpoints that the index has.
struct made_checkpoints {
  std::vector<std::uint64_t> sequences;  // rising
  std::uint64_t due = 0;                 // where the next one is to be made
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.sequences, self.due);
  }
};

// Makes the index. Fed with every record of the log from the first on, or from that behind a restored state, in order; what the index has
// already is not made again.
class past_writer {
 public:
  explicit past_writer(ports::storage store, checkpoint_spacing spacing = {});
  // To be restored from a checkpoint before the first record behind it is folded.
  past_records& records() { return records_; }
  // The records are restored and follow all up to `sequence`. What the index lacks is not made up for at once: a start would wait for it.
  void go_on_behind(std::uint64_t sequence) {
    made_.due = std::max(made_.due, sequence + std::min(spacing_.records_min, records_of_a_start));
  }
  // As row_file::use_directory, for jobs that have ended.
  std::string keep_ended_in(const std::string& directory) { return records_.ended_rows().use_directory(directory); }
  // `now` has just folded the record. Throws row_unreadable.
  void fold(const log::record& record, const status& now);

 private:
  void close(const log::record& record, const status& now);
  schema::sealed<schema::PastCheckpoint> content(std::uint64_t sequence, const status& now) const;

  log::snapshot_store index_;
  made_checkpoints made_;
  past_records records_;
  checkpoint_spacing spacing_;
  std::uint64_t next_ = 0;  // made_ is asked here what is to be done
};

}  // namespace annals::projections
