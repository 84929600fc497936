#include "actors/link/wire/outgoing.hpp"

#include "actors/link/wire/frames.hpp"

namespace annals::wire {

namespace {

// Copying a message up to this size costs less than a piece of its own in the system call.
constexpr std::size_t small_bytes = 4u << 10;
// A batch fills a socket's buffer; more would only be copied earlier.
constexpr std::size_t batch_bytes = 256u << 10;
constexpr std::size_t batch_parts = 64;

}  // namespace

void outgoing::take(std::vector<schema::sealed_message>& messages) {
  queue_.clear();
  queue_.swap(messages);
  next_ = first_ = 0;
}

void outgoing::take_heartbeat() {
  static constexpr std::byte heartbeat[frame_header_bytes] = {};
  parts_.assign(1, boost::asio::buffer(heartbeat));
  at_ = 0;
}

void outgoing::gather() {
  for (; first_ < next_; ++first_) queue_[first_] = {};  // written: let go of the memory
  parts_.clear();
  gathered_.clear();
  at_ = 0;
  // Pieces point into gathered_, so it gets its size before the first of them.
  std::size_t end = next_, total = 0, gathered = 0, parts = 0;
  for (; end < queue_.size() && total < batch_bytes && parts < batch_parts; ++end) {
    const std::size_t size = queue_[end].bytes().size();
    total += frame_header_bytes + size;
    gathered += frame_header_bytes + (size <= small_bytes ? size : 0);
    parts += size <= small_bytes ? 0 : 2;
  }
  gathered_.reserve(gathered);
  std::size_t piece = 0;
  const auto end_piece = [&] {
    if (gathered_.size() > piece) parts_.emplace_back(gathered_.data() + piece, gathered_.size() - piece);
    piece = gathered_.size();
  };
  for (; next_ < end; ++next_) {
    const auto body = queue_[next_].bytes();
    const auto header = frame_header(body.size());
    gathered_.insert(gathered_.end(), header.begin(), header.end());
    if (body.size() <= small_bytes) {
      gathered_.insert(gathered_.end(), body.begin(), body.end());
    } else {
      end_piece();
      parts_.emplace_back(body.data(), body.size());
    }
  }
  end_piece();
}

std::span<const boost::asio::const_buffer> outgoing::parts() {
  if (at_ == parts_.size()) gather();
  return std::span<const boost::asio::const_buffer>(parts_).subspan(at_);
}

void outgoing::wrote(std::size_t bytes) {
  while (at_ < parts_.size() && bytes >= parts_[at_].size()) bytes -= parts_[at_++].size();
  if (bytes > 0) parts_[at_] += bytes;
  if (!empty()) return;
  queue_.clear();
  next_ = first_ = 0;
  if (gathered_.capacity() > small_bytes) std::vector<std::byte>().swap(gathered_);  // idle connections are many
}

}  // namespace annals::wire
