// CRC32C of stored records and SHA-256 of chain and blobs. Private to events/log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace annals::log {

using byte_view = std::span<const std::byte>;
using sha256_digest = std::array<std::byte, 32>;

// CRC32C (Castagnoli), as iSCSI and RocksDB use it; by the processor's instruction where it has one.
std::uint32_t crc32c(byte_view bytes);
std::uint32_t crc32c_portable(byte_view bytes);  // the same by table, for other processors and to compare

sha256_digest sha256(byte_view bytes);

// SHA-256 of bytes that come in pieces.
class sha256_stream {
 public:
  sha256_stream();
  ~sha256_stream();
  void add(byte_view bytes);
  sha256_digest finish();  // once

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace annals::log
