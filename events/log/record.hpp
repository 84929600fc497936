// One event as the log keeps it: Cap'n Proto bytes with a checksum and a link in a hash chain.
//
// Bytes of a stored record, all integers little-endian (docs/design/0002-event-log.md):
//   0  u32  CRC32C of everything behind it
//   4  u32  format of this frame, 1
//   8  32   chain hash of the record before it (zeros for the first)
//   40 ...  schema::Record, one flat Cap'n Proto message
// The chain hash of a record is SHA-256 over its bytes from offset 8 on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "events/model/outcome.hpp"
#include "events/schema/event.hpp"
#include "events/schema/message.hpp"

namespace annals::log {

using chain_hash = std::array<std::byte, 32>;

struct who {
  std::string user;
  std::string host;
  schema::Role role = schema::Role::SERVER;
};

// What stands around an event in its record.
struct record_meta {
  std::uint64_t sequence = 0;
  std::uint64_t stream = 0;
  std::uint64_t version = 0;  // within the stream, from 1
  std::uint64_t epoch = 0;
  std::int64_t wall_ns = 0;
  std::int64_t raw_ns = 0;
  who by;
  std::string command_id;  // 16 bytes or empty
  std::uint64_t cause = 0;
  std::uint64_t stepped_at = 0;  // sequence of the last ClockSteppedBack before it
  std::vector<schema::sealed<schema::HookRun>> hooks;
};

// A record that was read or just committed; shared by all who follow the log, never changed.
class record {
 public:
  record(schema::sealed<schema::Record> message, const chain_hash& previous)
      : message_(std::move(message)), root_(message_.get()), previous_(previous) {}
  schema::Record::Reader get() const { return root_; }
  schema::Event::Reader event() const { return get().getEvent(); }
  schema::StreamKind kind() const { return event().which(); }
  std::uint64_t sequence() const { return get().getSequence(); }
  schema::byte_span message() const { return message_.bytes(); }
  const chain_hash& previous() const { return previous_; }  // chain hash of the record before it
  chain_hash hash() const;                                  // its own; computed at each call (about 0.5 us)

 private:
  schema::sealed<schema::Record> message_;
  schema::Record::Reader root_;  // into message_; finding it costs as much as reading several fields
  chain_hash previous_;
};
using record_ptr = std::shared_ptr<const record>;

struct damage {
  std::string text;
};  // what is wrong with the bytes: checksum, frame format, Cap'n Proto, unknown event

struct encoded_record {
  std::vector<std::byte> bytes;
  record_ptr decoded;
  chain_hash hash{};
};
encoded_record encode(const record_meta& meta, const model::event& event, const chain_hash& previous);

// The bytes of a record whose schema::Record is this flat message, and its chain hash.
struct framed_message {
  std::vector<std::byte> bytes;
  chain_hash hash{};
};
framed_message frame(schema::byte_span message, const chain_hash& previous);

// The same record behind another one, and with another version in its stream.
encoded_record encode_behind(const record& r, std::uint64_t version, const chain_hash& previous);

// Checks checksum, frame, Cap'n Proto and that the event is one this program knows. The chain is checked by whoever
// knows the record before (record::previous).
std::variant<record_ptr, damage> decode(schema::byte_span bytes);

// SHA-256 of bytes as 32 raw bytes: the name of a blob.
std::string content_hash(schema::byte_span bytes);

}  // namespace annals::log
