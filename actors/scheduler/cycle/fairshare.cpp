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

fairshare_standing::fairshare_standing(view& v, const fairshare_settings& settings)
    : entities_(v.place_entities(settings.tree)),
      tree_(*settings.tree),
      own_(static_cast<share_index>(tree_.vertices().size())),
      usage_(own_ + entities_.outsiders(), usage_min) {
  const auto& all = tree_.vertices();
  if (entities_.outsiders() > 0)
    outsider_percentage_ = all[share_tree::unknown].percentage / static_cast<float>(entities_.outsiders());
  for (entity_index e = 0; e < entities_.size(); ++e) usage_[entities_.place_of(e)] = std::max(entities_.usage(e), usage_min);
  for (auto at = static_cast<share_index>(usage_.size()); at-- > 1;) {  // children stand behind their parents
    const bool leaf = at >= own_ || (all[at].children.empty() && at != share_tree::unknown);
    usage_[parent_of(at)] += leaf ? counts(usage_[at]) : usage_[at] - usage_min;
  }
}

double fairshare_standing::ratio(share_index v) const {
  const auto part = percentage(v);
  return part > 0 ? usage_[v] / part : std::numeric_limits<double>::infinity();
}

void fairshare_standing::started(const job& j) {
  auto at = leaf_of(j);
  const double before = counts(usage_[at]);
  usage_[at] += j.expected_usage;
  const double more = counts(usage_[at]) - before;
  while (at != share_tree::root) {
    at = parent_of(at);
    usage_[at] += more;
  }
}

// -- order ---------------------------------------------------------------------------------------------------------------------

// Of the jobs of one queue, or of all. Each vertex that has jobs below it is a node; a group's children lie in a heap, the one that
// comes next in front. Only what is in front is ever wrong, since usage only grows: it is looked at again before it is used.
class fairshare_order::picker {
 public:
  picker(const view& v, const fairshare_standing& standing, const std::vector<index>& jobs, std::vector<std::uint32_t>& node_of)
      : standing_(standing), jobs_(jobs), behind_(jobs.size(), nothing) {
    for (std::uint32_t p = 0; p < jobs.size(); ++p) put(p, standing.leaf_of(v.jobs()[jobs[p]]), node_of);
    for (auto& n : nodes_) {
      std::make_heap(n.children.begin(), n.children.end(), comes_later);
      node_of[n.vertex] = nothing;
    }
  }

  index next() {
    settle(root_);
    auto at = root_;
    while (!nodes_[at].children.empty()) at = nodes_[at].children.front().node;
    const auto p = nodes_[at].first;
    nodes_[at].first = behind_[p];
    if (nodes_[at].first == nothing) remove(at);
    return jobs_[p];
  }

 private:
  struct entry {
    double ratio;
    std::uint32_t position;  // in the order without fairshare, of the job that would come next
    std::uint32_t node;
  };
  struct node {
    share_index vertex;
    std::uint32_t parent = nothing;
    std::uint32_t first = nothing, last = nothing;  // of a leaf: its jobs
    std::vector<entry> children;                    // of a group
  };
  static bool comes_later(const entry& a, const entry& b) {
    return a.ratio != b.ratio ? a.ratio > b.ratio : a.position > b.position;
  }

  void put(std::uint32_t p, share_index leaf, std::vector<std::uint32_t>& node_of) {
    if (node_of[leaf] == nothing) make(p, leaf, node_of);
    auto& n = nodes_[node_of[leaf]];
    if (n.first == nothing) n.first = p;
    else behind_[n.last] = p;
    n.last = p;
  }

  // The node of a leaf, and those of its groups that are not there yet.
  void make(std::uint32_t p, share_index vertex, std::vector<std::uint32_t>& node_of) {
    auto below = nothing;
    for (;;) {
      const bool is_new = node_of[vertex] == nothing;
      if (is_new) {
        node_of[vertex] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({vertex, nothing, nothing, nothing, {}});
      }
      const auto at = node_of[vertex];
      if (below != nothing) {
        nodes_[below].parent = at;
        nodes_[at].children.push_back({standing_.ratio(nodes_[below].vertex), p, below});
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
  void settle(std::uint32_t group) {
    auto& heap = nodes_[group].children;
    for (;;) {
      const auto front = heap.front();
      const auto& child = nodes_[front.node];
      if (!child.children.empty()) settle(front.node);
      const entry now{standing_.ratio(child.vertex), child.children.empty() ? child.first : child.children.front().position, front.node};
      if (now.ratio == front.ratio && now.position == front.position) return;
      std::pop_heap(heap.begin(), heap.end(), comes_later);
      heap.back() = now;
      std::push_heap(heap.begin(), heap.end(), comes_later);
      if (heap.front().node == front.node) return;
    }
  }

  // A leaf without jobs, which stands in front everywhere.
  void remove(std::uint32_t at) {
    while (nodes_[at].parent != nothing) {
      at = nodes_[at].parent;
      auto& heap = nodes_[at].children;
      std::pop_heap(heap.begin(), heap.end(), comes_later);
      heap.pop_back();
      if (!heap.empty()) return;
    }
  }

  const fairshare_standing& standing_;
  const std::vector<index>& jobs_;
  std::vector<std::uint32_t> behind_;  // of each job: the next one of its leaf
  std::vector<node> nodes_;
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
