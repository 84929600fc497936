// What a hook's process sends: frames, then the check that comes before anybody believes them. Whatever passes can be
// read to its end.
#include "hooks-runtime/protocol/frames.hpp"
#include "hooks-runtime/protocol/reply_check.hpp"
#include "test/fuzz/round_trip.hpp"

using namespace annals;
using namespace annals::hooks;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  frame_reader reader(1 << 16);
  reader.feed(std::as_bytes(std::span(data, size)));
  schema::sealed_message message;
  std::size_t left = reader.left();
  while (reader.next(message) == frame_reader::found::message) {
    fuzz::require(reader.left() < left, "a frame of no bytes", "the frame");
    left = reader.left();
    const auto from = message.root<protocol::FromWorker>();
    if (!is_sound(from) || !from.isReply()) continue;
    const auto copy = schema::copy_of<protocol::Reply>(from.getReply());
    fuzz::require(copy.get().getVerdict() <= protocol::Verdict::ERROR, "a verdict that is not the worker's",
                  "the reply");
    fuzz::require(copy.get().getChanges().size() == from.getReply().getChanges().size(), "the copy differs",
                  "the reply");
  }
  return 0;
}
