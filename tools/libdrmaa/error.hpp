// What goes wrong in DRMAA: thrown inside the library, answered as a number and a diagnosis at its border.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "tools/libdrmaa/include/drmaa.h"

namespace annals::drmaa {

struct error {
  int code;          // DRMAA_ERRNO_
  std::string text;  // empty: the number's own
};

// PBS's error number as DRMAA's.
int code_of(int pbs_error);

// Cut to `size` bytes with the final 0; nothing for a null buffer.
inline void put(std::string_view text, char* into, std::size_t size) {
  if (!into || size == 0) return;
  const auto length = std::min(text.size(), size - 1);
  std::memcpy(into, text.data(), length);
  into[length] = '\0';
}

// Runs work(); answers its number. No exception leaves the library.
template <class Work>
int guarded(char* diagnosis, std::size_t size, Work&& work) noexcept {
  try {
    work();
    put("", diagnosis, size);
    return DRMAA_ERRNO_SUCCESS;
  } catch (const error& e) {
    put(e.text.empty() ? std::string_view(drmaa_strerror(e.code)) : std::string_view(e.text), diagnosis, size);
    return e.code;
  } catch (const std::bad_alloc&) {
    put("out of memory", diagnosis, size);
    return DRMAA_ERRNO_NO_MEMORY;
  } catch (const std::exception& e) {
    put(e.what(), diagnosis, size);
    return DRMAA_ERRNO_INTERNAL_ERROR;
  }
}

}  // namespace annals::drmaa
