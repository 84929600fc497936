// What the standard C++ library's headers need from its binary part, for a link against musl, which has no such part.
// There are no exceptions in this program: what would throw ends it.
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
[[noreturn]] void end() { std::abort(); }
}  // namespace

void* operator new(std::size_t size) {
  void* const p = std::malloc(size ? size : 1);
  if (!p) end();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace std {
void __throw_bad_alloc() { end(); }
void __throw_bad_array_new_length() { end(); }
void __throw_bad_optional_access() { end(); }
void __throw_length_error(const char*) { end(); }
void __throw_logic_error(const char*) { end(); }
void __throw_out_of_range_fmt(const char*, ...) { end(); }
void __glibcxx_assert_fail(const char*, int, const char*, const char*) noexcept { end(); }
}  // namespace std
