// What can be kept of the records that were found, and under which version; see salvage.hpp for the rules. First every
// record is learned, then each is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::audit {

struct stream_plan {
  schema::StreamKind kind = schema::StreamKind::JOB;
  std::string name;                    // "job 12.borg", "queue workq"; empty: the record that says it is lost
  std::uint64_t last = 0;              // version that was learned last
  std::uint64_t kept_to = UINT64_MAX;  // a job: up to this version
  std::uint64_t written = 0;           // version in the new log
  bool began = false;                  // its first record is there
  bool holes = false;                  // a version between two is missing
  std::uint64_t last_sequence = 0;     // of what is kept
  char state = 'Q';                    // of a job: Q waits, R has a run, E exiting, F finished
  std::vector<std::uint64_t> lost;     // sequences known to have been of it
  std::vector<std::string> left_out;   // "#830 JobEnded"
  bool hole() const { return holes || kept_to != UINT64_MAX || !lost.empty() || !left_out.empty(); }
};

// From which sequence on, up to this record, nothing that is missing is a damage: the record's own, or, where it says that what
// was before it was lost (docs/design/0028-lost-logs.md), the first of those.
std::uint64_t begin_of_known(const log::record& r);

class salvage_plan {
 public:
  explicit salvage_plan(const std::map<std::uint64_t, std::string>& refused) : refused_(refused) {}

  void learn(const log::record& r);
  void learn_index(std::uint64_t stream, std::uint64_t version, std::uint64_t sequence);
  void learn_end(std::uint64_t sequence) { end_ = std::max(end_, sequence); }
  void learn_number(std::uint64_t number) { next_number_ = std::max(next_number_, number + 1); }
  // Everything is learned. `doubtful_end`: more may be lost behind the last record that anybody knows.
  void settle(bool doubtful_end);

  // Why a record that was found is left out; empty: it is kept.
  std::string why_not(const log::record& r);
  std::uint64_t stream_of_lost(std::uint64_t sequence) const;

  std::uint64_t last_sequence() const { return end_; }
  std::uint64_t known_records() const { return end_ - skipped_; }
  std::uint64_t lost() const { return lost_; }
  std::uint64_t next_number() const { return next_number_ + lost_; }     // each may have been a submission
  std::uint64_t log_stream() const { return last_stream_ + lost_ + 1; }  // or begun a stream
  std::map<std::uint64_t, stream_plan>& streams() { return streams_; }
  // May have lost records that nobody can name.
  bool in_doubt(const stream_plan& s) const { return s.kind == schema::StreamKind::JOB && s.state != 'F' && s.last_sequence < doubt_to_; }
  using ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // first, last
  const ranges& gaps() const { return gaps_; }

 private:
  void learn_job(stream_plan& s, const log::record& r);
  bool vnodes_exist(const log::record& r) const;
  void note_vnodes(const log::record& r);

  const std::map<std::uint64_t, std::string>& refused_;
  std::map<std::uint64_t, stream_plan> streams_;
  std::map<std::uint64_t, std::uint64_t> indexed_;            // lost sequence -> its stream
  std::map<std::string, std::uint64_t, std::less<>> vnodes_;  // -> their host, of what is kept
  ranges gaps_;
  std::uint64_t next_ = 1, end_ = 0, last_stream_ = 0, next_number_ = 0, lost_ = 0, doubt_to_ = 0;
  std::uint64_t skipped_ = 0;  // sequences that accepted losses passed over
};

}  // namespace annals::audit
