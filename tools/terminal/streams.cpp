#include "tools/terminal/streams.hpp"

#include <algorithm>

namespace annals::terminal {

std::optional<sent_bytes::piece> sent_bytes::next(std::size_t most) {
  if (said_ == kept_.size()) return std::nullopt;
  const auto size = std::min(most, kept_.size() - said_);
  const piece p{begin_ + said_, std::string_view(kept_).substr(said_, size)};
  said_ += size;
  ever_said_ = std::max(ever_said_, begin_ + said_);
  return p;
}

bool sent_bytes::taken(std::uint64_t position) {
  if (position > ever_said_) return false;
  if (position <= begin_) return true;
  const auto size = static_cast<std::size_t>(position - begin_);
  kept_.erase(0, size);
  said_ -= std::min(said_, size);  // it may be of what was said over an earlier connection
  begin_ = position;
  return true;
}

bool sent_bytes::again_from(std::uint64_t position) {
  if (position < begin_ || !taken(position)) return false;
  said_ = 0;
  return true;
}

std::optional<std::string_view> received_bytes::take(std::uint64_t at, std::string_view bytes) {
  if (at > position_) return std::nullopt;
  const auto known = position_ - at;
  if (known >= bytes.size()) return std::string_view();
  position_ += bytes.size() - known;
  return bytes.substr(static_cast<std::size_t>(known));
}

}  // namespace annals::terminal
