// Rows that are seldom looked at, out of memory: in a file without a name, which is gone with its process. A row costs seven bytes of
// memory. Who has them can make them anew from the log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/values/dense_map.hpp"

namespace annals::projections {

// The file can't be read: the text says which one and why.
struct scratch_unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class scratch_rows {
 public:
  // Once, before there are rows: they are in a file in this directory; otherwise, and those that can't be written because the disk is full,
  // in memory. Why not, if no such file can be made; empty: it is.
  std::string use_directory(const std::string& directory);

  std::size_t size() const { return places_.size(); }
  bool contains(std::uint64_t key) const { return places_.contains(key); }
  void put(std::uint64_t key, std::string_view row);  // in place of what was there
  // Throws scratch_unreadable. Nothing: there is none.
  std::optional<std::string> get(std::uint64_t key) const;
  void erase(std::uint64_t key);
  values::dense_numbers::cursor begin() const { return places_.begin(); }  // for their keys, in order

  std::uint64_t bytes_on_disk() const;  // as the file system counts them

 private:
  bool write(std::uint64_t at, std::string_view row) const;
  void count(std::uint64_t at, std::size_t size, int by);
  void let_go(std::uint64_t place);

  // Where a row is: its first byte in the file, and in the low 24 bits its size. All ones: in memory.
  values::dense_numbers places_;
  std::map<std::uint64_t, std::string> in_memory_;
  class descriptor {
   public:
    explicit descriptor(int fd = -1) : fd_(fd) {}
    ~descriptor();
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
      std::swap(fd_, other.fd_);
      return *this;
    }
    int get() const { return fd_; }

   private:
    int fd_;
  };
  descriptor file_;
  std::string directory_;
  std::uint64_t end_ = 0;            // of what is written
  std::vector<std::uint32_t> used_;  // how many rows each stretch of the file has something of: one without any is given back to the disk
};

}  // namespace annals::projections
