// The time that a cycle decides for. The cycle reads no clock: who runs it says when it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace annals::cycle {

using moment = std::int64_t;  // seconds since 1970
constexpr moment endless = INT64_MAX;

struct time_span {
  moment from, to;  // until just before it
};
inline bool is_within(std::span<const time_span> spans, moment t) {
  return std::any_of(spans.begin(), spans.end(), [&](const time_span& s) { return s.from <= t && t < s.to; });
}

}  // namespace annals::cycle
