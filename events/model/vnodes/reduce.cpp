#include "events/model/vnodes/reduce.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "events/attributes/select_rules.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/cheapest_match.hpp"
#include "events/model/vnodes/counted_resources.hpp"
#include "events/model/vnodes/fewest_parts.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace {

constexpr std::size_t tries_min = 100;  // of one chunk

// Vnodes that have the same of everything.
struct kind_of_vnode {
  std::vector<std::int64_t> amounts;
  price cost;
  bool bare = false;  // no resources at all: added by exclhost
};

// Chunks with the same vnodes left of them; the first chunk is none of them.
struct kind_of_chunk {
  std::vector<std::uint32_t> of;  // kinds of vnodes
  std::vector<vnode_kind> vnodes;
  bool bare = false;
};

struct part_of_run {
  std::uint32_t kind = 0;
  std::size_t chunk = 0;
  bool failed = false;
};

class reducing {
 public:
  reducing(const allocation& has, const values::select_spec& keep, const unusable& failed, const attributes::resource_catalogue& known)
      : has_(has), keep_(keep), slots_(values::parse_exec_host(has.exec_host()).value_or(values::exec_host_spec{})) {
    read_parts(failed, known);
    for (const auto& chunk : keep.chunks) need_.push_back(counted_->asked_by(chunk));
  }

  values::result<reduction, not_reduced> result();

 private:
  void read_parts(const unusable& failed, const attributes::resource_catalogue& known);
  void make_kinds(const std::vector<std::string_view>& texts);
  void sort_chunks();
  kind_of_chunk chunk_of(std::vector<std::uint32_t> kinds) const;
  void look_at_pairs();
  std::optional<picked_vnodes> pick(const kind_of_chunk& from, const counted_resources::demand& need, std::size_t tries) const;
  void take(std::size_t chunk, const kind_of_chunk& kind, const picked_vnodes& picked);
  void take_matched(const cheapest_match& match, const std::vector<std::vector<std::uint32_t>>& units);
  void keep_whole_hosts();
  std::string words_of(std::size_t chunk) const;
  not_reduced not_for(std::size_t item, const cheapest_match* match = nullptr) const;
  reduction made() const;

  const allocation& has_;
  const values::select_spec& keep_;
  const values::exec_host_spec slots_;
  std::optional<counted_resources> counted_;
  std::vector<counted_resources::demand> need_;  // of each item of keep_select
  std::vector<kind_of_vnode> vnode_kinds_;
  std::vector<part_of_run> parts_;
  std::vector<std::size_t> begins_;  // of each chunk, in parts_; and the end
  std::vector<kind_of_chunk> chunk_kinds_;
  std::vector<std::vector<std::uint32_t>> chunks_;   // of each kind
  std::vector<std::size_t> who_;                     // of each item: those that ask the same are one
  std::vector<std::size_t> items_;                   // of each who: the first item that asks so
  std::vector<std::optional<picked_vnodes>> pairs_;  // who times kind of chunk
  std::vector<bool> kept_;                           // of parts_
  std::vector<std::uint32_t> satisfies_;             // of each chunk
};

void reducing::read_parts(const unusable& failed, const attributes::resource_catalogue& known) {
  const std::unordered_set<std::string_view> vnodes(failed.vnodes.begin(), failed.vnodes.end()),
      hosts(failed.hosts.begin(), failed.hosts.end());
  std::unordered_map<std::string_view, std::uint32_t> number_of;
  std::vector<std::string_view> texts;  // what a part asks of its vnode, each once; until then `kind` is a number of these
  values::exec_vnode_reader reader(has_.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    if (begins_.size() == p.chunk) begins_.push_back(parts_.size());
    const bool failed_host = !hosts.empty() && p.chunk < slots_.size() && hosts.contains(slots_[p.chunk].host);
    auto kind = parts_.empty() ? 0 : parts_.back().kind;
    if (texts.empty() || texts[kind] != p.resources) {
      const auto [at, is_new] = number_of.emplace(p.resources, static_cast<std::uint32_t>(texts.size()));
      if (is_new) texts.push_back(p.resources);
      kind = at->second;
    }
    parts_.push_back({kind, p.chunk, failed_host || vnodes.contains(p.vnode)});
  }
  if (!reader.well_formed()) parts_.clear();
  begins_.push_back(parts_.size());
  kept_.assign(parts_.size(), false);
  satisfies_.assign(begins_.size() - 1, reduction::no_chunk);
  counted_.emplace(texts, keep_, known);
  make_kinds(texts);
}

void reducing::make_kinds(const std::vector<std::string_view>& texts) {
  const auto most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(16 * (parts_.size() + 1));  // no sum overflows
  std::map<std::vector<std::int64_t>, std::uint32_t> known;
  std::vector<std::uint32_t> kind_of_text;
  for (const auto text : texts) {
    kind_of_vnode kind{counted_->of_vnode(text), {1}, text.empty()};
    for (std::size_t c = 0; c < std::min(kind.amounts.size(), price_amounts_max); ++c) kind.cost[c + 1] = std::min(kind.amounts[c], most);
    auto key = kind.amounts;
    key.push_back(kind.bare);
    const auto [at, is_new] = known.emplace(std::move(key), static_cast<std::uint32_t>(vnode_kinds_.size()));
    if (is_new) vnode_kinds_.push_back(std::move(kind));
    kind_of_text.push_back(at->second);
  }
  for (auto& p : parts_) p.kind = kind_of_text[p.kind];
}

kind_of_chunk reducing::chunk_of(std::vector<std::uint32_t> kinds) const {
  std::sort(kinds.begin(), kinds.end());
  kind_of_chunk out;
  out.bare = true;
  for (const auto k : kinds) {
    out.bare &= vnode_kinds_[k].bare;
    if (out.of.empty() || out.of.back() != k) {
      out.of.push_back(k);
      out.vnodes.push_back({vnode_kinds_[k].amounts, vnode_kinds_[k].cost, 0});
    }
    ++out.vnodes.back().count;
  }
  return out;
}

// What is left of the chunks but the first, by kind.
void reducing::sort_chunks() {
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  for (std::size_t chunk = 1; chunk + 1 < begins_.size(); ++chunk) {
    std::vector<std::uint32_t> kinds;
    for (auto p = begins_[chunk]; p < begins_[chunk + 1]; ++p)
      if (!parts_[p].failed) kinds.push_back(parts_[p].kind);
    if (kinds.empty()) continue;
    std::sort(kinds.begin(), kinds.end());
    const auto [at, is_new] = known.emplace(kinds, chunks_.size());
    if (is_new) {
      chunk_kinds_.push_back(chunk_of(std::move(kinds)));
      chunks_.emplace_back();
    }
    chunks_[at->second].push_back(static_cast<std::uint32_t>(chunk));
  }
}

std::optional<picked_vnodes> reducing::pick(const kind_of_chunk& from, const counted_resources::demand& need, std::size_t tries) const {
  if (from.bare && need.asks_any) return std::nullopt;
  return fewest_parts(from.vnodes, need.amounts, tries);
}

// What each would keep of a chunk of each kind.
void reducing::look_at_pairs() {
  std::map<counted_resources::demand, std::size_t> known;
  std::uint64_t asked = 0;  // behind more chunks than there are nobody is served
  for (std::size_t item = 0; item < need_.size() && asked < begins_.size(); asked += keep_.chunks[item++].count) {
    const auto [at, is_new] = known.emplace(need_[item], items_.size());
    if (is_new) items_.push_back(item);
    who_.push_back(at->second);
  }
  const auto pairs = items_.size() * chunk_kinds_.size();
  const auto tries = std::max(tries_min, reduce_tries_max / std::max<std::size_t>(pairs, 1));
  pairs_.reserve(pairs);
  for (const auto item : items_)
    for (const auto& kind : chunk_kinds_) pairs_.push_back(pick(kind, need_[item], tries));
}

values::result<reduction, not_reduced> reducing::result() {
  if (keep_.chunks.empty() || parts_.empty()) return not_for(0);
  std::vector<std::uint32_t> on_primary;
  for (auto p = begins_[0]; p < begins_[1]; ++p)
    if (!parts_[p].failed) on_primary.push_back(parts_[p].kind);
  const auto first = chunk_of(std::move(on_primary));
  const auto of_first = first.of.empty() ? std::nullopt : pick(first, need_[0], reduce_tries_max);
  if (!of_first) return not_for(0);
  take(0, first, *of_first);
  satisfies_[0] = 0;

  sort_chunks();
  look_at_pairs();
  const auto kinds = chunk_kinds_.size();
  cheapest_match match(items_.size(), chunks_, [&](std::size_t who, std::size_t kind) {
    const auto& picked = pairs_[who * kinds + kind];
    return picked ? &picked->cost : nullptr;
  });
  std::vector<std::vector<std::uint32_t>> units(items_.size());
  std::uint32_t unit = 0;
  for (std::size_t item = 0; item < keep_.chunks.size(); ++item)
    for (const auto end = unit + keep_.chunks[item].count; unit < end; ++unit) {
      if (unit == 0) continue;
      if (!match.serve(who_[item])) return not_for(item, &match);
      units[who_[item]].push_back(unit);
    }
  take_matched(match, units);
  keep_whole_hosts();
  return made();
}

void reducing::take(std::size_t chunk, const kind_of_chunk& kind, const picked_vnodes& picked) {
  auto left = picked.counts;
  for (auto p = begins_[chunk]; p < begins_[chunk + 1]; ++p) {
    if (parts_[p].failed) continue;
    const auto k = static_cast<std::size_t>(std::lower_bound(kind.of.begin(), kind.of.end(), parts_[p].kind) - kind.of.begin());
    if (left[k] == 0) continue;
    --left[k];
    kept_[p] = true;
  }
}

void reducing::take_matched(const cheapest_match& match, const std::vector<std::vector<std::uint32_t>>& units) {
  std::vector<std::vector<std::uint32_t>> got(items_.size());  // chunks, of each who
  for (std::size_t kind = 0; kind < chunk_kinds_.size(); ++kind) {
    std::size_t next = 0;
    for (const auto& use : match.users(kind))
      for (std::uint32_t n = 0; n < use.count; ++n) {
        const auto chunk = chunks_[kind][next++];
        take(chunk, chunk_kinds_[kind], *pairs_[use.who * chunk_kinds_.size() + kind]);
        got[use.who].push_back(chunk);
      }
  }
  for (std::size_t who = 0; who < got.size(); ++who) {
    std::sort(got[who].begin(), got[who].end());
    for (std::size_t i = 0; i < got[who].size(); ++i) satisfies_[got[who][i]] = units[who][i];
  }
}

void reducing::keep_whole_hosts() {
  std::unordered_set<std::string_view> hosts;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (kept_[p] && parts_[p].chunk < slots_.size()) hosts.insert(slots_[parts_[p].chunk].host);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto chunk = parts_[p].chunk;
    const bool alone = begins_[chunk + 1] - begins_[chunk] == 1;
    if (alone && vnode_kinds_[parts_[p].kind].bare && !parts_[p].failed && chunk < slots_.size() && hosts.contains(slots_[chunk].host))
      kept_[p] = true;
  }
}

std::string reducing::words_of(std::size_t chunk) const {
  amounts sum;
  amounts_reader read;
  values::exec_vnode_reader reader(has_.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);)
    if (p.chunk == chunk) sum.add(read(p.resources), 1);
  std::string words;
  for (const auto& [resource, amount] : sum) words += (words.empty() ? "" : " ") + resource + "=" + amount.print();
  return words;
}

// match: of the chunks behind the first, those before this item have got theirs. None: it is the first.
not_reduced reducing::not_for(std::size_t item, const cheapest_match* match) const {
  not_reduced out{{}, values::print(keep_), has_.exec_vnode(), !match, {}};
  if (item < keep_.chunks.size())
    for (const auto& r : keep_.chunks[item].resources) out.chunk += (out.chunk.empty() ? "" : " ") + r.name + "=" + r.value;
  std::optional<std::size_t> first;
  if (!match) first = 0;
  for (std::size_t kind = 0; match && kind < chunk_kinds_.size(); ++kind) {
    std::size_t used = 0;
    for (const auto& use : match->users(kind)) used += use.count;
    if (used < chunks_[kind].size()) first = std::min<std::size_t>(first.value_or(chunks_[kind][used]), chunks_[kind][used]);
  }
  if (first) out.available = words_of(*first);
  return out;
}

reduction reducing::made() const {
  reduction out;
  out.left = has_;
  out.released = out.left.keep(kept_);
  for (std::size_t chunk = 0; chunk < satisfies_.size(); ++chunk)
    if (std::find(kept_.begin() + static_cast<std::ptrdiff_t>(begins_[chunk]),
                  kept_.begin() + static_cast<std::ptrdiff_t>(begins_[chunk + 1]),
                  true) != kept_.begin() + static_cast<std::ptrdiff_t>(begins_[chunk + 1]))
      out.satisfies.push_back(satisfies_[chunk]);
  out.schedselect = values::print_with_counts(keep_);
  out.sums = attributes::sums_of(keep_, counted_->catalogue());
  return out;
}

}  // namespace

std::vector<std::string> not_reduced::lines() const {
  return {"could not satisfy select chunk (" + chunk + ")", "NEED chunks for keep_select (" + need + ")",
          "HAVE chunks from job's exec_vnode (" + have + ")", "HAVE chunks from job's exec_vnode: " + have};
}

values::result<reduction, not_reduced> reduce(const allocation& has, const values::select_spec& keep_select, const unusable& failed,
                                              const attributes::resource_catalogue& resources) {
  return reducing(has, keep_select, failed, resources).result();
}

std::optional<dropped> drop(const allocation& has, const std::vector<std::string>& vnodes) {
  const auto slots = values::parse_exec_host(has.exec_host()).value_or(values::exec_host_spec{});
  const std::unordered_set<std::string_view> going(vnodes.begin(), vnodes.end());
  std::unordered_set<std::string_view> found;
  std::vector<bool> kept;
  values::exec_vnode_reader reader(has.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    kept.push_back(!going.contains(p.vnode));
    if (kept.back()) continue;
    const bool on_primary = p.chunk == 0 || (p.chunk < slots.size() && slots[p.chunk].host == slots.front().host);
    if (on_primary) return std::nullopt;
    found.insert(p.vnode);
  }
  if (!reader.well_formed() || found.size() != going.size()) return std::nullopt;
  dropped out{{}, has};
  out.released = out.left.keep(kept);
  return out;
}

values::resource_list resources_after(values::resource_list before, const reduction& reduced) {
  if (const auto at = before.find("select"); at != before.end())
    if (const auto old = values::parse_select(at->second))
      for (const auto& chunk : old->chunks)
        for (const auto& r : chunk.resources) before.erase(r.name);
  for (const auto& [name, value] : reduced.sums) before.insert_or_assign(name, value);
  before.insert_or_assign("select", reduced.schedselect);
  return before;
}

}  // namespace annals::model
