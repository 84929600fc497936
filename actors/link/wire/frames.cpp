#include "actors/link/wire/frames.hpp"

#include <algorithm>
#include <cstring>

namespace annals::wire {

namespace {

// Idle connections are many and keep a small buffer; a read that fills it earns a larger one, a heartbeat loses that again.
constexpr std::size_t idle_bytes = 4u << 10;
constexpr std::size_t busy_bytes = 64u << 10;

std::size_t length_at(const std::byte* p) {
  return std::to_integer<std::size_t>(p[0]) | std::to_integer<std::size_t>(p[1]) << 8 |
         std::to_integer<std::size_t>(p[2]) << 16 | std::to_integer<std::size_t>(p[3]) << 24;
}

}  // namespace

std::array<std::byte, frame_header_bytes> frame_header(std::size_t bytes) {
  return {std::byte(bytes & 0xff), std::byte(bytes >> 8 & 0xff), std::byte(bytes >> 16 & 0xff),
          std::byte(bytes >> 24 & 0xff)};
}

std::span<std::byte> frame_buffer::space() {
  if (left() == 0) {
    begin_ = end_ = 0;
    const std::size_t wanted = filled_up_                    ? busy_bytes
                               : last_read_ < idle_bytes / 2 ? idle_bytes
                                                             : std::clamp(bytes_.size(), idle_bytes, busy_bytes);
    if (bytes_.size() != wanted) {
      bytes_.resize(wanted);
      bytes_.shrink_to_fit();
    }
  } else if (bytes_.size() - end_ < bytes_.size() / 2) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, left());
    end_ -= begin_;
    begin_ = 0;
    if (bytes_.size() - end_ < bytes_.size() / 2) bytes_.resize(2 * bytes_.size());
  }
  return std::span(bytes_).subspan(end_);
}

void frame_buffer::filled(std::size_t bytes) {
  filled_up_ = bytes == bytes_.size() - end_;
  last_read_ = bytes;
  end_ += bytes;
}

void frame_buffer::rest() {
  if (left() > 0 || last_read_ >= idle_bytes / 2) return;
  begin_ = end_ = 0;
  std::vector<std::byte>().swap(bytes_);
}

frame_buffer::found frame_buffer::next(schema::sealed_message& message, std::string& why) {
  if (left() < frame_header_bytes) return found::nothing;
  const std::size_t length = length_at(bytes_.data() + begin_);
  if (length == 0) {
    begin_ += frame_header_bytes;
    return found::heartbeat;
  }
  if (length > frame_bytes_max_) {
    why = "a frame of " + std::to_string(length) + " bytes is larger than the limit of " + std::to_string(frame_bytes_max_);
    too_large_ = true;
    return found::garbage;
  }
  if (length % sizeof(std::uint64_t) != 0) {
    why = "a frame of " + std::to_string(length) + " bytes is not a multiple of 8";
    return found::garbage;
  }
  if (left() < frame_header_bytes + length) return found::nothing;
  // An honest message is walked once; twice its size leaves room for what Cap'n Proto counts extra.
  const schema::read_bounds bounds{2 * length / sizeof(std::uint64_t) + 64, limits::frame_nesting_max};
  auto read = schema::sealed_message::from_bytes({bytes_.data() + begin_ + frame_header_bytes, length}, bounds, &why);
  if (!read) {
    why = "not a message: " + why;
    return found::garbage;
  }
  begin_ += frame_header_bytes + length;
  message = std::move(*read);
  return found::message;
}

}  // namespace annals::wire
