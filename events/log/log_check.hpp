// The verification of a log, piece by piece and in bounded memory: its state can be kept, and gone on with by another
// process. Checks of each record checksum, frame, sequence, chain, times and epoch, that the index leads to it and has
// the version before it, and that the blobs it names are sound and as large as it says; then that the index has nothing
// else, and that the other tables can be read. Governed by docs/design/0029-a-damaged-log.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "events/log/check_limits.hpp"
#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

enum class check_phase : std::uint8_t { records,
                                        index,
                                        rest,
                                        done };

struct check_state {
  check_phase phase = check_phase::records;
  std::uint64_t from = 1, upto = 0;  // the records it looks at
  std::uint64_t next = 1;            // record to be read
  bool head_known = false;
  chain_hash head{};                 // of the record before `next`, if it is known
  std::int64_t wall_ns = INT64_MIN;  // of that record; INT64_MIN: not known
  std::uint64_t epoch = 0;
  std::uint64_t records = 0, blobs = 0;                // read, sound or not
  std::uint64_t entries = 0;                           // of the index
  ports::index_place place;                            // of the index to be read next
  std::string rest;                                    // position in the other tables
  std::map<std::string, std::uint64_t> missing_blobs;  // hash -> record that names it
  std::uint64_t fault_count = 0;
  std::vector<std::string> faults;  // the first of them; each names sequence and stream and what is wrong
  std::uint64_t lost_count = 0;
  std::vector<std::string> lost;  // the first of the blobs that are missing since a salvage which says so: no faults
  bool operator==(const check_state&) const = default;
};

class log_check {
 public:
  // Begins with a state, or goes on from it. `faults_max`: how many texts are kept. `blobs`: those that events name are
  // looked at, too; null, or a log that is a copy (log_copy.hpp): they are not. Both outlive it.
  log_check(const ports::record_log& log, const ports::blob_store* blobs, check_state state, std::size_t faults_max);
  // Everything up to the last record there is now.
  static check_state whole(const ports::record_log& log);

  // Does the next piece. False: all is done. `go_on` (sequence) may end the piece, and what was asked for, early.
  bool step(const std::function<bool(std::uint64_t)>& go_on = {});
  const check_state& state() const { return state_; }

 private:
  struct placed {
    ports::index_place place;
    std::uint64_t sequence;
  };
  void step_records(const std::function<bool(std::uint64_t)>& go_on);
  void step_over();
  void check(std::uint64_t sequence, schema::byte_span bytes);
  void check_order(const record& r);
  void check_places();
  void note_blobs(std::uint64_t sequence, schema::Event::Reader event);
  void check_blob(std::uint64_t sequence, const std::string& hash, std::uint64_t size);
  void lose_blob(const std::string& hash, std::uint64_t sequence);
  bool is_lost_later(const std::string& hash);
  void check_size(std::uint64_t sequence, std::uint64_t named, std::uint64_t size);
  void end_records();
  void step_index();
  void step_rest();
  void forget_head();
  void missing(std::uint64_t first, std::uint64_t end);
  ports::index_place find_in_index(std::uint64_t sequence) const;
  void fault(const std::string& text);
  void fault(std::uint64_t sequence, ports::index_place at, const std::string& text);

  const ports::record_log& log_;
  const ports::blob_store* blobs_;
  check_state state_;
  std::size_t faults_max_;
  std::vector<placed> placed_;                                  // of the records of this piece
  std::unordered_map<std::string, std::uint64_t> known_blobs_;  // and their sizes
  std::optional<std::unordered_set<std::string>> lost_later_;   // that records still to be looked at say are lost
};

}  // namespace annals::log
