// Places in the lists of a view: of its vnodes, hosts, queues, jobs and requests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace annals::cycle {

using index = std::uint32_t;
constexpr index none = UINT32_MAX;

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};
using name_index = std::unordered_map<std::string, index, text_hash, std::equal_to<>>;

}  // namespace annals::cycle
