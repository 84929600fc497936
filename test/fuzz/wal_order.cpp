// Write-ahead logs, whatever bytes a disk gives back: what is read of one ends, and is the same each time. The checksum of the first part
// is made to fit as well, so that what is behind it is reached.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sstream>
#include <string>

#include "events/log/checksum.hpp"
#include "events/log/wal_order.hpp"

using namespace annals;

static void use(const std::string& bytes) {
  std::istringstream once(bytes), again(bytes);
  if (log::first_in_wal(once) != log::first_in_wal(again)) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  use(bytes);
  if (size < 7) return 0;
  const auto content = std::min<std::size_t>(size - 7, static_cast<std::uint8_t>(bytes[4]) + 256u * static_cast<std::uint8_t>(bytes[5]));
  bytes[4] = static_cast<char>(content & 0xff);
  bytes[5] = static_cast<char>(content >> 8);
  const auto crc = log::crc32c(std::as_bytes(std::span(bytes).subspan(6, content + 1)));
  const auto masked = (crc >> 15 | crc << 17) + 0xa282ead8u;
  for (int i = 0; i < 4; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<char>(masked >> 8 * i);
  use(bytes);
  return 0;
}
