// Packed bytes of outside: nothing larger than agreed comes of them, and what comes of them packs to the same message.
#include "events/schema/packed.hpp"

#include <algorithm>

#include "test/fuzz/round_trip.hpp"

using namespace annals;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t bytes_max = 1 << 16;
  const auto message = schema::unpacked(std::as_bytes(std::span(data, size)), bytes_max);
  if (!message) return 0;
  fuzz::require(message->bytes().size() <= bytes_max + 4096, "larger than agreed", "the message");
  const auto packed = schema::packed(*message);
  const auto again = schema::unpacked(std::as_bytes(std::span(packed)), bytes_max);
  fuzz::require(again && std::ranges::equal(again->bytes(), message->bytes()), "it packs to another message", "the message");
  return 0;
}
