// The subjobs of an array that a server tells its scheduler of: each comes once, as often as one begins anew.
#include "actors/scheduler/cycle/subjobs.hpp"

#include <functional>

#include "test/fuzz/round_trip.hpp"

using namespace annals;

namespace {

constexpr std::size_t most = 1000;

std::vector<std::uint32_t> first_of(cycle::subjob_list& list) {
  std::vector<std::uint32_t> found;
  for (list.rewind(); !list.empty() && !list.at_end() && found.size() < most; list.pop()) found.push_back(list.front());
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  cycle::subjob_list list(text);
  const auto found = first_of(list);
  fuzz::require(found == first_of(list), "begun anew they are others", text);
  fuzz::require(list.empty() == found.empty(), "it is empty and has some", text);
  const bool rise = std::is_sorted(found.begin(), found.end(), std::less_equal<>());  // as a server writes them
  if (rise && found.size() < most)
    for (const auto index : found) fuzz::require(list.has(index), "it has none that it gave", text);
  return 0;
}
