#include "events/log/record_chunk.hpp"

#include <lz4.h>

#include <cstring>

#include "events/model/limits.hpp"
#include "events/model/outcome.hpp"

namespace annals::log {
namespace {

constexpr std::size_t header_bytes = 8, size_bytes = 4;
constexpr std::uint32_t stored = 0, lz4 = 1;
// What a header may claim: a chunk of many small records, or of one that is as large as an event may be, with its
// frame.
constexpr std::size_t unpacked_bytes_max = chunk_bytes_max + limits::event_bytes_max + (64u << 10);

std::uint32_t number_at(const void* from) {
  std::uint32_t n;
  std::memcpy(&n, from, sizeof n);
  return n;
}

void add_number(std::string& to, std::size_t n) {
  const auto small = static_cast<std::uint32_t>(n);
  to.append(reinterpret_cast<const char*>(&small), sizeof small);
}

}  // namespace

std::size_t chunk_length(std::span<const ports::stored_record> records) {
  std::size_t bytes = 0, n = 0;
  for (; n < records.size(); ++n) {
    bytes += size_bytes + records[n].bytes.size();
    if (n > 0 && bytes > chunk_bytes_max) break;
  }
  return n;
}

std::string pack_chunk(std::span<const ports::stored_record> records) {
  std::string raw;
  for (const auto& r : records) {
    add_number(raw, r.bytes.size());
    raw.append(reinterpret_cast<const char*>(r.bytes.data()), r.bytes.size());
  }
  ANNALS_INVARIANT(raw.size() <= unpacked_bytes_max, "a record fits in a chunk");
  std::string out;
  add_number(out, lz4);
  add_number(out, raw.size());
  out.resize(header_bytes + static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  const int packed = LZ4_compress_default(raw.data(), out.data() + header_bytes, static_cast<int>(raw.size()),
                                          static_cast<int>(out.size() - header_bytes));
  if (packed > 0 && static_cast<std::size_t>(packed) < raw.size()) {
    out.resize(header_bytes + static_cast<std::size_t>(packed));
    return out;
  }
  out.clear();
  add_number(out, stored);
  add_number(out, raw.size());
  return out + raw;
}

bool unpacked_chunk::open(std::string_view packed, std::uint64_t first_sequence) {
  records_.clear();
  first_ = first_sequence;
  if (packed.size() < header_bytes) return false;
  const auto how = number_at(packed.data()), size = number_at(packed.data() + 4);
  const auto rest = packed.substr(header_bytes);
  if (size > unpacked_bytes_max) return false;
  bytes_.resize(size);
  if (how == stored) {
    if (rest.size() != size) return false;
    std::memcpy(bytes_.data(), rest.data(), size);
  } else if (how == lz4) {
    const int got = LZ4_decompress_safe(rest.data(), reinterpret_cast<char*>(bytes_.data()),
                                        static_cast<int>(rest.size()), static_cast<int>(size));
    if (got < 0 || static_cast<std::uint32_t>(got) != size) return false;
  } else {
    return false;
  }
  return find_records();
}

bool unpacked_chunk::find_records() {
  for (std::size_t at = 0; at < bytes_.size();) {
    if (bytes_.size() - at < size_bytes) return false;
    const auto size = number_at(bytes_.data() + at);
    at += size_bytes;
    if (size > bytes_.size() - at) return false;
    records_.emplace_back(bytes_.data() + at, size);
    at += size;
  }
  return !records_.empty();
}

}  // namespace annals::log
