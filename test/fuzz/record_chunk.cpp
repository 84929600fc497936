// Chunks of records as the disk gives them back: refused, or every record lies within what was unpacked.
#include <cstdint>

#include "events/log/record_chunk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  annals::log::unpacked_chunk chunk;
  if (!chunk.open({reinterpret_cast<const char*>(data), size}, 1)) return 0;
  volatile unsigned sum = 0;
  for (std::uint64_t s = 1; s < chunk.end(); ++s)
    for (auto b : chunk.record(s)) sum = sum + static_cast<unsigned>(b);
  return 0;
}
