// Maps from numbers that lie close together, as those of jobs and of streams do: a key costs a byte, where a hash table takes forty. In
// order of the keys. dense_map has values of any kind; in dense_numbers they are numbers that lie close together, too, and cost a byte
// or two. A value is moved about when its neighbours come and go: nobody may keep a pointer to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace annals::values {

// What both have in common. Column: the values of a block, as a vector has them.
template <class Column>
class dense_blocks {
 protected:
  static constexpr std::uint64_t keys_per_block = 256;
  static std::uint8_t low(std::uint64_t key) { return static_cast<std::uint8_t>(key % keys_per_block); }

  struct block {
    std::vector<std::uint8_t> lows;  // rising
    Column values;                   // of them
    bool operator==(const block&) const = default;
    template <class Io, class Self>
    static void stored_fields(Io& io, Self& self) {
      io(self.lows, self.values);
    }
    std::size_t place(std::uint8_t l) const {
      return static_cast<std::size_t>(std::lower_bound(lows.begin(), lows.end(), l) - lows.begin());
    }
    bool has(std::size_t at, std::uint8_t l) const { return at < lows.size() && lows[at] == l; }
    void insert(std::size_t at, std::uint8_t l, typename Column::value_type value) {
      if (lows.size() == lows.capacity()) grow();
      lows.insert(lows.begin() + static_cast<std::ptrdiff_t>(at), l);
      values.insert(at, std::move(value));
    }
    // By a quarter: a block that is full has no room to spare.
    void grow() {
      const auto room = std::min<std::size_t>(keys_per_block, lows.size() + lows.size() / 4 + 4);
      lows.reserve(room);
      values.reserve(room);
    }
  };
  using blocks = std::map<std::uint64_t, block>;  // by key / keys_per_block

  struct found {
    const block* in = nullptr;  // null: there is none
    std::size_t at = 0;
  };
  found look_up(std::uint64_t key) const {
    const auto at = blocks_.find(key / keys_per_block);
    if (at == blocks_.end()) return {};
    const auto place = at->second.place(low(key));
    return at->second.has(place, low(key)) ? found{&at->second, place} : found{};
  }

 public:
  using value_type = typename Column::value_type;
  bool operator==(const dense_blocks&) const = default;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(std::uint64_t key) const { return look_up(key).in != nullptr; }

  // In place of what was there.
  void put(std::uint64_t key, value_type value) {
    auto& b = blocks_[key / keys_per_block];
    const auto place = b.place(low(key));
    if (b.has(place, low(key))) return b.values.set(place, std::move(value));
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
    b.values.erase(place);
    if (b.lows.empty()) blocks_.erase(at);
    --size_;
    return true;
  }

  void store(auto& to) const { to(blocks_); }
  void restore(auto& from) {
    from(blocks_);
    size_ = 0;
    for (const auto& [key, b] : blocks_) {
      const bool rises = std::ranges::adjacent_find(b.lows, std::greater_equal()) == b.lows.end();
      if (b.lows.empty() || !rises || b.values.size() != b.lows.size())
        from.refuse("a block of a map has other keys than values");
      size_ += b.lows.size();
    }
  }

  // Goes through them in order of the keys, while they are not changed.
  class cursor {
   public:
    cursor() = default;  // at no key
    explicit operator bool() const { return block_ != end_; }
    std::uint64_t key() const { return block_->first * keys_per_block + block_->second.lows[place_]; }
    decltype(auto) value() const { return block_->second.values.at(place_); }
    void next() {
      if (++place_ < block_->second.lows.size()) return;
      ++block_;
      place_ = 0;
    }

   private:
    friend class dense_blocks;
    using block_iterator = typename blocks::const_iterator;
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
  blocks blocks_;
  std::size_t size_ = 0;
};

template <class Value>
class plain_column {
 public:
  using value_type = Value;
  bool operator==(const plain_column&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.values_);
  }
  std::size_t size() const { return values_.size(); }
  const Value& at(std::size_t i) const { return values_[i]; }
  void set(std::size_t i, Value value) { values_[i] = std::move(value); }
  void insert(std::size_t i, Value value) { values_.insert(values_.begin() + static_cast<std::ptrdiff_t>(i), std::move(value)); }
  void erase(std::size_t i) { values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(i)); }
  void reserve(std::size_t n) { values_.reserve(n); }

 private:
  std::vector<Value> values_;
};

// Of each number what it is above the least, in as many bytes as the greatest needs.
class packed_column {
 public:
  using value_type = std::uint64_t;
  bool operator==(const packed_column& other) const {
    if (size() != other.size()) return false;
    for (std::size_t i = 0; i < size(); ++i)
      if (at(i) != other.at(i)) return false;
    return true;
  }
  std::uint64_t at(std::size_t i) const {
    std::uint64_t above = 0;
    for (unsigned b = 0; b < width_; ++b) above |= std::uint64_t{bytes_[i * width_ + b]} << (8 * b);
    return least_ + above;
  }
  void set(std::size_t i, std::uint64_t value) {
    make_fit(value);
    write(i, value);
  }
  void insert(std::size_t i, std::uint64_t value) {
    if (bytes_.empty()) least_ = value;
    make_fit(value);
    bytes_.insert(place(i), width_, 0);
    write(i, value);
  }
  void erase(std::size_t i) { bytes_.erase(place(i), place(i + 1)); }
  void reserve(std::size_t n) { bytes_.reserve(n * width_); }
  std::size_t size() const { return bytes_.size() / width_; }

  void store(auto& to) const { to(width_, least_, bytes_); }
  void restore(auto& from) {
    from(width_, least_, bytes_);
    if (width_ < 1 || width_ > sizeof least_ || bytes_.size() % width_ != 0)
      from.refuse("packed numbers of a state have no width");
  }

 private:
  std::vector<std::uint8_t>::iterator place(std::size_t i) { return bytes_.begin() + static_cast<std::ptrdiff_t>(i * width_); }
  static std::uint8_t width_of(std::uint64_t above) {
    std::uint8_t width = 1;
    while (width < sizeof above && above >> (8 * width) != 0) ++width;
    return width;
  }

  void make_fit(std::uint64_t value) {
    const auto least = std::min(least_, value);
    std::uint64_t most = std::max(value, least_);
    if (least == least_ && width_of(most - least) <= width_) return;
    for (std::size_t i = 0; i < size(); ++i) most = std::max(most, at(i));
    packed_column wider;
    wider.least_ = least;
    wider.width_ = width_of(most - least);
    wider.reserve(std::max(bytes_.capacity() / width_, size() + 1));
    wider.bytes_.resize(size() * wider.width_);
    for (std::size_t i = 0; i < size(); ++i) wider.write(i, at(i));
    *this = std::move(wider);
  }
  void write(std::size_t i, std::uint64_t value) {
    const auto above = value - least_;
    for (unsigned b = 0; b < width_; ++b) bytes_[i * width_ + b] = static_cast<std::uint8_t>(above >> (8 * b));
  }

  std::vector<std::uint8_t> bytes_;  // of each number the lowest first
  std::uint64_t least_ = 0;
  std::uint8_t width_ = 1;
};

template <class Value>
class dense_map : public dense_blocks<plain_column<Value>> {
 public:
  bool operator==(const dense_map&) const = default;
  // Null: there is none.
  const Value* find(std::uint64_t key) const {
    const auto found = this->look_up(key);
    return found.in ? &found.in->values.at(found.at) : nullptr;
  }
  Value* find(std::uint64_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // Of a key that is there.
  const Value& at(std::uint64_t key) const { return *find(key); }
  Value& at(std::uint64_t key) { return *find(key); }
};

class dense_numbers : public dense_blocks<packed_column> {
 public:
  bool operator==(const dense_numbers&) const = default;
  // Nothing: there is none.
  std::optional<std::uint64_t> find(std::uint64_t key) const {
    const auto found = look_up(key);
    return found.in ? std::optional(found.in->values.at(found.at)) : std::nullopt;
  }
  // Of a key that is there.
  std::uint64_t at(std::uint64_t key) const { return *find(key); }
};

}  // namespace annals::values
