// The rule that makes assignments smaller against one that tries everything: what is kept satisfies keep_select, has nothing that
// failed, keeps the first chunk, is the best that there is, and is found whenever there is one.
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
// Chunks that have more than is asked of what is named; of anything; vnodes of the former; the numbers of the chunks: the order that the
// header tells.
using key = std::vector<int>;

struct part {
  std::string vnode, text;
  amounts has;
  bool failed = false;
  int colour = 0;  // that the vnode has
};
struct asked_of_chunk {
  amounts asked;   // -1: not named
  int colour = 0;  // 0: any
};
struct world {
  std::vector<std::vector<part>> chunks;
  std::vector<std::pair<asked_of_chunk, int>> items;  // what is asked; how often
  model::run_words words;
  std::string exec_vnode, exec_host, keep;
  model::unusable failed;

  std::vector<asked_of_chunk> units(std::size_t of_items) const {
    std::vector<asked_of_chunk> out;
    for (std::size_t i = 0; i < of_items; ++i) out.insert(out.end(), static_cast<std::size_t>(items[i].second), items[i].first);
    return out;
  }
};

struct dice {
  std::mt19937 random;
  int operator()(int from, int to) { return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1)); }
};

std::string colour_name(int colour) { return "c" + std::to_string(colour); }

std::string resources_of(const amounts& all, bool in_kb, int colour = 0) {
  std::string text;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r] < 0) continue;
    text += (text.empty() ? "" : ":") + std::string(resource_names[r]) + "=";
    text += r != 1 ? std::to_string(all[r]) : in_kb ? std::to_string(all[r] * 1048576) + "kb"
                                                    : std::to_string(all[r]) + "gb";
  }
  if (colour > 0) text += (text.empty() ? "" : ":") + ("colour=" + colour_name(colour));
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
      const auto colour = w.words.of_vnodes[vnode].try_emplace("colour", colour_name(d(1, 2))).first->second.back() - '0';
      chunk.push_back({vnode, vnode + ":" + resources_of(has, true), has, false, colour});
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
    w.items.push_back({{asked, d(0, 3) == 0 ? d(1, 2) : 0}, d(1, 2)});
    w.keep += (i > 0 ? "+" : "") + std::to_string(w.items.back().second) + ":" + resources_of(asked, false, w.items.back().first.colour);
  }
  return w;
}

struct chunk_sum {
  amounts has = amounts(3, 0);
  bool failed = false;
  std::set<int> colours;
  int vnodes = 0;
};
chunk_sum sum_of(const std::vector<part>& chunk) {
  chunk_sum sum;
  for (const auto& p : chunk) {
    for (std::size_t r = 0; r < 3; ++r) sum.has[r] += std::max(p.has[r], 0);
    sum.failed |= p.failed;
    sum.colours.insert(p.colour);
    ++sum.vnodes;
  }
  return sum;
}

bool will_do(const chunk_sum& chunk, const asked_of_chunk& unit) {
  if (chunk.failed || (unit.colour > 0 && chunk.colours != std::set{unit.colour})) return false;
  for (std::size_t r = 0; r < 3; ++r)
    if (chunk.has[r] < unit.asked[r]) return false;
  return true;
}

// What it costs to give it this chunk.
void add_cost(const chunk_sum& chunk, const asked_of_chunk& unit, int number, key& to) {
  bool named = true, all = true;
  for (std::size_t r = 0; r < 3; ++r) {
    named &= unit.asked[r] < 0 || chunk.has[r] == unit.asked[r];
    all &= chunk.has[r] == std::max(unit.asked[r], 0);
  }
  to[0] += !named;
  to[1] += !all;
  to[2] += named ? 0 : chunk.vnodes;
  to[3] += number;
}

// Every way to give each unit a chunk of its own. The first chunk costs nothing: nobody has a choice there.
class trying_all {
 public:
  trying_all(const world& w, std::vector<asked_of_chunk> units) : units_(std::move(units)), used_(w.chunks.size()) {
    for (const auto& chunk : w.chunks) sums_.push_back(sum_of(chunk));
    give(0, key(4, 0));
  }
  const std::optional<key>& best() const { return best_; }

 private:
  void give(std::size_t unit, const key& so_far) {
    if (unit == units_.size()) {
      if (!best_ || so_far < *best_) best_ = so_far;
      return;
    }
    for (std::size_t c = 0; c < (unit == 0 ? 1 : sums_.size()); ++c) {
      if (used_[c] || !will_do(sums_[c], units_[unit])) continue;
      used_[c] = true;
      auto with = so_far;
      if (unit > 0) add_cost(sums_[c], units_[unit], static_cast<int>(c), with);
      give(unit + 1, with);
      used_[c] = false;
    }
  }

  std::vector<asked_of_chunk> units_;
  std::vector<chunk_sum> sums_;
  std::vector<bool> used_;
  std::optional<key> best_;
};

std::string text_of(const std::vector<part>& chunk) {
  std::string text;
  for (const auto& p : chunk) text += (text.empty() ? "(" : "+") + p.text;
  return text + ")";
}

// What is kept, measured; "" or what is wrong with it.
std::string wrong_with(const world& w, const model::reduction& r, key& cost) {
  const auto units = w.units(w.items.size());
  const auto left = values::parse_exec_vnode(r.left.exec_vnode());
  const auto slots = values::parse_exec_host(r.left.exec_host());
  if (!left || !slots || left->chunks.size() != units.size() || r.satisfies.size() != units.size()) return "not a chunk for each";
  cost.assign(4, 0);
  std::set<std::uint32_t> satisfied;
  for (std::size_t i = 0; i < left->chunks.size(); ++i) {
    const auto c = r.left.chunk_of_select(i);
    if (i == 0 ? c != 0 || r.satisfies[0] != 0 : c <= r.left.chunk_of_select(i - 1)) return "not in the order, or without the first";
    if ((*slots)[i].host != "h" + std::to_string(c)) return "a chunk on another host";
    if (values::print(left->chunks[i]) != text_of(w.chunks[c])) return "not a chunk of the job";
    if (r.satisfies[i] >= units.size() || !satisfied.insert(r.satisfies[i]).second) return "one satisfied twice";
    const auto sum = sum_of(w.chunks[c]);
    if (!will_do(sum, units[r.satisfies[i]])) return "one not satisfied, or by a vnode that failed";
    if (i > 0) add_cost(sum, units[r.satisfies[i]], static_cast<int>(c), cost);
  }
  return "";
}

// The text of the first item that can't be satisfied, with all before it.
std::string first_impossible(const world& w) {
  for (std::size_t n = 1; n <= w.items.size(); ++n)
    if (!trying_all(w, w.units(n)).best()) {
      auto text = resources_of(w.items[n - 1].first.asked, false, w.items[n - 1].first.colour);
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

BOOST_AUTO_TEST_CASE(what_is_kept_is_the_best_that_will_do) {  // RS-28, RS-88
  int possible = 0, impossible = 0;
  for (unsigned seed = 1; seed <= 20'000; ++seed) {
    dice d{std::mt19937(seed)};
    const auto w = random_world(d);
    const allocation has(w.exec_vnode, w.exec_host, values::hosts_of(*values::parse_exec_host(w.exec_host)), "free");
    const auto r = model::reduce(has, *values::parse_select(w.keep), w.failed, {}, w.words);
    const auto best = trying_all(w, w.units(w.items.size())).best();
    std::string wrong;
    if (r.operator bool() != best.has_value()) {
      wrong = best ? "found impossible" : "found possible";
    } else if (!r) {
      ++impossible;
      if (r.error().chunk != first_impossible(w)) wrong = "impossible is " + first_impossible(w) + ", not " + r.error().chunk;
    } else {
      ++possible;
      key cost;
      wrong = wrong_with(w, *r, cost);
      if (wrong.empty() && cost != *best) wrong = "not the best";
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
  BOOST_TEST(possible > 2000);
  BOOST_TEST(impossible > 2000);
}
