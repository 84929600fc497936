// A map from numbers that lie close together, as those of jobs and of streams do: a key costs a byte, where a hash table takes forty.
// In order of the keys. A value is moved about when its neighbours come and go: nobody may keep a pointer to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace annals::values {

template <class Value>
class dense_map {
  static constexpr std::uint64_t keys_per_block = 256;
  static std::uint8_t low(std::uint64_t key) { return static_cast<std::uint8_t>(key % keys_per_block); }

  struct block {
    std::vector<std::uint8_t> lows;  // rising
    std::vector<Value> values;       // of them
    bool operator==(const block&) const = default;
    std::size_t place(std::uint8_t l) const {
      return static_cast<std::size_t>(std::lower_bound(lows.begin(), lows.end(), l) - lows.begin());
    }
    bool has(std::size_t at, std::uint8_t l) const { return at < lows.size() && lows[at] == l; }
    void insert(std::size_t at, std::uint8_t l, Value value) {
      if (lows.size() == lows.capacity()) grow();
      lows.insert(lows.begin() + static_cast<std::ptrdiff_t>(at), l);
      values.insert(values.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
    }
    // By a quarter: a block that is full has no room to spare.
    void grow() {
      const auto room = std::min<std::size_t>(keys_per_block, lows.size() + lows.size() / 4 + 4);
      lows.reserve(room);
      values.reserve(room);
    }
  };

 public:
  bool operator==(const dense_map&) const = default;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(std::uint64_t key) const { return find(key) != nullptr; }

  // Null: there is none.
  const Value* find(std::uint64_t key) const {
    const auto at = blocks_.find(key / keys_per_block);
    if (at == blocks_.end()) return nullptr;
    const auto place = at->second.place(low(key));
    return at->second.has(place, low(key)) ? &at->second.values[place] : nullptr;
  }
  Value* find(std::uint64_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // Of a key that is there.
  const Value& at(std::uint64_t key) const { return *find(key); }
  Value& at(std::uint64_t key) { return *find(key); }

  // In place of what was there.
  void put(std::uint64_t key, Value value) {
    auto& b = blocks_[key / keys_per_block];
    const auto place = b.place(low(key));
    if (b.has(place, low(key))) {
      b.values[place] = std::move(value);
      return;
    }
    b.insert(place, low(key), std::move(value));
    ++size_;
  }

  // False: there was none.
  bool erase(std::uint64_t key) {
    const auto at = blocks_.find(key / keys_per_block);
    if (at == blocks_.end()) return false;
    auto& b = at->second;
    const auto place = b.place(low(key));
    if (!b.has(place, low(key))) return false;
    b.lows.erase(b.lows.begin() + static_cast<std::ptrdiff_t>(place));
    b.values.erase(b.values.begin() + static_cast<std::ptrdiff_t>(place));
    if (b.lows.empty()) blocks_.erase(at);
    --size_;
    return true;
  }

  // Goes through them in order of the keys, while they are not changed.
  class cursor {
   public:
    cursor() = default;  // at no key
    explicit operator bool() const { return block_ != end_; }
    std::uint64_t key() const { return block_->first * keys_per_block + block_->second.lows[place_]; }
    const Value& value() const { return block_->second.values[place_]; }
    void next() {
      if (++place_ < block_->second.lows.size()) return;
      ++block_;
      place_ = 0;
    }

   private:
    friend class dense_map;
    using block_iterator = typename std::map<std::uint64_t, block>::const_iterator;
    cursor(block_iterator block, block_iterator end, std::size_t place) : block_(block), end_(end), place_(place) {}
    block_iterator block_{}, end_{};
    std::size_t place_ = 0;
  };
  // At the first key that is not below this one.
  cursor from(std::uint64_t key) const {
    auto at = blocks_.lower_bound(key / keys_per_block);
    if (at == blocks_.end() || at->first > key / keys_per_block) return {at, blocks_.end(), 0};
    const auto place = at->second.place(low(key));
    return place < at->second.lows.size() ? cursor{at, blocks_.end(), place} : cursor{std::next(at), blocks_.end(), 0};
  }
  cursor begin() const { return from(0); }
  // At the last key that is below this one.
  cursor before(std::uint64_t key) const {
    auto at = blocks_.upper_bound(key / keys_per_block);
    for (; at != blocks_.begin();) {
      --at;
      const auto place = at->first == key / keys_per_block ? at->second.place(low(key)) : at->second.lows.size();
      if (place > 0) return {at, blocks_.end(), place - 1};
    }
    return {};
  }

 private:
  std::map<std::uint64_t, block> blocks_;  // by key / keys_per_block
  std::size_t size_ = 0;
};

}  // namespace annals::values
