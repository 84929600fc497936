// The entities that a scheduler has heard of: of jobs, and of usages that the server told. Each has a number, so that a cycle
// compares no names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cycle/share_tree.hpp"

namespace annals::cycle {

using entity_index = std::uint32_t;

class entity_table {
 public:
  entity_index number_of(std::string_view name);  // a new one has the least usage there is
  void set_usage(std::string_view name, double usage) { usages_[number_of(name)] = usage; }
  void forget_usages() { usages_.assign(usages_.size(), entity_usage_min); }

  // Finds each entity's place in the tree, once; afterwards place_of and outsiders count.
  void find_places(const std::shared_ptr<const share_tree>& tree);
  // A vertex of the tree; from its size on: one of the outsiders.
  share_index place_of(entity_index e) const { return places_[e]; }
  std::uint32_t outsiders() const { return outsiders_; }  // entities that do not stand in the tree

  std::size_t size() const { return usages_.size(); }
  double usage(entity_index e) const { return usages_[e]; }

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, entity_index, text_hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> names_;  // keys of numbers_
  std::vector<double> usages_;
  std::vector<share_index> places_;  // of the first entities: those looked for so far
  std::uint32_t outsiders_ = 0;
  std::shared_ptr<const share_tree> tree_;  // where they were looked for
};

}  // namespace annals::cycle
