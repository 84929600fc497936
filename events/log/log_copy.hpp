// The copy of a log that another process writes. It takes that log's records as they are, believes each only when it has looked at it, and
// writes down what follows what it has. It never writes a record of its own, and its store's epoch is that of the records in it: who writes
// to the copy as a server would is noticed as another writer. Blobs and answers to command ids do not come along.
//
// One thread. Governed by docs/design/0069-the-feed.md.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "events/log/record.hpp"
#include "events/ports/event_store.hpp"

namespace annals::log {

// Whether a log was begun as a copy: scripts, hooks' files and policies are not in it.
bool is_copy(const ports::record_log& log);
// For whoever looks for such a file in a copy.
inline constexpr const char* copy_has_no_blobs =
    "this log is a follower's copy, and only the server's has scripts, hooks' files and policies";
// The memo by which a copy is known.
bool is_memo_of_copy(std::string_view key);

class log_copy {
 public:
  // Verifies the end of what is there. Throws log_damaged: it can't be gone on with, or it is no copy. The store outlives this.
  explicit log_copy(ports::record_log& store);

  const std::string& identity() const { return identity_; }          // of the log that it is of; empty: no record has said it yet
  std::uint64_t last_sequence() const { return durable_.sequence; }  // durable
  const chain_hash& head() const { return durable_.head; }           // of that record; zeros: there is none

  // Takes the bytes of the next record. Returns the record, or what is wrong with it; then it was not taken.
  std::variant<record_ptr, damage> take(schema::byte_span bytes);
  std::size_t taken_bytes() const { return taken_bytes_; }  // that are not durable yet

  // Writes and syncs what was taken. `committed` is what is durable now, in order; with another status than `none` it may be less than what
  // was taken, and the rest is forgotten.
  ports::store_status commit(std::vector<record_ptr>& committed);

 private:
  struct position {
    std::uint64_t sequence = 0, epoch = 0;
    chain_hash head{};
  };
  struct taken_batch {
    ports::write_batch batch;  // of one writer, with a loss before its first record at most
    std::vector<record_ptr> records;
    position end;
  };
  void find_end();
  std::string why_not_next(const record& r) const;
  void stage(const record_ptr& r, schema::byte_span bytes);
  ports::store_status write(taken_batch& b);

  ports::record_log& store_;
  std::string identity_;
  bool is_marked_;
  position durable_, tip_;  // tip: with what was taken
  std::vector<taken_batch> taken_;
  std::size_t taken_bytes_ = 0;
};

}  // namespace annals::log
