// The attributes of one object, packed into one buffer: what job, queue, node, server and scheduler states keep, and
// what a stat reply carries. A value: copies share the buffer until one of them is changed.
//
// An entry is (attribute id, resource, value text); entries are sorted by id, then by resource. Layout of an entry:
//   u16 id, u8 resource length, u32 value length, resource bytes, value bytes     (little-endian, unaligned)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace annals::attributes {

using attribute_id = std::uint16_t;

struct entry {
  attribute_id id;
  std::string_view resource;  // empty for plain attributes
  std::string_view value;
};

class attribute_set {
 public:
  attribute_set() = default;
  std::optional<std::string_view> get(attribute_id id, std::string_view resource = {}) const;
  bool has(attribute_id id) const;                                               // any resource
  void set(attribute_id id, std::string_view resource, std::string_view value);  // replaces
  void set(attribute_id id, std::string_view value) { set(id, {}, value); }
  bool erase(attribute_id id, std::string_view resource = {});
  void erase_all(attribute_id id);  // every resource of it
  bool empty() const { return packed().empty(); }

  class iterator;
  iterator begin() const;
  iterator end() const;

  std::string_view packed() const {
    return data_ ? std::string_view(reinterpret_cast<const char*>(&data_[2]), data_[0]) : std::string_view();
  }
  // Nothing if the bytes are no well-formed, sorted list.
  static std::optional<attribute_set> from_packed(std::string_view bytes);
  bool operator==(const attribute_set& other) const { return packed() == other.packed(); }
  // events/values/stored_state.hpp
  void store(auto& to) const { to.bytes(packed()); }
  void restore(auto& from) {
    auto set = from_packed(from.bytes());
    if (!set) from.refuse("a set of attributes is no sorted list");
    *this = std::move(*set);
  }

 private:
  char* make_gap(std::size_t from, std::size_t to, std::size_t size);

  // How many bytes it has, for how many there is room, and the bytes: one piece of memory with the count of those that share it. There are
  // many sets, and a string in between would cost 48 bytes more. Copied on write; null: empty.
  std::shared_ptr<std::uint32_t[]> data_;
};

// Appends entries in ascending order without searching: for building rows quickly.
class attribute_set_writer {
 public:
  void put(attribute_id id, std::string_view resource, std::string_view value);
  void put(attribute_id id, std::string_view value) { put(id, {}, value); }
  std::string take() { return std::move(out_); }
  std::string& buffer() { return out_; }

 private:
  std::string out_;
};

class attribute_set::iterator {
 public:
  iterator(const char* at, const char* end) : at_(at), end_(end) { read(); }
  const entry& operator*() const { return entry_; }
  const entry* operator->() const { return &entry_; }
  iterator& operator++() {
    at_ = next_;
    read();
    return *this;
  }
  bool operator!=(const iterator& other) const { return at_ != other.at_; }

 private:
  void read();
  const char* at_;
  const char* end_;
  const char* next_ = nullptr;
  entry entry_{};
};

}  // namespace annals::attributes
