// Records of one batch, compressed together: what the RocksDB store keeps as one value. Records that are written at one
// time are much alike (a storm of submissions), so together they take a fraction of what each takes alone, in the
// write-ahead log as on disk.
//
// Bytes of a chunk, integers little-endian (docs/design/0002-event-log.md):
//   0  u32  how the rest is stored: 0 as it is, 1 LZ4
//   4  u32  size of the rest when unpacked
//   8  ...  for each record u32 size and its bytes
// The chunk's key is the sequence of its first record; the others follow without a gap. Private to events/log.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/ports/event_store.hpp"

namespace annals::log {

// A reader of one record unpacks its whole chunk: no more than takes some 30 us. A larger record is a chunk of its own.
constexpr std::size_t chunk_bytes_max = 64u << 10;

// How many of the records, from the first on, make one chunk.
std::size_t chunk_length(std::span<const ports::stored_record> records);
std::string pack_chunk(std::span<const ports::stored_record> records);

class unpacked_chunk {
 public:
  // False: the bytes are no chunk.
  bool open(std::string_view packed, std::uint64_t first_sequence);
  bool has(std::uint64_t sequence) const { return sequence >= first_ && sequence < end(); }
  std::uint64_t begin() const { return first_; }
  std::uint64_t end() const { return first_ + records_.size(); }  // the sequence behind its last
  ports::byte_span record(std::uint64_t sequence) const { return records_[sequence - first_]; }

 private:
  bool find_records();

  std::uint64_t first_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<ports::byte_span> records_;  // within bytes_
};

}  // namespace annals::log
