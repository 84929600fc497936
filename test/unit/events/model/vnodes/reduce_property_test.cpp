// The rule that makes assignments smaller against one that tries everything: what is kept satisfies keep_select, has nothing that
// failed, keeps the first chunk, is the smallest, and is found whenever there is one.
#include <boost/test/unit_test.hpp>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "events/model/vnodes/reduce.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

using namespace annals;
using model::allocation;

namespace {

using amounts = std::vector<int>;  // ncpus, mem in gb, gpus
constexpr const char* resource_names[] = {"ncpus", "mem", "gpus"};
using key = std::vector<int>;  // vnodes, amounts, the numbers of the chunks: the order that the header tells

struct part {
  std::string vnode, text;
  amounts has;
  bool failed = false;
};
struct world {
  std::vector<std::vector<part>> chunks;
  std::vector<std::pair<amounts, int>> items;  // what is asked, -1: not named; how often
  std::string exec_vnode, exec_host, keep;
  model::unusable failed;

  std::vector<amounts> units(std::size_t of_items) const {
    std::vector<amounts> out;
    for (std::size_t i = 0; i < of_items; ++i) out.insert(out.end(), static_cast<std::size_t>(items[i].second), items[i].first);
    return out;
  }
};

struct dice {
  std::mt19937 random;
  int operator()(int from, int to) { return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1)); }
};

std::string resources_of(const amounts& all, bool in_kb) {
  std::string text;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r] < 0) continue;
    text += (text.empty() ? "" : ":") + std::string(resource_names[r]) + "=";
    text += r != 1 ? std::to_string(all[r]) : in_kb ? std::to_string(all[r] * 1048576) + "kb"
                                                    : std::to_string(all[r]) + "gb";
  }
  return text;
}

// Vnodes are named anew in each chunk, or come again in several.
world random_world(dice& d) {
  world w;
  const int chunks = d(1, 5), parts_max = d(1, 3), most = d(1, 4), resources = d(1, 3), asked_most = d(1, most + 1), failures = d(0, 3);
  const bool again = d(0, 3) == 0;
  for (int c = 0; c < chunks; ++c) {
    auto& chunk = w.chunks.emplace_back();
    const int parts = d(1, parts_max);
    for (int p = 0; p < parts; ++p) {
      amounts has(3, -1);
      for (int r = 0; r < resources; ++r) has[static_cast<std::size_t>(r)] = r > 0 && d(0, 1) ? -1 : d(0, most);
      if (has == amounts{0, -1, -1}) has[0] = d(0, 1);
      const auto vnode =
          again ? "n" + std::to_string(d(0, 3)) + "p" + std::to_string(p) : "n" + std::to_string(c) + "p" + std::to_string(p);
      chunk.push_back({vnode, vnode + ":" + resources_of(has, true), has, false});
      w.exec_vnode += (p > 0 ? "+" : c > 0 ? "+("
                                           : "(") +
                      chunk.back().text;
    }
    w.exec_vnode += ")";
    const auto host = "h" + std::to_string(c);
    w.exec_host += (c > 0 ? "+" : "") + host + "/0";
    if (failures > 0 && d(0, 11) == 0) {
      w.failed.hosts.push_back(host);
      for (auto& p : chunk) p.failed = true;
    }
  }
  for (int i = 0; i < failures; ++i) {
    const auto& chunk = w.chunks[static_cast<std::size_t>(d(0, chunks - 1))];
    w.failed.vnodes.push_back(chunk[static_cast<std::size_t>(d(0, static_cast<int>(chunk.size()) - 1))].vnode);
  }
  for (auto& chunk : w.chunks)
    for (auto& p : chunk) p.failed |= std::find(w.failed.vnodes.begin(), w.failed.vnodes.end(), p.vnode) != w.failed.vnodes.end();
  const int items = d(1, 3);
  for (int i = 0; i < items; ++i) {
    amounts asked(3, -1);
    for (int r = 0; r < resources; ++r) asked[static_cast<std::size_t>(r)] = d(0, 2) == 0 ? -1 : d(0, asked_most);
    if (asked[2] >= 0 && w.exec_vnode.find("gpus") == std::string::npos) asked[2] = -1;  // not known, so not looked at
    if (asked == amounts(3, -1)) asked[0] = d(0, 1);
    w.items.emplace_back(asked, d(1, 2));
    w.keep += (i > 0 ? "+" : "") + std::to_string(w.items.back().second) + ":" + resources_of(asked, false);
  }
  return w;
}

bool enough(const amounts& sum, const amounts& asked) {
  for (std::size_t r = 0; r < sum.size(); ++r)
    if (asked[r] > 0 && sum[r] < asked[r]) return false;
  return true;
}

// Every way to give each unit vnodes of a chunk of its own.
class trying_all {
 public:
  trying_all(const world& w, std::vector<amounts> units) : w_(w), units_(std::move(units)), used_(w.chunks.size()) { give(0, key(5, 0)); }
  const std::optional<key>& best() const { return best_; }

 private:
  void give(std::size_t unit, const key& so_far) {
    if (unit == units_.size()) {
      if (!best_ || so_far < *best_) best_ = so_far;
      return;
    }
    for (std::size_t c = 0; c < (unit == 0 ? 1 : w_.chunks.size()); ++c) {
      if (used_[c]) continue;
      used_[c] = true;
      for (unsigned set = 1; set < 1u << w_.chunks[c].size(); ++set) take(unit, c, set, so_far);
      used_[c] = false;
    }
  }
  void take(std::size_t unit, std::size_t c, unsigned set, key with) {
    amounts sum(3, 0);
    for (std::size_t p = 0; p < w_.chunks[c].size(); ++p) {
      if (!(set >> p & 1)) continue;
      const auto& part = w_.chunks[c][p];
      if (part.failed) return;
      ++with[0];
      for (std::size_t r = 0; r < 3; ++r) {
        sum[r] += std::max(part.has[r], 0);
        with[r + 1] += std::max(part.has[r], 0);
      }
    }
    if (!enough(sum, units_[unit])) return;
    with[4] += static_cast<int>(c);
    give(unit + 1, with);
  }

  const world& w_;
  std::vector<amounts> units_;
  std::vector<bool> used_;
  std::optional<key> best_;
};

// What is kept, measured; "" or what is wrong with it.
std::string wrong_with(const world& w, const model::reduction& r, key& size) {
  const auto units = w.units(w.items.size());
  const auto left = values::parse_exec_vnode(r.left.exec_vnode());
  const auto slots = values::parse_exec_host(r.left.exec_host());
  if (!left || !slots || left->chunks.size() != units.size() || r.satisfies.size() != units.size()) return "not a chunk for each";
  size.assign(5, 0);
  std::set<std::uint32_t> satisfied;
  for (std::size_t i = 0; i < left->chunks.size(); ++i) {
    const auto c = r.left.chunk_of_select(i);
    if (i == 0 ? c != 0 || r.satisfies[0] != 0 : c <= r.left.chunk_of_select(i - 1)) return "not in the order, or without the first";
    if ((*slots)[i].host != "h" + std::to_string(c)) return "a chunk on another host";
    amounts sum(3, 0);
    std::size_t at = 0;
    for (const auto& kept : left->chunks[i].parts) {
      const auto text = values::print(values::exec_chunk{{kept}, false});
      while (at < w.chunks[c].size() && w.chunks[c][at].text != text) ++at;
      if (at == w.chunks[c].size()) return "vnodes in another order, or in part";
      const auto& p = w.chunks[c][at++];
      if (p.failed) return "one that failed";
      for (std::size_t r2 = 0; r2 < 3; ++r2) sum[r2] += std::max(p.has[r2], 0);
      ++size[0];
    }
    if (r.satisfies[i] >= units.size() || !satisfied.insert(r.satisfies[i]).second) return "one satisfied twice";
    if (!enough(sum, units[r.satisfies[i]])) return "one not satisfied";
    for (std::size_t r2 = 0; r2 < 3; ++r2) size[r2 + 1] += sum[r2];
    size[4] += static_cast<int>(c);
  }
  return "";
}

// The text of the first item that can't be satisfied, with all before it.
std::string first_impossible(const world& w) {
  for (std::size_t n = 1; n <= w.items.size(); ++n)
    if (!trying_all(w, w.units(n)).best()) {
      auto text = resources_of(w.items[n - 1].first, false);
      std::replace(text.begin(), text.end(), ':', ' ');
      return text;
    }
  return "none";
}

// How often each vnode's part is there.
std::map<std::string, int> parts_of(const std::string& exec_vnode) {
  std::map<std::string, int> out;
  values::exec_vnode_reader reader(exec_vnode);
  for (values::exec_vnode_reader::part p; reader.next(p);) ++out[std::string(p.text)];
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_kept_is_the_smallest_that_will_do) {  // RS-28, RS-88
  int possible = 0, impossible = 0;
  for (unsigned seed = 1; seed <= 20'000; ++seed) {
    dice d{std::mt19937(seed)};
    const auto w = random_world(d);
    const allocation has(w.exec_vnode, w.exec_host, values::hosts_of(*values::parse_exec_host(w.exec_host)), "free");
    const auto r = model::reduce(has, *values::parse_select(w.keep), w.failed);
    const auto best = trying_all(w, w.units(w.items.size())).best();
    std::string wrong;
    if (r.operator bool() != best.has_value()) {
      wrong = best ? "found impossible" : "found possible";
    } else if (!r) {
      ++impossible;
      if (r.error().chunk != first_impossible(w)) wrong = "impossible is " + first_impossible(w) + ", not " + r.error().chunk;
    } else {
      ++possible;
      key size;
      wrong = wrong_with(w, *r, size);
      if (wrong.empty() && size != *best) wrong = "not the smallest";
      auto released = has;
      const auto all = parts_of(w.exec_vnode);
      const bool each_once = std::all_of(all.begin(), all.end(), [](const auto& p) { return p.second == 1; });
      if (!r->released.empty() && !released.release(r->released)) wrong = "what is released is no part of it";
      if (each_once && !(released == r->left)) wrong = "what the release leaves is something else";
    }
    if (!wrong.empty())
      BOOST_FAIL("seed " << seed << ": " << wrong << ": " << w.exec_vnode << " keep " << w.keep << " kept "
                         << (r ? r->left.exec_vnode() : "nothing"));
  }
  BOOST_TEST(possible > 3000);
  BOOST_TEST(impossible > 3000);
}
