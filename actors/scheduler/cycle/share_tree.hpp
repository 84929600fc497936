// The tree of shares: sched_priv/resource_group, and how much of the cluster each vertex may have and has had. Used by the cycle
// and by pbsfs, so that both show the same. Source: pbs guide, "fairshare"; numbers are made as PBS makes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annals::cycle {

// The least usage of an entity (model::fairshare_usage_min).
constexpr double entity_usage_min = 1;
// The usage that a leaf adds to its groups.
constexpr double counted_usage(double leaf) { return leaf > entity_usage_min ? leaf : 0; }

using share_index = std::uint32_t;
constexpr share_index no_share = UINT32_MAX;

struct share_vertex {
  std::string name;
  std::int64_t id = 0;
  std::int64_t shares = 0;  // beside its siblings'
  int depth = 0;            // 0: the root
  share_index parent = no_share;
  std::vector<share_index> children;  // the last line of the file first, as PBS shows them
  float part = 0;                     // of its parent's percentage, 0 to 1
  float percentage = 0;               // of the cluster, 0 to 1
  bool operator==(const share_vertex&) const = default;
};

// A line that means nothing, said in the two lines of a log in which PBS says it; or one that counts and that PBS says nothing of.
struct group_complaint {
  int line = 0;
  std::string why;      // "Parent ginfo of pbsuser doesnt exist."; empty: the line has not the form of one
  bool counts = false;  // "b has the number of a: 60"
};

class share_tree {
 public:
  static constexpr share_index root = 0, unknown = 1;
  static constexpr int depth_max = 64;                       // of groups in groups; who walks down may do so by calling itself
  static constexpr std::int64_t number_max = 1'000'000'000;  // of shares and ids: a million of them can be added up

  share_tree() : share_tree("", 0) {}
  // `resource_group`: lines "name id parent shares"; the parent "root" is the top. Never fails: what is wrong is a complaint, and
  // the other lines count.
  explicit share_tree(std::string_view resource_group, std::int64_t unknown_shares, std::vector<group_complaint>* complaints = nullptr);

  const std::vector<share_vertex>& vertices() const { return vertices_; }
  share_index find(std::string_view name) const;  // no_share: none of this name
  // Where usage of this entity counts: its leaf; no_share: it is none of the tree's, and counts below `unknown`.
  share_index leaf(std::string_view entity) const;
  // An entity that stands nowhere in the file, below `unknown`; call finish() when all are there.
  share_index add_unknown(std::string name);
  void finish();
  bool operator==(const share_tree&) const = default;

 private:
  using names_by_id = std::map<std::int64_t, std::string>;
  void read_line(std::string_view line, int number, names_by_id& ids, std::vector<group_complaint>* complaints);
  share_index add(share_vertex v);

  std::vector<share_vertex> vertices_;  // a parent before its children
  std::map<std::string, share_index, std::less<>> by_name_;
};

// What the vertices have used. A group has 1 and what its entities have, of those that used anything: so PBS counts.
class share_usage {
 public:
  // `leaf_usage`: of each vertex; only those of leaves are looked at, and less than 1 is 1.
  share_usage(const share_tree& tree, std::vector<double> leaf_usage);
  double usage(share_index v) const { return usage_[v]; }
  // Usage by percentage; the lower one deserves more. Infinite where there is no share.
  double ratio(share_index v) const;
  // Part of all usage that is put down to the vertex: its own, and of its group's the part of its shares.
  double tree_usage(share_index v) const;
  // Which of two deserves more: at the first vertices of their ways from the root that are not the same, that of the lower ratio. The
  // first one when they are equal.
  share_index more_deserving(share_index a, share_index b) const;

 private:
  const share_tree& tree_;
  std::vector<double> usage_;
};

}  // namespace annals::cycle
