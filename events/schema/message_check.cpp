// The encoding: https://capnproto.org/encoding.html
#include "events/schema/message_check.hpp"

namespace annals::schema {
namespace {

constexpr std::uint32_t segments_max = 512;  // as Cap'n Proto's own reader has it

enum kind : unsigned {
  struct_pointer = 0,
  list_pointer = 1,
  far_pointer = 2
};  // 3: capabilities, which a file can't hold

struct segment {
  const std::uint64_t* words;
  std::uint64_t size;
};

// A pointer word, taken apart.
struct pointer {
  std::uint64_t word;
  unsigned kind_of() const { return word & 3; }
  std::int64_t offset() const { return static_cast<std::int32_t>(word) >> 2; }  // words, from behind the pointer
  std::uint64_t data_words() const { return (word >> 32) & 0xffff; }
  std::uint64_t pointers() const { return word >> 48; }
  unsigned element_size() const { return (word >> 32) & 7; }
  std::uint64_t elements() const { return word >> 35; }
  std::uint64_t tag_elements() const { return (word >> 2) & 0x3fffffff; }  // tag of a list of structs
  bool two_words() const { return word & 4; }                              // of a far pointer's landing pad
  std::uint64_t pad_offset() const { return (word >> 3) & 0x1fffffff; }
  std::uint32_t segment_id() const { return static_cast<std::uint32_t>(word >> 32); }
};

constexpr unsigned pointer_elements = 6, struct_elements = 7;
constexpr std::uint64_t element_bits[] = {0, 1, 8, 16, 32, 64};

class check {
 public:
  check(std::uint64_t budget) : budget_(budget) {}

  const char* run(std::span<const std::uint64_t> words, int nesting) {
    if (!read_table(words)) return "its segment table does not fit its length";
    if (segments_[0].size == 0) return "it has no root";
    at_pointer(segments_[0], 0, nesting);
    return wrong_;
  }

 private:
  bool read_table(std::span<const std::uint64_t> words) {
    const auto half = [&](std::uint64_t i) { return static_cast<std::uint32_t>(words[i / 2] >> (i % 2 * 32)); };
    if (words.empty() || half(0) >= segments_max - 1) return false;
    count_ = half(0) + 1;
    std::uint64_t at = count_ / 2 + 1;
    if (at > words.size()) return false;
    for (std::uint32_t s = 0; s < count_; ++s) {
      const std::uint64_t size = half(s + 1);
      if (size > words.size() - at) return false;
      segments_[s] = {words.data() + at, size};
      at += size;
    }
    return at == words.size();
  }

  bool fail(const char* why) {
    wrong_ = why;
    return false;
  }

  bool spend(std::uint64_t words) {
    if (words > budget_) return fail("it reads as more than its size allows");
    budget_ -= words;
    return true;
  }

  static bool inside(const segment& s, std::int64_t begin, std::uint64_t size) {
    return begin >= 0 && static_cast<std::uint64_t>(begin) <= s.size &&
           size <= s.size - static_cast<std::uint64_t>(begin);
  }

  bool at_pointer(const segment& s, std::uint64_t at, int nesting) {
    const pointer p{s.words[at]};
    if (p.word == 0) return true;
    if (nesting <= 0) return fail("it is nested too deeply");
    if (p.kind_of() == far_pointer) return at_far(p, nesting);
    return at_object(s, static_cast<std::int64_t>(at) + 1 + p.offset(), p, nesting);
  }

  bool at_far(const pointer& far, int nesting) {
    const std::uint64_t pad_words = far.two_words() ? 2 : 1;
    if (far.segment_id() >= count_) return fail("a pointer leads to a segment that is not there");
    const segment& s = segments_[far.segment_id()];
    const auto pad_at = static_cast<std::int64_t>(far.pad_offset());
    if (!inside(s, pad_at, pad_words)) return fail("a pointer leads outside of its segment");
    if (!spend(pad_words)) return false;
    const pointer pad{s.words[pad_at]};
    if (!far.two_words()) {
      if (pad.word == 0) return true;
      if (pad.kind_of() == far_pointer) return fail("a far pointer leads to another");
      return at_object(s, pad_at + 1 + pad.offset(), pad, nesting);
    }
    if (pad.kind_of() != far_pointer || pad.two_words() || pad.segment_id() >= count_)
      return fail("a landing pad is malformed");
    const pointer tag{s.words[pad_at + 1]};
    return at_object(segments_[pad.segment_id()], static_cast<std::int64_t>(pad.pad_offset()), tag, nesting);
  }

  bool at_object(const segment& s, std::int64_t begin, const pointer& p, int nesting) {
    if (p.kind_of() == struct_pointer) {
      const auto size = p.data_words() + p.pointers();
      if (!inside(s, begin, size)) return fail("a struct reaches outside of its segment");
      return spend(size) && pointers_at(s, static_cast<std::uint64_t>(begin) + p.data_words(), p.pointers(), nesting);
    }
    if (p.kind_of() == list_pointer) return at_list(s, begin, p, nesting);
    return fail("a pointer of a kind that has no place here");
  }

  bool at_list(const segment& s, std::int64_t begin, const pointer& p, int nesting) {
    if (p.element_size() == struct_elements) return at_structs(s, begin, p, nesting);
    const auto words =
        p.element_size() == pointer_elements ? p.elements() : (p.elements() * element_bits[p.element_size()] + 63) / 64;
    if (!inside(s, begin, words)) return fail("a list reaches outside of its segment");
    if (!spend(p.element_size() == 0 ? p.elements() : words)) return false;
    return p.element_size() != pointer_elements || pointers_at(s, static_cast<std::uint64_t>(begin), words, nesting);
  }

  bool at_structs(const segment& s, std::int64_t begin, const pointer& p, int nesting) {
    const auto words = p.elements();  // of a list of structs: its words without the tag
    if (!inside(s, begin, words + 1)) return fail("a list of structs reaches outside of its segment");
    const pointer tag{s.words[begin]};
    const auto each = tag.data_words() + tag.pointers();
    if (tag.kind_of() != struct_pointer || tag.tag_elements() * each > words)
      return fail("a list of structs is malformed");
    if (!spend(words + 1 + (each == 0 ? tag.tag_elements() : 0))) return false;
    if (tag.pointers() == 0) return true;
    --nesting;  // Cap'n Proto counts the list and the struct in it
    for (std::uint64_t i = 0, at = static_cast<std::uint64_t>(begin) + 1; i < tag.tag_elements(); ++i, at += each)
      if (!pointers_at(s, at + tag.data_words(), tag.pointers(), nesting)) return false;
    return true;
  }

  bool pointers_at(const segment& s, std::uint64_t at, std::uint64_t count, int nesting) {
    for (; count > 0; --count, ++at)
      if (!at_pointer(s, at, nesting - 1)) return false;
    return true;
  }

  segment segments_[segments_max];  // only the first count_ are set
  std::uint32_t count_ = 0;
  std::uint64_t budget_;
  const char* wrong_ = nullptr;
};

}  // namespace

const char* what_is_wrong(std::span<const std::uint64_t> words, std::uint64_t budget, int nesting) {
  return check(budget).run(words, nesting);
}

}  // namespace annals::schema
