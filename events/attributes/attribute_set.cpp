#include "events/attributes/attribute_set.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>

namespace annals::attributes {
namespace {

// u16 id, u8 resource length, u32 value length.
constexpr std::size_t head_size = 7;

// What stands at `at`. The bytes belong to a set, so they are well-formed.
entry entry_at(const char* at, const char** next) {
  std::uint16_t id;
  std::uint32_t length;
  std::memcpy(&id, at, 2);
  const auto resource_length = static_cast<unsigned char>(at[2]);
  std::memcpy(&length, at + 3, 4);
  const char* text = at + head_size;
  *next = text + resource_length + length;
  return {id, {text, resource_length}, {text + resource_length, length}};
}

void write_head(char* out, attribute_id id, std::size_t resource_length, std::size_t value_length) {
  const auto length = static_cast<std::uint32_t>(value_length);
  std::memcpy(out, &id, 2);
  out[2] = static_cast<char>(resource_length);
  std::memcpy(out + 3, &length, 4);
}

bool comes_before(const entry& a, attribute_id id, std::string_view resource) {
  return std::tie(a.id, a.resource) < std::tie(id, resource);
}

// Where the entry is, or where it would stand.
struct place_found {
  std::size_t at, end;
  bool exact;
};
place_found locate(std::string_view data, attribute_id id, std::string_view resource) {
  const char* at = data.data();
  const char* const end = at + data.size();
  while (at != end) {
    const char* next;
    const entry e = entry_at(at, &next);
    if (e.id >= id) {  // most are passed by their id alone
      const int order = e.id > id ? 1 : e.resource.compare(resource);
      if (order >= 0)
        return {static_cast<std::size_t>(at - data.data()), static_cast<std::size_t>((order == 0 ? next : at) - data.data()),
                order == 0};
    }
    at = next;
  }
  return {data.size(), data.size(), false};
}

// Whether the text stands in this buffer, and moves with it.
bool is_within(std::string_view buffer, std::string_view text) {
  const std::less<> before;
  return !text.empty() && !before(text.data(), buffer.data()) && before(text.data(), buffer.data() + buffer.size());
}

constexpr std::size_t two_entries = 64;

}  // namespace

// Puts a gap of `size` bytes in place of those between two places, in memory that only this set holds. The count cannot rise behind our
// back: nobody else has this shared_ptr object. A set that grows gets an eighth more than it needs, and room for two entries at least.
char* attribute_set::make_gap(std::size_t from, std::size_t to, std::size_t size) {
  const auto before = packed();
  const std::size_t left = before.size() - to, needed = from + size + left;
  const auto bytes = [this] { return reinterpret_cast<char*>(&data_[2]); };
  if (data_.use_count() == 1 && needed <= data_[1]) {
    if (to - from != size) std::memmove(bytes() + from + size, bytes() + to, left);
  } else {
    const bool grows = !before.empty() && needed > before.size();
    const std::size_t more = grows ? std::max(needed / 8, two_entries) : 0;
    const std::size_t words = (needed + more + sizeof data_[0] - 1) / sizeof data_[0];
    const auto old = std::exchange(data_, std::make_shared_for_overwrite<std::uint32_t[]>(2 + words));
    data_[1] = static_cast<std::uint32_t>(words * sizeof data_[0]);
    before.copy(bytes(), from);
    before.substr(to).copy(bytes() + from + size, left);
  }
  data_[0] = static_cast<std::uint32_t>(needed);
  return bytes() + from;
}

std::optional<std::string_view> attribute_set::get(attribute_id id, std::string_view resource) const {
  const std::string_view data = packed();
  const place_found found = locate(data, id, resource);
  if (!found.exact) return std::nullopt;
  const char* next;
  return entry_at(data.data() + found.at, &next).value;
}

bool attribute_set::has(attribute_id id) const {
  const std::string_view data = packed();
  const place_found found = locate(data, id, {});
  if (found.at == data.size()) return false;
  const char* next;
  return entry_at(data.data() + found.at, &next).id == id;
}

void attribute_set::set(attribute_id id, std::string_view resource, std::string_view value) {
  // The length of a resource name has one byte; the check of values refuses such names long before.
  if (resource.size() > 255) resource = resource.substr(0, 255);
  if (is_within(packed(), resource) || is_within(packed(), value)) return set(id, std::string(resource), std::string(value));
  const place_found found = locate(packed(), id, resource);
  char* at = make_gap(found.at, found.end, head_size + resource.size() + value.size());
  write_head(at, id, resource.size(), value.size());
  resource.copy(at + head_size, resource.size());
  value.copy(at + head_size + resource.size(), value.size());
}

bool attribute_set::erase(attribute_id id, std::string_view resource) {
  const place_found found = locate(packed(), id, resource);
  if (found.exact) make_gap(found.at, found.end, 0);
  return found.exact;
}

void attribute_set::erase_all(attribute_id id) {
  const std::size_t first = locate(packed(), id, {}).at;
  const std::size_t last =
      id == UINT16_MAX ? packed().size() : locate(packed(), static_cast<attribute_id>(id + 1), {}).at;
  if (first != last) make_gap(first, last, 0);
}

attribute_set::iterator attribute_set::begin() const { return {packed().data(), packed().data() + packed().size()}; }
attribute_set::iterator attribute_set::end() const { return {packed().data() + packed().size(), packed().data() + packed().size()}; }

std::optional<attribute_set> attribute_set::from_packed(std::string_view bytes) {
  std::optional<entry> last;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t left = bytes.size() - at;
    if (left < head_size) return std::nullopt;
    const auto resource_length = static_cast<unsigned char>(bytes[at + 2]);
    std::uint32_t value_length;
    std::memcpy(&value_length, bytes.data() + at + 3, 4);
    if (left - head_size < static_cast<std::size_t>(resource_length) + value_length) return std::nullopt;
    const char* next;
    const entry e = entry_at(bytes.data() + at, &next);
    if (last && !comes_before(*last, e.id, e.resource)) return std::nullopt;
    last = e;
    at = static_cast<std::size_t>(next - bytes.data());
  }
  attribute_set made;
  if (!bytes.empty()) bytes.copy(made.make_gap(0, 0, bytes.size()), bytes.size());
  return made;
}

void append_entry(std::string& packed, attribute_id id, std::string_view resource, std::string_view value) {
  if (resource.size() > 255) resource = resource.substr(0, 255);
  const std::size_t at = packed.size();
  packed.resize(at + head_size);
  write_head(packed.data() + at, id, resource.size(), value.size());
  packed.append(resource).append(value);
}

void attribute_set_writer::put(attribute_id id, std::string_view resource, std::string_view value) {
  append_entry(out_, id, resource, value);
}

void attribute_set::iterator::read() {
  if (at_ != end_) entry_ = entry_at(at_, &next_);
}

}  // namespace annals::attributes
