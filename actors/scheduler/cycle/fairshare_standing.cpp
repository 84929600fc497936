#include "actors/scheduler/cycle/fairshare_standing.hpp"

#include <algorithm>
#include <limits>

namespace annals::cycle {

void fairshare_standing::begin(const entity_table& entities, const std::shared_ptr<const share_tree>& tree) {
  if (tree != tree_ || size() != tree->vertices().size() + entities.outsiders()) take_tree(tree, entities.outsiders());
  std::fill(usage_.begin(), usage_.end(), entity_usage_min);
  for (entity_index e = 0; e < entities.size(); ++e) usage_[entities.place_of(e)] = std::max(entities.usage(e), entity_usage_min);
  for (auto at = static_cast<share_index>(size()); at-- > 1;)  // children stand behind their parents
    usage_[parents_[at]] += is_leaf(at) ? counted_usage(usage_[at]) : usage_[at] - entity_usage_min;
  for (share_index at = 0; at < size(); ++at) find_ratio(at);
}

void fairshare_standing::take_tree(const std::shared_ptr<const share_tree>& tree, std::uint32_t outsiders) {
  tree_ = tree;
  const auto& own = tree->vertices();
  const auto count = own.size() + outsiders;
  parents_.clear();
  percentages_.clear();
  for (const auto& vertex : own) {
    parents_.push_back(vertex.parent);
    percentages_.push_back(vertex.percentage);
  }
  parents_.resize(count, share_tree::unknown);
  percentages_.resize(count, outsiders == 0 ? 0 : own[share_tree::unknown].percentage / static_cast<float>(outsiders));
  usage_.resize(count);
  ratios_.resize(count);
  begins_.assign(count + 1, 0);
  for (share_index v = 1; v < count; ++v) ++begins_[parents_[v] + 1];
  for (std::size_t v = 0; v < count; ++v) begins_[v + 1] += begins_[v];
  children_.resize(begins_[count]);
  auto free_place = begins_;
  for (share_index v = 1; v < count; ++v) children_[free_place[parents_[v]]++] = v;
}

void fairshare_standing::find_ratio(share_index v) {
  const auto part = static_cast<double>(percentages_[v]);
  ratios_[v] = part > 0 ? usage_[v] / part : std::numeric_limits<double>::infinity();
}

double fairshare_standing::tree_usage(share_index v) const {
  if (v == share_tree::root) return 0;
  const double own = usage_[v] / usage_[share_tree::root];
  const auto parent = parents_[v];
  if (parent == share_tree::root) return own;
  const double part = percentages_[parent] > 0 ? percentage(v) / percentage(parent) : 0;
  return own + (tree_usage(parent) - own) * part;
}

bool fairshare_standing::is_over_share(share_index v) const { return counted_usage(usage_[v]) > 0 && tree_usage(v) > percentage(v); }

void fairshare_standing::started(share_index leaf, double expected_usage) {
  ++starts_;
  auto at = leaf;
  const double before = counted_usage(usage_[at]);
  usage_[at] += expected_usage;
  find_ratio(at);
  const double more = counted_usage(usage_[at]) - before;
  while (at != share_tree::root) {
    at = parents_[at];
    usage_[at] += more;
    find_ratio(at);
  }
}

void fairshare_standing::order_children(std::vector<std::uint32_t>& next_job) {
  const auto comes_first = [&](share_index a, share_index b) {
    return ratios_[a] != ratios_[b] ? ratios_[a] < ratios_[b] : next_job[a] < next_job[b];
  };
  for (auto v = static_cast<share_index>(size()); v-- > 0;) {
    const auto begin = children_.begin() + begins_[v], end = children_.begin() + begins_[v + 1];
    if (!std::is_sorted(begin, end, comes_first)) std::sort(begin, end, comes_first);
    const auto first = std::find_if(begin, end, [&](share_index child) { return next_job[child] != no_job; });
    if (first != end) next_job[v] = next_job[*first];
  }
}

}  // namespace annals::cycle
