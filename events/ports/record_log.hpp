// The port to the log itself: records by global sequence, found by (stream, version), and memos (small durable values
// written with the records). It is all that must be the same wherever a server may go on: a log that is kept on several
// machines stands behind this port, while blobs and cache stay what they are.
//
// It does not know what a record means. One thread writes; any thread reads. What a reader sees is durable.
// Governed by docs/design/0036-the-store-in-three.md and 0002-event-log.md.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "events/ports/store_status.hpp"

namespace annals::ports {

// One record to be written. `bytes` is what record.hpp made: checksum, chain hash and Cap'n Proto record.
struct stored_record {
  std::uint64_t sequence = 0;
  std::uint64_t stream = 0;
  std::uint64_t stream_version = 0;
  std::vector<std::byte> bytes;
};

// A small value that is as durable as the records it is written with (the answer to a command id).
struct memo {
  std::string key;
  std::string value;
};

// What is written at once, with one sync.
struct write_batch {
  std::uint64_t epoch = 0;             // of the writer: what take() was given
  std::vector<stored_record> records;  // sequences follow the last one without a gap
  bool after_loss = false;             // but the first is higher: those between were lost, and it says so
  std::vector<memo> memos;
  std::string forget_memos_below;  // memos with a smaller key are forgotten; empty: none
  // Blobs that the records name. The log sees to it that its blob store has them when the records are there.
  std::vector<blob> blobs;
  std::vector<std::string> adopted;  // hashes of blobs that were put in pieces and are now named by a record
};

// A key of the index of streams.
struct index_place {
  std::uint64_t stream = 0;
  std::uint64_t version = 0;
  auto operator<=>(const index_place&) const = default;
};

class record_log {
 public:
  virtual ~record_log() = default;

  // The highest epoch that a writer has taken; 0: none has.
  virtual std::uint64_t epoch() const = 0;
  // Makes the caller the writer. From here on nothing is written under an earlier epoch, by whoever and wherever, not
  // even what is on its way; readers see all that was. `fenced`: this epoch, or a later one, was taken.
  virtual store_status take(std::uint64_t epoch) = 0;

  // All of the batch, synced to disk when `none` comes back; or nothing of it; or, for a log that others keep as well, it
  // is uncertain (see store_error), after a wait that gave them time to answer. `fenced` if a later epoch was taken, or if the log has
  // other records in its place. A batch that is there already, the same to the last byte, is not written again: `none`. So who is uncertain
  // repeats.
  virtual store_status append(const write_batch& batch) = 0;
  // Nothing has been written for a moment. The log may do now, beside the caller, what makes its next opening quick.
  virtual void use_quiet() {}

  // Sequence of the last record, 0 for an empty log.
  virtual std::uint64_t last_sequence() const = 0;
  // Waits until the log has a record beyond `sequence`, for `timeout` at most. Returns the sequence of its last record. A reader beside the
  // process that writes looks now and then, and sees a record some milliseconds later. What it can't read, the next read says.
  virtual std::uint64_t wait_beyond(std::uint64_t sequence, std::chrono::milliseconds timeout) const = 0;
  // Version of the stream's last record, 0 for a stream without any.
  virtual std::uint64_t last_version(std::uint64_t stream) const = 0;
  // The highest serial any record carries, 0 for an empty log.
  virtual std::uint64_t last_stream() const = 0;

  // Calls visit(sequence, bytes) for each record from `from` on, in order, until visit says false or none is left.
  // A gap in the sequences is left for the caller to see.
  using visitor = std::function<bool(std::uint64_t sequence, byte_span bytes)>;
  virtual store_status read(std::uint64_t from, const visitor& visit) const = 0;

  // The same for one stream, in the order of its versions, from version `from_version` on.
  virtual store_status read_stream(std::uint64_t stream, std::uint64_t from_version, const visitor& visit) const = 0;

  // Calls visit for each entry of the index from (stream, version) to sequence, in the order of its keys, from `from` on.
  using index_visitor = std::function<bool(std::uint64_t stream, std::uint64_t version, std::uint64_t sequence)>;
  virtual store_status read_index(const index_visitor& visit, index_place from = {}) const = 0;
  // The sequences that the index has for these places, which ascend; 0 where it has none.
  virtual store_status sequences_of(std::span<const index_place> places, std::vector<std::uint64_t>& out) const = 0;

  virtual std::optional<std::string> read_memo(std::string_view key) const = 0;
  // Reads on, from `position` ("" the beginning), in what no other function here reads through, some `bytes` of it, and
  // calls memo_visit for memos. Sets `position` to where it stands; "" again when all is read.
  using memo_visitor = std::function<void(std::string_view key, std::string_view value)>;
  virtual store_status read_rest(std::string& position, std::size_t bytes, const memo_visitor& memo_visit) const {
    (void)bytes, (void)memo_visit;
    position.clear();
    return {};
  }
};

}  // namespace annals::ports
