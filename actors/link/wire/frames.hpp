// Bytes from a peer become frames: a u32 little-endian length and that many bytes of one flat Cap'n Proto message, length 0
// being a heartbeat (docs/design/0003-links.md). Promises: a length is checked before anything is kept for it, memory grows
// only with bytes that came, and a message has been walked once within its bounds before anybody sees it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "actors/link/wire/wire_limits.hpp"
#include "events/schema/message.hpp"

namespace annals::wire {

constexpr std::size_t frame_header_bytes = 4;

// The length field of a frame that carries this many bytes.
std::array<std::byte, frame_header_bytes> frame_header(std::size_t bytes);

class frame_buffer {
 public:
  explicit frame_buffer(std::size_t frame_bytes_max) : frame_bytes_max_(frame_bytes_max) {}

  // Where the next bytes of the peer go; never empty. Then filled() says how many came. Valid until the next call.
  std::span<std::byte> space();
  void filled(std::size_t bytes);
  // Nothing is expected soon: an empty buffer lets go of its memory, unless the last read says that the next is large too.
  void rest();

  // Takes the next whole frame out. After garbage (why says what is wrong) nothing more can be read.
  enum class found { nothing,
                     heartbeat,
                     message,
                     garbage };
  found next(schema::sealed_message& message, std::string& why);
  // Of garbage: the length alone is wrong, it is above the limit.
  bool too_large() const { return too_large_; }

  void clear() { begin_ = end_ = 0; }

  // Bytes that came and are not yet part of a frame taken out.
  std::size_t left() const { return end_ - begin_; }

 private:
  std::size_t frame_bytes_max_;
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0, end_ = 0;  // of what came and was not taken
  bool too_large_ = false;
  bool filled_up_ = false;  // the last read took all the space: more is waiting
  std::size_t last_read_ = 0;
};

}  // namespace annals::wire
