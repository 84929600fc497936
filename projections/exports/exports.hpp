// A fold of the server's log into the rows of tables (tables.hpp), which leave the cluster for databases and files.
//
// Promise: the same records give the same rows, whenever the fold began to see them: what it needs of records before its position it reads
// again (`notes`, and each job's stream when a record of it comes). Governed by docs/design/0070-exports.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/record.hpp"
#include "projections/exports/row.hpp"

namespace annals::exports {

// Calls visit for the records of a stream that come before a sequence, in order, until it says false. Throws when the log can't be read.
using visitor = std::function<bool(const log::record&)>;
using stream_reader = std::function<void(std::uint64_t stream, std::uint64_t before, const visitor& visit)>;

// A fold that begins behind a position learns from these first: whole streams (the server's, of hosts and reservations that there are),
// and single records.
struct fold_notes {
  std::set<std::uint64_t> streams, records;
  bool operator==(const fold_notes&) const = default;
};
std::string print_notes(const fold_notes& notes);  // "streams 1 5 9\nrecords 812\n"
// False: the text is none that print_notes made.
bool read_notes(std::string_view text, fold_notes& notes);

class export_fold {
 public:
  // `begins`: it sees the log from its first record on. A fold that goes on behind a position is given with learn() what that one's notes
  // name, in the order of the log.
  export_fold(stream_reader reader, bool begins);
  ~export_fold();

  void learn(const log::record& record);
  void fold(const log::record& record, const row_taker& take);

  std::uint64_t sequence() const;  // of the last record folded
  fold_notes notes() const;

 private:
  class parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace annals::exports
