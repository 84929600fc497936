// Which records made what there is: the fold behind the index of the past (past.hpp). A stream counts while something of it is left; of its
// records are kept those without which it would be folded to something else. Of jobs that have ended they are in a row_file.
// Governed by docs/design/0008-status.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/log/record.hpp"
#include "events/values/stored_state.hpp"
#include "projections/rows/row_file.hpp"
#include "projections/status/status.hpp"

namespace annals::projections {

class past_records {
 public:
  // A later record of the same class makes one superfluous.
  enum class entry_class : std::uint8_t { plain,
                                          reasons,
                                          reason_began,
                                          estimate,
                                          usage,
                                          cycle,
                                          hook_run };
  struct entry {
    std::uint64_t sequence = 0;
    entry_class what = entry_class::plain;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.sequence, self.what);
    }
  };
  struct stream {
    schema::StreamKind kind = schema::StreamKind::JOB;
    std::uint64_t number = 0;    // of a job
    std::vector<entry> entries;  // rising
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.kind, self.number, self.entries);
    }
  };

  // `now` has just folded the record. Throws row_unreadable, as each().
  void fold(const log::record& record, const status& now);
  std::size_t size() const { return streams_.size() + ended_.size(); }
  void each(const std::function<void(std::uint64_t serial, const stream& s)>& visit) const;

  // Rows of jobs that have ended: in memory, until it is told of a file.
  row_file& ended_rows() { return ended_; }
  // All that was folded, for a checkpoint. ended_rows() says what else belongs to it, and what follows a restore.
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.streams_, self.ended_);
  }

 private:
  stream& stream_to_change(std::uint64_t serial, schema::StreamKind kind);
  void put_aside(std::uint64_t serial);
  void note_reason(std::uint64_t job, std::uint64_t sequence, const status& now);
  void note_reasons(const log::record& record, const status& now);
  std::vector<entry>* entries_of_waiting(std::uint64_t job, const status& now);  // nullptr: it does not wait
  static void keep_last_reason(std::vector<entry>& entries);
  static void drop_last(std::vector<entry>& entries, entry_class what);
  static void add(stream& to, const log::record& record);

  std::unordered_map<std::uint64_t, stream> streams_;  // by serial; those that still have something, but for ended jobs
  row_file ended_;                                     // of these, by serial
};

}  // namespace annals::projections
