// Whatever a peer sends: the frame parser answers with frames or with garbage, never reads beyond what came, and gives the
// same answer however the bytes are cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "actors/link/wire/frames.hpp"

namespace {

using annals::wire::frame_buffer;

// The frames of the input when it comes in pieces of `step` bytes, in one text.
std::string parsed(std::span<const std::byte> data, std::size_t step) {
  frame_buffer buffer(1 << 16);
  std::string seen;
  while (!data.empty()) {
    const auto space = buffer.space();
    const std::size_t n = std::min({space.size(), data.size(), step});
    std::memcpy(space.data(), data.data(), n);
    buffer.filled(n);
    data = data.subspan(n);
    while (true) {
      annals::schema::sealed_message message;
      std::string why;
      const auto what = buffer.next(message, why);
      if (what == frame_buffer::found::nothing) break;
      if (what == frame_buffer::found::garbage) return seen + "garbage: " + why;
      seen += what == frame_buffer::found::heartbeat ? std::string("heartbeat ") : std::to_string(message.bytes().size()) + " ";
    }
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if (parsed(bytes, size) != parsed(bytes, 3)) std::abort();
  return 0;
}
