// resource_group from any bytes: there is always a tree, its percentages are numbers, and shares of the whole add up to it.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "actors/scheduler/cycle/share_tree.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace annals::cycle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<group_complaint> wrong;
  share_tree tree(text, 5, &wrong);
  const auto own = tree.vertices().size();
  if (own < 2) std::abort();
  tree.add_unknown("somebody else");
  tree.finish();
  for (std::size_t v = 1; v < tree.vertices().size(); ++v) {
    const auto& vertex = tree.vertices()[v];
    if (vertex.parent >= v || !std::isfinite(vertex.percentage) || vertex.depth > share_tree::depth_max + 1) std::abort();
  }
  const share_usage usage(tree, std::vector<double>(tree.vertices().size(), 3));
  for (share_index v = 0; v < tree.vertices().size(); ++v)
    if (!(usage.usage(v) >= 1) || std::isnan(usage.ratio(v)) || !std::isfinite(usage.tree_usage(v))) std::abort();
  if (usage.more_deserving(0, 1) > 1) std::abort();
  return 0;
}
