// A list that grows while its elements stay where they are: a cycle adds jobs to those it looks at.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace annals::cycle {

template <class T>
class stable_list {
 public:
  T& operator[](std::size_t at) { return chunks_[at / per_chunk][at % per_chunk]; }
  const T& operator[](std::size_t at) const { return chunks_[at / per_chunk][at % per_chunk]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& emplace_back() {
    if (size_ == chunks_.size() * per_chunk) chunks_.push_back(std::make_unique<T[]>(per_chunk));
    return (*this)[size_++];
  }

  class iterator {
   public:
    iterator(const stable_list& of, std::size_t at) : of_(&of), at_(at) {}
    const T& operator*() const { return (*of_)[at_]; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator& o) const { return at_ == o.at_; }

   private:
    const stable_list* of_;
    std::size_t at_;
  };
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size_}; }

 private:
  static constexpr std::size_t per_chunk = 256;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace annals::cycle
