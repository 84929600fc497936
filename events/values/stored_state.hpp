// A state as bytes and back: what a checkpoint has of a fold. A type names its fields once, for writing and for reading:
//
//   template <class Io, class Self>
//   static void stored_fields(Io& io, Self& self) { io(self.phase_, self.jobs_); }
//
// Numbers, enums, texts, containers, optional, pair, tuple, array, variant and pointers to a value are known here. A type that is made in
// another way has `void store(stored::writer&) const` and `void restore(stored::reader&)`; both may be templates, as stored_fields is:
// a header that many include needs not include this one. A pointer is written as what it points to: two pointers to one value are two
// values afterwards. The same state gives the same bytes: keys of hash tables are sorted.
//
// What follows from the fields is not stored: `void restored()` of a type makes it anew, when they were read.
// A type that derives from one that names its fields names all of them itself. test/style/stored_fields_test.py compares the fields of a
// type with those it names.
//
// The bytes have no names and no versions: who keeps them says for which program they are (docs/design/0068-checkpoints.md). A reader
// checks every length against what is left, and throws state_unreadable.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace annals::stored {

// The bytes are no state of this type.
struct state_unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T, class Io>
concept names_fields = requires(T& value, Io& io) { std::remove_const_t<T>::stored_fields(io, value); };

class writer {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }

  void number(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out_.push_back(static_cast<char>(n | 0x80));
    out_.push_back(static_cast<char>(n));
  }
  void bytes(std::string_view b) {
    number(b.size());
    out_.append(b);
  }
  const std::string& written() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void put(const T& value);
  template <class Range>
  void all(const Range& range) {
    number(range.size());
    for (const auto& value : range) put(value);
  }
  template <class Table>
  void sorted(const Table& table) {
    std::vector<const typename Table::value_type*> in_order;
    in_order.reserve(table.size());
    for (const auto& entry : table) in_order.push_back(&entry);
    std::sort(in_order.begin(), in_order.end(), [](auto* a, auto* b) { return key(*a) < key(*b); });
    number(in_order.size());
    for (const auto* entry : in_order) put(*entry);
  }
  template <class K, class V>
  static const K& key(const std::pair<K, V>& entry) {
    return entry.first;
  }
  template <class K>
  static const K& key(const K& entry) {
    return entry;
  }

  std::string out_;
};

class reader {
 public:
  explicit reader(std::string_view bytes) : left_(bytes) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }

  std::uint64_t number() {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) throw state_unreadable("a state ends in the middle of a number");
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;
      n |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return n;
    }
    throw state_unreadable("a number of a state is too large");
  }
  // Good as long as the bytes that the reader was given.
  std::string_view bytes() {
    const auto n = number();
    if (n > left_.size()) throw state_unreadable("a state ends in the middle of a text");
    const auto b = left_.substr(0, n);
    left_.remove_prefix(n);
    return b;
  }
  // Of so many values; each has at least one byte.
  std::size_t count() {
    const auto n = number();
    if (n > left_.size()) throw state_unreadable("a state names more values than it has");
    return n;
  }
  bool at_end() const { return left_.empty(); }
  // What was read can't be: `why` says what is wrong with it.
  [[noreturn]] static void refuse(const char* why) { throw state_unreadable(why); }

 private:
  template <class T>
  void get(T& value);
  template <class T>
  T made() {
    T value{};
    get(value);
    return value;
  }
  template <class T>
  static T fitting(auto n) {
    const auto value = static_cast<T>(n);
    if (static_cast<decltype(n)>(value) != n) throw state_unreadable("a number of a state does not fit in its place");
    return value;
  }
  template <std::size_t... I, class... Alternatives>
  void chosen(std::variant<Alternatives...>& value, std::size_t index, std::index_sequence<I...>) {
    const bool known = ((index == I && (get(value.template emplace<I>()), true)) || ...);
    if (!known) throw state_unreadable("a state has an alternative that is not known");
  }

  std::string_view left_;
};

namespace shape {

// Bytes that are written as a text is: in one piece.
template <class T>
inline constexpr bool is_bytes = std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::uint8_t>>;

template <class T>
inline constexpr bool is_list = false;
template <class T, class A>
inline constexpr bool is_list<std::vector<T, A>> = true;
template <class T, class A>
inline constexpr bool is_list<std::deque<T, A>> = true;
template <class T, class A>
inline constexpr bool is_list<std::list<T, A>> = true;

template <class T>
inline constexpr bool is_set = false;
template <class... Of>
inline constexpr bool is_set<std::set<Of...>> = true;
template <class... Of>
inline constexpr bool is_set<std::multiset<Of...>> = true;
template <class T>
inline constexpr bool is_hash_set = false;
template <class... Of>
inline constexpr bool is_hash_set<std::unordered_set<Of...>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class... Of>
inline constexpr bool is_map<std::map<Of...>> = true;
template <class... Of>
inline constexpr bool is_map<std::multimap<Of...>> = true;
template <class T>
inline constexpr bool is_hash_map = false;
template <class... Of>
inline constexpr bool is_hash_map<std::unordered_map<Of...>> = true;

template <class T>
inline constexpr bool is_pointer = false;
template <class T>
inline constexpr bool is_pointer<std::shared_ptr<T>> = true;
template <class T, class D>
inline constexpr bool is_pointer<std::unique_ptr<T, D>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_tuple = false;
template <class... Of>
inline constexpr bool is_tuple<std::tuple<Of...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T, std::size_t N>
inline constexpr bool is_tuple<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... Of>
inline constexpr bool is_variant<std::variant<Of...>> = true;

template <class T>
inline constexpr bool is_unknown = false;

}  // namespace shape

template <class T>
void writer::put(const T& value) {
  if constexpr (requires { value.store(*this); }) value.store(*this);
  else if constexpr (names_fields<const T, writer>) T::stored_fields(*this, value);
  else if constexpr (shape::is_bytes<T>) bytes({reinterpret_cast<const char*>(value.data()), value.size()});
  else if constexpr (std::is_same_v<T, bool>) out_.push_back(value ? 1 : 0);
  else if constexpr (std::is_enum_v<T>) put(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    const auto wide = static_cast<std::int64_t>(value);
    number((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
  } else if constexpr (std::is_integral_v<T>) number(value);
  else if constexpr (std::is_floating_point_v<T>) {
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    char raw[sizeof bits];
    std::memcpy(raw, &bits, sizeof bits);
    out_.append(raw, sizeof raw);
  } else if constexpr (std::is_same_v<T, std::monostate>) out_.push_back(0);
  else if constexpr (std::is_same_v<T, std::vector<bool>>) {
    number(value.size());
    for (const bool b : value) put(b);
  } else if constexpr (shape::is_list<T> || shape::is_set<T> || shape::is_map<T>) all(value);
  else if constexpr (shape::is_hash_set<T> || shape::is_hash_map<T>) sorted(value);
  else if constexpr (shape::is_optional<T> || shape::is_pointer<T>) {
    put(static_cast<bool>(value));
    if (value) put(*value);
  } else if constexpr (shape::is_tuple<T>) std::apply([&](const auto&... parts) { (put(parts), ...); }, value);
  else if constexpr (shape::is_variant<T>) {
    number(value.index());
    std::visit([&](const auto& chosen) { put(chosen); }, value);
  } else static_assert(shape::is_unknown<T>, "the type says nothing of how it is stored");
}

template <class T>
void reader::get(T& value) {
  if constexpr (requires { value.restore(*this); }) value.restore(*this);
  else if constexpr (names_fields<T, reader>) {
    T::stored_fields(*this, value);
    if constexpr (requires { value.restored(); }) value.restored();
  } else if constexpr (shape::is_bytes<T>) {
    const auto b = bytes();
    value.assign(b.begin(), b.end());
  } else if constexpr (std::is_same_v<T, bool>) value = number() != 0;
  else if constexpr (std::is_enum_v<T>) value = static_cast<T>(made<std::underlying_type_t<T>>());
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    const auto n = number();
    value = fitting<T>(static_cast<std::int64_t>((n >> 1) ^ (0 - (n & 1))));
  } else if constexpr (std::is_integral_v<T>) value = fitting<T>(number());
  else if constexpr (std::is_floating_point_v<T>) {
    std::uint64_t bits = 0;
    if (left_.size() < sizeof bits) throw state_unreadable("a state ends in the middle of a number");
    std::memcpy(&bits, left_.data(), sizeof bits);
    left_.remove_prefix(sizeof bits);
    value = static_cast<T>(std::bit_cast<double>(bits));
  } else if constexpr (std::is_same_v<T, std::monostate>) (void)number();
  else if constexpr (std::is_same_v<T, std::vector<bool>>) {
    value.assign(count(), false);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = made<bool>();
  } else if constexpr (shape::is_list<T>) {
    value.clear();
    for (auto n = count(); n > 0; --n) get(value.emplace_back());
  } else if constexpr (shape::is_set<T> || shape::is_hash_set<T>) {
    value.clear();
    for (auto n = count(); n > 0; --n) value.insert(value.end(), made<typename T::value_type>());
  } else if constexpr (shape::is_map<T> || shape::is_hash_map<T>) {
    value.clear();
    for (auto n = count(); n > 0; --n) {
      auto key = made<typename T::key_type>();
      get(value.emplace_hint(value.end(), std::move(key), typename T::mapped_type{})->second);
    }
  } else if constexpr (shape::is_optional<T>) {
    value.reset();
    if (made<bool>()) get(value.emplace());
  } else if constexpr (shape::is_pointer<T>) {
    value.reset();
    if (!made<bool>()) return;
    auto pointed = std::make_unique<std::remove_const_t<typename T::element_type>>();
    get(*pointed);
    value = std::move(pointed);
  } else if constexpr (shape::is_tuple<T>) std::apply([&](auto&... parts) { (get(parts), ...); }, value);
  else if constexpr (shape::is_variant<T>) chosen(value, number(), std::make_index_sequence<std::variant_size_v<T>>());
  else static_assert(shape::is_unknown<T>, "the type says nothing of how it is restored");
}

// The whole of it, and nothing behind it.
template <class T>
void restore_whole(std::string_view from, T& value) {
  reader bytes(from);
  bytes(value);
  if (!bytes.at_end()) throw state_unreadable("a state has bytes behind its end");
}

}  // namespace annals::stored
