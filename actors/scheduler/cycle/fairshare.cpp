#include "actors/scheduler/cycle/fairshare.hpp"

#include <algorithm>

namespace annals::cycle {

namespace {

constexpr std::uint32_t nothing = fairshare_standing::no_job;

}  // namespace

// Of the jobs of one queue, or of all. Each vertex that has jobs below it is a node, and stands as an entry among its siblings, which
// are in order. One that comes later than it did, because a job of it was started or taken, goes from there into a heap. Only what is
// in front is ever wrong, since usage only grows: it is looked at again before it is used, unless nothing can have changed.
class fairshare_order::picker {
 public:
  picker(const job_table& known, const fairshare_standing& standing, const std::vector<index>& order)
      : known_(known), standing_(standing), order_(order) {}

  // The next job of the leaf at the end of `way`, from the root on. Leaves come one after the other, in the order of children_of.
  void put(std::uint32_t p, const std::vector<share_index>& way) {
    if (path_.size() != way.size() || nodes_[path_.back()].vertex != way.back()) open(way);
    nodes_[path_.back()].end = static_cast<std::uint32_t>(jobs_.size()) + 1;
    jobs_.push_back(p);
  }

  // All are there.
  void begin() {
    for (auto at = static_cast<std::uint32_t>(nodes_.size()); at-- > 0;) {  // children stand behind their parents
      const auto& n = nodes_[at];
      if (!n.leaf) {
        const auto first = children_of(n).begin() + n.at, end = children_of(n).begin() + n.end;
        if (!std::is_sorted(first, end, comes_first)) std::sort(first, end, comes_first);
      }
      if (at > 0) levels_[n.depth][n.place].position = next_of(n);
    }
  }

  index next() {
    if (unsure_ || standing_.starts() != starts_before_) settle(0);
    unsure_ = false;
    std::uint32_t at = 0;
    while (!nodes_[at].leaf) at = front(nodes_[at]).node;
    const auto p = jobs_[nodes_[at].at++];
    if (nodes_[at].at == nodes_[at].end) at = remove(at);
    for (; at > 0 && !unsure_; at = nodes_[at].parent) unsure_ = !stays_in_front(nodes_[nodes_[at].parent]);
    expect_after(taken_++);
    return order_[p];
  }

 private:
  struct entry {
    double ratio;
    std::uint32_t position;  // in the order without fairshare, of the job that would come next
    std::uint32_t node;
  };
  static bool comes_first(const entry& a, const entry& b) { return a.ratio != b.ratio ? a.ratio < b.ratio : a.position < b.position; }
  static bool comes_later(const entry& a, const entry& b) { return comes_first(b, a); }

  struct node {
    share_index vertex;
    std::uint32_t parent = nothing;
    std::uint32_t place = 0;        // among the entries of its level, until begin()
    std::uint32_t at = 0, end = 0;  // what is left of a leaf's jobs, or of a group's children that did not move
    std::uint32_t moved = nothing;  // which of moved_ has those that did
    std::uint16_t depth = 0;
    bool leaf = false;
  };

  std::vector<entry>& children_of(const node& n) { return levels_[n.depth + 1U]; }
  const std::vector<entry>& children_of(const node& n) const { return levels_[n.depth + 1U]; }

  // The nodes at the end of this way that are not there yet.
  void open(const std::vector<share_index>& way) {
    std::size_t known = 0;
    while (known < path_.size() && known < way.size() && nodes_[path_[known]].vertex == way[known]) ++known;
    path_.resize(known);
    if (levels_.size() <= way.size()) levels_.resize(way.size() + 1);
    for (; known < way.size(); ++known) {
      const auto number = static_cast<std::uint32_t>(nodes_.size());
      node n;
      n.vertex = way[known];
      n.depth = static_cast<std::uint16_t>(known);
      n.leaf = known + 1 == way.size();
      n.at = n.end = static_cast<std::uint32_t>(n.leaf ? jobs_.size() : levels_[known + 1].size());
      n.place = static_cast<std::uint32_t>(levels_[known].size());
      levels_[known].push_back({standing_.ratio(n.vertex), nothing, number});
      if (known > 0) {
        n.parent = path_.back();
        ++nodes_[n.parent].end;
      }
      nodes_.push_back(n);
      path_.push_back(number);
    }
  }

  std::uint32_t next_of(const node& n) const { return n.leaf ? jobs_[n.at] : front(n).position; }

  // -- a group's children ------------------------------------------------------------------------------------------------------

  bool empty(const node& group) const { return group.at == group.end && (group.moved == nothing || moved_[group.moved].empty()); }
  const entry* first_moved(const node& group) const {
    return group.moved == nothing || moved_[group.moved].empty() ? nullptr : &moved_[group.moved].front();
  }
  bool front_did_not_move(const node& group) const {
    const auto* moved = first_moved(group);
    return group.at < group.end && (!moved || !comes_first(*moved, children_of(group)[group.at]));
  }
  const entry& front(const node& group) const { return front_did_not_move(group) ? children_of(group)[group.at] : *first_moved(group); }

  void remove_front(node& group) {
    if (front_did_not_move(group)) {
      ++group.at;
    } else {
      auto& moved = moved_[group.moved];
      std::pop_heap(moved.begin(), moved.end(), comes_later);
      moved.pop_back();
    }
  }

  // Of the same entry with another ratio or position.
  bool would_stay(const node& group, const entry& now) const {
    const auto* moved = first_moved(group);
    return front_did_not_move(group) && (group.at + 1 == group.end || !comes_first(children_of(group)[group.at + 1], now)) &&
           (!moved || !comes_first(*moved, now));
  }

  void change_front(node& group, const entry& now) {
    if (would_stay(group, now)) {
      children_of(group)[group.at] = now;
      return;
    }
    remove_front(group);
    if (group.moved == nothing) {
      group.moved = static_cast<std::uint32_t>(moved_.size());
      moved_.emplace_back();
    }
    auto& moved = moved_[group.moved];
    moved.push_back(now);
    std::push_heap(moved.begin(), moved.end(), comes_later);
  }

  // Whatever its position is now.
  bool stays_in_front(const node& group) const {
    return front_did_not_move(group) && !first_moved(group) &&
           (group.at + 1 == group.end || children_of(group)[group.at].ratio < children_of(group)[group.at + 1].ratio);
  }

  // In front stands what comes next.
  void settle(std::uint32_t at) {
    for (;;) {
      auto& group = nodes_[at];
      if (group.leaf) return;
      const auto known = front(group);
      settle(known.node);
      const auto& child = nodes_[known.node];
      const entry now{standing_.ratio(child.vertex), next_of(child), known.node};
      if (now.ratio == known.ratio && now.position == known.position) return;
      change_front(group, now);
      if (front(group).node == known.node) return;
    }
  }

  // A leaf without jobs, which stands in front everywhere, and the groups that are empty then. Answers the one that is not.
  std::uint32_t remove(std::uint32_t at) {
    while (at > 0) {
      at = nodes_[at].parent;
      remove_front(nodes_[at]);
      if (!empty(nodes_[at])) break;
    }
    return at;
  }

  // If nothing is started, jobs are taken as they were put.
  void expect_after(std::size_t taken) const {
    for (int steps = 1; steps <= 4; ++steps)
      if (const auto later = taken + static_cast<std::size_t>(steps) * 4; later < jobs_.size()) known_.expect(order_[jobs_[later]], steps);
  }

  const job_table& known_;
  const fairshare_standing& standing_;
  const std::vector<index>& order_;
  std::vector<std::uint32_t> jobs_;         // places in order_, those of a leaf together
  std::vector<node> nodes_;                 // the first is the root's
  std::vector<std::vector<entry>> levels_;  // of each depth; siblings together
  std::vector<std::vector<entry>> moved_;   // heaps
  std::vector<std::uint32_t> path_;         // while jobs are put: nodes from the root to the latest leaf
  std::size_t taken_ = 0;
  std::uint64_t starts_before_ = standing_.starts();  // since then usage may have grown anywhere, also by jobs of other queues
  bool unsure_ = false;                               // something in front may have to stand behind another
};

// Deals the jobs to the pickers of their queues: leaf by leaf, in the order of the tree's children.
class fairshare_order::dealer {
 public:
  dealer(fairshare_order& to, const view& v, fairshare_standing& standing, bool queues_count)
      : to_(to), standing_(standing), first_(standing.size(), nothing), behind_(to.order_.size(), nothing) {
    const auto& jobs = v.jobs();
    const auto& shares = v.shares();
    std::vector<std::uint32_t> last(standing.size(), nothing);
    to.queues_.reserve(to.order_.size());
    for (std::uint32_t p = 0; p < to.order_.size(); ++p) {
      const job& j = jobs[to.order_[p]];
      to.queues_.push_back(queues_count ? j.queue : 0);
      const auto leaf = shares.leaf_of(j);
      (first_[leaf] == nothing ? first_[leaf] : behind_[last[leaf]]) = p;
      last[leaf] = p;
    }
    standing.order_children(first_);
  }

  void deal_all() {
    if (first_[share_tree::root] != nothing) deal(share_tree::root);
  }

 private:
  void deal(share_index at) {
    way_.push_back(at);
    const auto children = standing_.children_of(at);
    for (const auto child : children)
      if (first_[child] != nothing) deal(child);
    if (children.empty())
      for (auto p = first_[at]; p != nothing; p = behind_[p]) to_.pickers_[to_.queues_[p]]->put(p, way_);
    way_.pop_back();
  }

  fairshare_order& to_;
  const fairshare_standing& standing_;
  std::vector<std::uint32_t> first_;   // of each vertex
  std::vector<std::uint32_t> behind_;  // of each job: the next one of its leaf
  std::vector<share_index> way_;
};

fairshare_order::fairshare_order(const view& v, fairshare_standing& standing, std::vector<index> order, bool queues_count)
    : order_(std::move(order)) {
  pickers_.resize(queues_count ? v.queues().size() : 1);
  for (auto& p : pickers_) p = std::make_unique<picker>(v.jobs(), standing, order_);
  dealer(*this, v, standing, queues_count).deal_all();
  for (auto& p : pickers_) p->begin();
}

fairshare_order::~fairshare_order() = default;

index fairshare_order::next() {
  if (at_ == order_.size()) return none;
  return pickers_[queues_[at_++]]->next();
}

}  // namespace annals::cycle
