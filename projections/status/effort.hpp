// Bounds the work for one part of a long answer, so that others are answered between two parts. Governed by
// docs/design/0064-finished-jobs.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace annals::projections {

class effort {
 public:
  // As much as it takes to make so many rows of 1 KB, or to read so many rows of the history.
  explicit effort(std::size_t rows) : left_(rows > SIZE_MAX / row ? SIZE_MAX : rows * row) {}
  static effort without_end() { return effort(SIZE_MAX); }

  bool is_left() const { return left_ > 0; }
  void looked(std::size_t objects = 1) { take(objects); }  // at objects in memory
  void read() { take(row); }                               // a row of the history
  void made(std::size_t bytes) { take(std::max(row, bytes / bytes_per_unit)); }
  // A row of so many bytes that is put together from many places: of a vnode.
  void composed(std::size_t bytes) { take(std::max(composed_row, bytes / bytes_per_unit)); }

 private:
  static constexpr std::size_t row = 32, composed_row = 3 * row, bytes_per_unit = 1024 / row;
  void take(std::size_t n) { left_ -= std::min(n, left_); }
  std::size_t left_;
};

}  // namespace annals::projections
