#include "actors/scheduler/cycle/fairshare.hpp"

#include <algorithm>
#include <limits>

namespace annals::cycle {

namespace {

constexpr double usage_min = 1;
constexpr std::uint32_t nothing = UINT32_MAX;

double counts(double leaf) { return leaf > usage_min ? leaf : 0; }

}  // namespace

// -- standing ------------------------------------------------------------------------------------------------------------------

fairshare_standing::fairshare_standing(view& v, const fairshare_settings& settings) : entities_(v.place_entities(settings.tree)) {
  const auto& own = settings.tree->vertices();
  const auto outsiders = entities_.outsiders();
  const auto count = own.size() + outsiders;
  parents_.reserve(count);
  percentages_.reserve(count);
  for (const auto& vertex : own) {
    parents_.push_back(vertex.parent);
    percentages_.push_back(vertex.percentage);
  }
  parents_.resize(count, share_tree::unknown);
  percentages_.resize(count, outsiders == 0 ? 0 : own[share_tree::unknown].percentage / static_cast<float>(outsiders));
  usage_.assign(count, usage_min);
  for (entity_index e = 0; e < entities_.size(); ++e) usage_[entities_.place_of(e)] = std::max(entities_.usage(e), usage_min);
  for (auto at = static_cast<share_index>(count); at-- > 1;) {  // children stand behind their parents
    const bool leaf = at >= own.size() || (own[at].children.empty() && at != share_tree::unknown);
    usage_[parents_[at]] += leaf ? counts(usage_[at]) : usage_[at] - usage_min;
  }
  ratios_.resize(count);
  for (share_index at = 0; at < count; ++at) find_ratio(at);
}

void fairshare_standing::find_ratio(share_index v) {
  const auto part = static_cast<double>(percentages_[v]);
  ratios_[v] = part > 0 ? usage_[v] / part : std::numeric_limits<double>::infinity();
}

void fairshare_standing::started(const job& j) {
  auto at = leaf_of(j);
  const double before = counts(usage_[at]);
  usage_[at] += j.expected_usage;
  find_ratio(at);
  const double more = counts(usage_[at]) - before;
  while (at != share_tree::root) {
    at = parents_[at];
    usage_[at] += more;
    find_ratio(at);
  }
}

// -- order ---------------------------------------------------------------------------------------------------------------------

// Of the jobs of one queue, or of all. Each vertex that has jobs below it is a node. A group's children are sorted once; one that
// comes later than it did, because a job of it was started or taken, goes from there into a heap. Only what is in front is ever
// wrong, since usage only grows: it is looked at again before it is used.
class fairshare_order::picker {
 public:
  picker(const view& v, const fairshare_standing& standing, const std::vector<index>& jobs, std::vector<std::uint32_t>& node_of)
      : view_(v), standing_(standing), jobs_(jobs), behind_(jobs.size(), nothing) {
    nodes_.reserve(std::min(jobs.size() + 64, standing.size()));
    for (std::uint32_t p = 0; p < jobs.size(); ++p) put(p, standing.leaf_of(v.jobs()[jobs[p]]), node_of);
    for (auto& g : groups_) std::sort(g.sorted.begin(), g.sorted.end(), comes_first);
    for (auto& n : nodes_) node_of[n.vertex] = nothing;
  }

  index next() {
    settle(root_);
    auto at = root_;
    while (nodes_[at].group != nothing) at = groups_[nodes_[at].group].front().node;
    const auto p = nodes_[at].first;
    nodes_[at].first = behind_[p];
    if (nodes_[at].first == nothing) remove(at);
    expect_after(nodes_[at].parent);
    return jobs_[p];
  }

 private:
  struct entry {
    double ratio;
    std::uint32_t position;  // in the order without fairshare, of the job that would come next
    std::uint32_t node;
  };
  static bool comes_first(const entry& a, const entry& b) { return a.ratio != b.ratio ? a.ratio < b.ratio : a.position < b.position; }
  static bool comes_later(const entry& a, const entry& b) { return comes_first(b, a); }

  struct group {
    std::vector<entry> sorted;  // from `at` on
    std::size_t at = 0;
    std::vector<entry> moved;  // a heap

    bool empty() const { return at == sorted.size() && moved.empty(); }
    bool front_is_sorted() const { return at < sorted.size() && (moved.empty() || !comes_first(moved.front(), sorted[at])); }
    const entry& front() const { return front_is_sorted() ? sorted[at] : moved.front(); }
    void remove_front() {
      if (front_is_sorted()) {
        ++at;
      } else {
        std::pop_heap(moved.begin(), moved.end(), comes_later);
        moved.pop_back();
      }
    }
    void change_front(const entry& now) {
      const bool stays = front_is_sorted() && (at + 1 == sorted.size() || !comes_first(sorted[at + 1], now)) &&
                         (moved.empty() || !comes_first(moved.front(), now));
      if (stays) {
        sorted[at] = now;
        return;
      }
      remove_front();
      moved.push_back(now);
      std::push_heap(moved.begin(), moved.end(), comes_later);
    }
  };
  struct node {
    share_index vertex;
    std::uint32_t parent = nothing;
    std::uint32_t first = nothing, last = nothing;  // of a leaf: its jobs
    std::uint32_t group = nothing;                  // of another: which of groups_
  };

  void put(std::uint32_t p, share_index leaf, std::vector<std::uint32_t>& node_of) {
    if (node_of[leaf] == nothing) make(p, leaf, node_of);
    auto& n = nodes_[node_of[leaf]];
    if (n.first == nothing) n.first = p;
    else behind_[n.last] = p;
    n.last = p;
  }

  // If nothing is started, the next jobs are mostly those of the entities that stand behind this one in its group.
  void expect_after(std::uint32_t parent) const {
    const auto& g = groups_[nodes_[parent].group];
    for (int steps = 1; steps <= 3; ++steps)
      if (const auto later = g.at + static_cast<std::size_t>(steps) * 3; later < g.sorted.size())
        if (const auto p = nodes_[g.sorted[later].node].first; p != nothing) view_.expect(jobs_[p], steps);
  }

  // The node of a leaf, and those of its groups that are not there yet.
  void make(std::uint32_t p, share_index vertex, std::vector<std::uint32_t>& node_of) {
    auto below = nothing;
    for (;;) {
      const bool is_new = node_of[vertex] == nothing;
      if (is_new) {
        node_of[vertex] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({vertex});
      }
      const auto at = node_of[vertex];
      if (below != nothing) {
        if (is_new) {
          nodes_[at].group = static_cast<std::uint32_t>(groups_.size());
          groups_.emplace_back();
        }
        nodes_[below].parent = at;
        groups_[nodes_[at].group].sorted.push_back({standing_.ratio(nodes_[below].vertex), p, below});
      }
      if (!is_new) return;
      if (vertex == share_tree::root) {
        root_ = at;
        return;
      }
      below = at;
      vertex = standing_.parent_of(vertex);
    }
  }

  // In front stands what comes next.
  void settle(std::uint32_t at) {
    auto& g = groups_[nodes_[at].group];
    for (;;) {
      const auto front = g.front();
      const auto& child = nodes_[front.node];
      if (child.group != nothing) settle(front.node);
      const auto position = child.group == nothing ? child.first : groups_[child.group].front().position;
      const entry now{standing_.ratio(child.vertex), position, front.node};
      if (now.ratio == front.ratio && now.position == front.position) return;
      g.change_front(now);
      if (g.front().node == front.node) return;
    }
  }

  // A leaf without jobs, which stands in front everywhere.
  void remove(std::uint32_t at) {
    while (nodes_[at].parent != nothing) {
      at = nodes_[at].parent;
      auto& g = groups_[nodes_[at].group];
      g.remove_front();
      if (!g.empty()) return;
    }
  }

  const view& view_;
  const fairshare_standing& standing_;
  const std::vector<index>& jobs_;
  std::vector<std::uint32_t> behind_;  // of each job: the next one of its leaf
  std::vector<node> nodes_;
  std::vector<group> groups_;
  std::uint32_t root_ = nothing;
};

fairshare_order::fairshare_order(const view& v, const fairshare_standing& standing, std::vector<index> order, bool queues_count)
    : view_(v), standing_(standing), order_(std::move(order)), queues_count_(queues_count), node_of_(standing.size(), nothing) {
  jobs_.resize(queues_count ? v.queues().size() : 1);
  pickers_.resize(jobs_.size());
  for (const auto at : order_) jobs_[queues_count ? v.jobs()[at].queue : 0].push_back(at);
}

fairshare_order::~fairshare_order() = default;

fairshare_order::picker& fairshare_order::of(const job& j) {
  const auto queue = queues_count_ ? j.queue : 0;
  if (!pickers_[queue]) pickers_[queue] = std::make_unique<picker>(view_, standing_, jobs_[queue], node_of_);
  return *pickers_[queue];
}

index fairshare_order::next() {
  if (at_ == order_.size()) return none;
  return of(view_.jobs()[order_[at_++]]).next();
}

}  // namespace annals::cycle
