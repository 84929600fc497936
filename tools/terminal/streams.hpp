// The two halves of a stream of bytes that outlives its connections: positions count from the session's beginning, what the other end
// has not taken is kept and said again, and what comes twice is dropped. Pure. docs/design/0059-interactive-jobs.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::terminal {

class sent_bytes {
 public:
  // Keeps so many bytes that were not taken.
  explicit sent_bytes(std::size_t most) : most_(most) {}
  std::size_t room() const { return most_ - kept_.size(); }
  void add(std::string_view bytes) { kept_.append(bytes.substr(0, room())); }

  struct piece {
    std::uint64_t at;
    std::string_view bytes;  // until the next call
  };
  // What is to be said next, at most so much of it. Nothing: all has been said.
  std::optional<piece> next(std::size_t most);
  // The other end has all up to here. False: that was never said.
  bool taken(std::uint64_t position);
  // Over a new connection, whose other end has all up to here. False: it has what was never said, or lacks what is kept no more.
  bool again_from(std::uint64_t position);
  bool all_taken() const { return kept_.empty(); }

 private:
  std::size_t most_;
  std::string kept_;
  std::uint64_t begin_ = 0;  // position of the first byte that is kept
  std::size_t said_ = 0;     // of those that are kept
  std::uint64_t ever_said_ = 0;
};

class received_bytes {
 public:
  // What is new of this piece. Nothing: something before it is missing.
  std::optional<std::string_view> take(std::uint64_t at, std::string_view bytes);
  std::uint64_t position() const { return position_; }

 private:
  std::uint64_t position_ = 0;
};

}  // namespace annals::terminal
