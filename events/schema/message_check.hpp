// Checks that bytes are a sound Cap'n Proto message before anybody reads them: every pointer inside, no deeper and no
// larger than allowed. In one pass over the raw words (0.1 us for an event; through Cap'n Proto's own readers it was
// ten times that, most of the time of a replay).
#pragma once

#include <cstdint>
#include <span>

namespace annals::schema {

// What is wrong with the flat message in `words`, or nullptr. Counted against `budget`: every word an object covers,
// each time something points to it, and one word for each element of no size (a list may claim half a billion of
// those).
const char* what_is_wrong(std::span<const std::uint64_t> words, std::uint64_t budget, int nesting);

}  // namespace annals::schema
