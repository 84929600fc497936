#include "actors/scheduler/cycle/share_tree.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "events/values/number.hpp"
#include "events/values/string_list.hpp"

namespace annals::cycle {

namespace {

// Up to four words; false: there are fewer.
bool split_words(std::string_view line, std::array<std::string_view, 4>& words) {
  for (auto& word : words) {
    line = values::trimmed(line);
    word = line.substr(0, line.find_first_of(" \t"));
    if (word.empty()) return false;
    line.remove_prefix(word.size());
  }
  return true;
}

}  // namespace

share_tree::share_tree(std::string_view resource_group, std::int64_t unknown_shares, std::vector<group_complaint>* complaints) {
  share_vertex top;
  top.name = "TREEROOT";
  top.shares = -1;
  vertices_.push_back(std::move(top));
  by_name_.emplace("TREEROOT", root);
  share_vertex others;
  others.name = "unknown";
  others.id = 1;
  others.shares = unknown_shares;
  others.parent = root;
  add(std::move(others));
  names_by_id ids{{vertices_[root].id, "root"}, {vertices_[unknown].id, "unknown"}};
  int number = 0;
  while (!resource_group.empty()) {
    const auto end = resource_group.find('\n');
    const auto line = values::trimmed(resource_group.substr(0, end));
    resource_group.remove_prefix(end == std::string_view::npos ? resource_group.size() : end + 1);
    ++number;
    if (!line.empty() && line[0] != '#') read_line(line, number, ids, complaints);
  }
  finish();
}

void share_tree::read_line(std::string_view line, int number, names_by_id& ids, std::vector<group_complaint>* complaints) {
  const auto complain = [&](std::string why, bool counts = false) {
    if (complaints) complaints->push_back({number, std::move(why), counts});
  };
  std::array<std::string_view, 4> words;
  if (!split_words(line, words)) return complain("");
  const auto id = values::parse_integer(words[1]), shares = values::parse_integer(words[3]);
  const auto too_large = [](std::int64_t n) { return n > share_tree::number_max || n < -share_tree::number_max; };
  if (!id || !shares || too_large(*id) || too_large(*shares)) return complain("");
  if (by_name_.contains(words[0])) return complain("entity " + std::string(words[0]) + " is not unique");
  const auto parent = words[2] == "root" ? root : find(words[2]);
  if (parent == no_share) return complain("Parent ginfo of " + std::string(words[0]) + " doesnt exist.");
  if (vertices_[parent].depth >= depth_max) return complain("too many groups above " + std::string(words[0]));
  if (const auto [first, is_new] = ids.try_emplace(*id, words[0]); !is_new)
    complain(std::string(words[0]) + " has the number of " + first->second + ": " + std::to_string(*id), true);
  share_vertex v;
  v.name = words[0];
  v.id = *id;
  v.shares = *shares;
  v.parent = parent;
  add(std::move(v));
}

share_index share_tree::add(share_vertex v) {
  const auto at = static_cast<share_index>(vertices_.size());
  auto& parent = vertices_[v.parent];
  v.depth = parent.depth + 1;
  parent.children.push_back(at);
  by_name_.emplace(v.name, at);
  vertices_.push_back(std::move(v));
  return at;
}

share_index share_tree::add_unknown(std::string name) {
  share_vertex v;
  v.name = std::move(name);
  v.id = -1;
  v.shares = 1;
  v.parent = unknown;
  return add(std::move(v));
}

// Percentages as PBS makes them, in single precision: pbsfs shows that.
void share_tree::finish() {
  vertices_[root].part = vertices_[root].percentage = 1;
  for (std::size_t at = 0; at < vertices_.size(); ++at) {
    std::int64_t sum = 0;
    for (const auto child : vertices_[at].children) sum += vertices_[child].shares;
    for (const auto child : vertices_[at].children) {
      auto& c = vertices_[child];
      c.part = sum == 0 ? 0.0F : static_cast<float>(c.shares) / static_cast<float>(sum);
      c.percentage = vertices_[at].percentage == 0 ? 0 : c.part * vertices_[at].percentage;
    }
    auto& shown = vertices_[at].children;
    if (at == unknown) std::sort(shown.begin(), shown.end(), [&](auto a, auto b) { return vertices_[a].name < vertices_[b].name; });
    else std::sort(shown.begin(), shown.end(), std::greater<>());
  }
}

share_index share_tree::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? no_share : at->second;
}

share_index share_tree::leaf(std::string_view entity) const {
  const auto at = find(entity);
  return at == no_share || at == root || at == unknown || !vertices_[at].children.empty() ? no_share : at;
}

share_usage::share_usage(const share_tree& tree, std::vector<double> leaf_usage) : tree_(tree), usage_(std::move(leaf_usage)) {
  const auto& all = tree.vertices();
  usage_.resize(all.size(), entity_usage_min);
  for (std::size_t v = 0; v < all.size(); ++v)
    usage_[v] = all[v].children.empty() ? std::max(usage_[v], entity_usage_min) : entity_usage_min;
  for (std::size_t v = all.size(); v-- > 1;)  // children stand behind their parents
    usage_[all[v].parent] += all[v].children.empty() ? counted_usage(usage_[v]) : usage_[v] - entity_usage_min;
}

double share_usage::ratio(share_index v) const {
  const auto percentage = tree_.vertices()[v].percentage;
  return percentage > 0 ? usage_[v] / static_cast<double>(percentage) : std::numeric_limits<double>::infinity();
}

double share_usage::tree_usage(share_index v) const {
  const auto& vertex = tree_.vertices()[v];
  if (v == share_tree::root) return 0;
  const double own = usage_[v] / usage_[share_tree::root];
  if (vertex.parent == share_tree::root) return own;
  return own + (tree_usage(vertex.parent) - own) * static_cast<double>(vertex.part);
}

share_index share_usage::more_deserving(share_index a, share_index b) const {
  const auto way = [&](share_index v) {
    std::vector<share_index> from_root;
    for (; v != no_share; v = tree_.vertices()[v].parent) from_root.insert(from_root.begin(), v);
    return from_root;
  };
  const auto way_a = way(a), way_b = way(b);
  for (std::size_t i = 0; i < std::min(way_a.size(), way_b.size()); ++i)
    if (way_a[i] != way_b[i]) return ratio(way_b[i]) < ratio(way_a[i]) ? b : a;
  return a;
}

}  // namespace annals::cycle
