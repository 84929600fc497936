// Messages on the pipe between a daemon and its worker: a u32 length, little-endian, then a flat Cap'n Proto message.
// Neither side trusts the other's length: a frame larger than agreed is garbage, and memory grows only with bytes that
// came.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "events/schema/message.hpp"

namespace annals::hooks {

std::string framed(const schema::sealed_message& message);
std::string framed(capnp::MessageBuilder& message);

class frame_reader {
 public:
  explicit frame_reader(std::size_t frame_bytes_max) : max_(frame_bytes_max) {}
  void feed(schema::byte_span bytes);
  enum class found { nothing,
                     message,
                     garbage };
  found next(schema::sealed_message& message);
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::size_t max_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace annals::hooks
