#include "actors/scheduler/cycle/entities.hpp"

namespace annals::cycle {

entity_index entity_table::number_of(std::string_view name) {
  if (const auto at = numbers_.find(name); at != numbers_.end()) return at->second;
  const auto number = static_cast<entity_index>(usages_.size());
  names_.push_back(&numbers_.emplace(name, number).first->first);
  usages_.push_back(entity_usage_min);
  return number;
}

void entity_table::find_places(const std::shared_ptr<const share_tree>& tree) {
  if (tree != tree_) {
    places_.clear();
    outsiders_ = 0;
    tree_ = tree;
  }
  const auto own = static_cast<share_index>(tree->vertices().size());
  for (auto e = places_.size(); e < names_.size(); ++e) {
    const auto leaf = tree->leaf(*names_[e]);
    places_.push_back(leaf != no_share ? leaf : own + outsiders_++);
  }
}

}  // namespace annals::cycle
