#include "events/model/vnodes/reduce.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/cheapest_match.hpp"
#include "events/model/vnodes/counted_resources.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace {

// Chunks that do the same for everybody.
struct kind_of_chunk {
  std::vector<std::int64_t> amounts;
  std::int64_t vnodes = 0;
  bool bare = false;            // no resources at all: added by exclhost
  std::vector<bool> has_words;  // of each list of words that is asked
  auto key() const { return std::tie(amounts, vnodes, bare, has_words); }
  bool operator<(const kind_of_chunk& other) const { return key() < other.key(); }
};

struct chunk_of_run {
  kind_of_chunk kind;
  bool failed = false;
};

class reducing {
 public:
  reducing(const allocation& has, const values::select_spec& keep, const unusable& failed, const attributes::resource_catalogue& known,
           const run_words& words, first_host first)
      : has_(has), keep_(keep), first_(first), slots_(values::parse_exec_host(has.exec_host()).value_or(values::exec_host_spec{})) {
    read_amounts(failed, known);
    for (const auto& chunk : keep.chunks) need_.push_back({counted_->asked_by(chunk), words_asked(chunk)});
    look_at_words(words);
  }

  values::result<reduction, not_reduced> result();

 private:
  struct demand {
    counted_resources::demand amounts;
    std::size_t words = 0;  // which list of asked_words_
    auto operator<=>(const demand&) const = default;
  };

  void read_amounts(const unusable& failed, const attributes::resource_catalogue& known);
  std::size_t words_asked(const values::select_chunk& chunk);
  void look_at_words(const run_words& known);
  bool is_on_first_host(std::size_t chunk) const;
  std::uint32_t turn_of(std::uint32_t chunk) const;
  void sort_chunks();
  std::optional<price> price_of(const kind_of_chunk& kind, const demand& need) const;
  void look_at_pairs();
  void take_matched(const cheapest_match& match, const std::vector<std::vector<std::uint32_t>>& units);
  void keep_whole_hosts();
  std::string amounts_of(std::size_t chunk) const;
  not_reduced not_for(std::size_t item, const cheapest_match* match = nullptr) const;
  reduction made() const;

  const allocation& has_;
  const values::select_spec& keep_;
  const first_host first_;
  const values::exec_host_spec slots_;
  std::optional<counted_resources> counted_;
  std::vector<demand> need_;                       // of each item of keep_select
  std::map<std::string, std::size_t> lists_;       // of words that are asked, by their text
  std::vector<values::select_chunk> asked_words_;  // the lists
  std::vector<chunk_of_run> chunks_;
  std::vector<kind_of_chunk> kinds_;                 // of chunks that may be chosen
  std::vector<std::vector<std::uint32_t>> of_kind_;  // chunks of each kind, as they are taken
  std::vector<std::size_t> who_;                     // of each item: those that ask the same are one
  std::vector<std::size_t> items_;                   // of each who: the first item that asks so
  std::vector<std::optional<price>> pairs_;          // who times kind of chunk
  std::vector<bool> kept_;                           // of chunks_
  std::vector<std::uint32_t> satisfies_;             // of each chunk
};

void reducing::read_amounts(const unusable& failed, const attributes::resource_catalogue& known) {
  const std::unordered_set<std::string_view> vnodes(failed.vnodes.begin(), failed.vnodes.end()),
      hosts(failed.hosts.begin(), failed.hosts.end());
  std::vector<std::string_view> texts;  // what parts ask of their vnodes, each once
  std::map<std::string_view, std::size_t> number_of;
  std::vector<std::vector<std::size_t>> of_chunk;
  values::exec_vnode_reader reader(has_.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    if (chunks_.size() == p.chunk) {
      chunks_.emplace_back().kind.bare = true;
      chunks_.back().failed = p.chunk < slots_.size() && hosts.contains(slots_[p.chunk].host);
      of_chunk.emplace_back();
    }
    auto& chunk = chunks_.back();
    ++chunk.kind.vnodes;
    chunk.kind.bare &= p.resources.empty();
    chunk.failed |= vnodes.contains(p.vnode);
    const auto [at, is_new] = number_of.emplace(p.resources, texts.size());
    if (is_new) texts.push_back(p.resources);
    of_chunk.back().push_back(at->second);
  }
  if (!reader.well_formed()) chunks_.clear();
  kept_.assign(chunks_.size(), false);
  satisfies_.assign(chunks_.size(), reduction::no_chunk);
  counted_.emplace(texts, keep_, known);
  std::vector<std::vector<std::int64_t>> amounts;
  for (const auto text : texts) amounts.push_back(counted_->of_vnode(text));
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    auto& sum = chunks_[i].kind.amounts;
    for (const auto text : of_chunk[i]) {
      sum.resize(amounts[text].size());
      for (std::size_t c = 0; c < sum.size(); ++c)
        if (__builtin_add_overflow(sum[c], amounts[text][c], &sum[c])) sum[c] = std::numeric_limits<std::int64_t>::max();
    }
  }
}

std::size_t reducing::words_asked(const values::select_chunk& chunk) {
  values::select_chunk words;
  for (const auto& r : chunk.resources)
    if (!counted_->counts(r.name) && !is_said_anew(r.name)) words.resources.push_back(r);
  const auto [at, is_new] = lists_.emplace(values::print(words), asked_words_.size());
  if (is_new) asked_words_.push_back(std::move(words));
  return at->second;
}

void reducing::look_at_words(const run_words& known) {
  const chunk_words there(has_, known, counted_->catalogue());
  for (std::size_t i = 0; i < chunks_.size(); ++i)
    for (const auto& asked : asked_words_)
      chunks_[i].kind.has_words.push_back(
          std::ranges::all_of(asked.resources, [&](const values::named_value& r) { return there.has(i, r.name, r.value); }));
}

bool reducing::is_on_first_host(std::size_t chunk) const {
  return chunk == 0 || (chunk < slots_.size() && slots_[chunk].host == slots_.front().host);
}

// From the end of the allocation a chunk that comes later is taken before.
std::uint32_t reducing::turn_of(std::uint32_t chunk) const {
  return first_ == first_host::answers_first ? chunk : static_cast<std::uint32_t>(chunks_.size()) - chunk;
}

// The chunks that may be chosen, by kind, in the order in which they are taken.
void reducing::sort_chunks() {
  std::map<kind_of_chunk, std::size_t> known;
  for (std::uint32_t turn = 1; turn < chunks_.size(); ++turn) {
    const auto i = turn_of(turn);  // and back
    if (chunks_[i].failed || kept_[i]) continue;
    const auto [at, is_new] = known.emplace(chunks_[i].kind, kinds_.size());
    if (is_new) {
      kinds_.push_back(chunks_[i].kind);
      of_kind_.emplace_back();
    }
    of_kind_[at->second].push_back(i);
  }
}

// Nothing: it will not do.
std::optional<price> reducing::price_of(const kind_of_chunk& kind, const demand& need) const {
  const auto& asked = need.amounts;
  if ((kind.bare && asked.asks_any()) || !kind.has_words[need.words]) return std::nullopt;
  bool has_what_is_named = true;
  for (std::size_t c = 0; c < asked.amounts.size(); ++c) {
    if (kind.amounts[c] < asked.amounts[c]) return std::nullopt;
    has_what_is_named &= !asked.named[c] || kind.amounts[c] == asked.amounts[c];
  }
  if (kind.bare) return price{2};  // it stays with its host anyway
  if (has_what_is_named) return price{0, kind.amounts != asked.amounts};
  return price{1, 1, kind.vnodes};
}

// Reckons the price of each kind of chunk for each item that asks.
void reducing::look_at_pairs() {
  std::map<demand, std::size_t> known;
  std::uint64_t asked = 0;  // behind more chunks than there are nobody is served
  for (std::size_t item = 0; item < need_.size() && asked <= chunks_.size(); asked += keep_.chunks[item++].count) {
    const auto [at, is_new] = known.emplace(need_[item], items_.size());
    if (is_new) items_.push_back(item);
    who_.push_back(at->second);
  }
  pairs_.reserve(items_.size() * kinds_.size());
  for (const auto item : items_)
    for (const auto& kind : kinds_) pairs_.push_back(price_of(kind, need_[item]));
}

values::result<reduction, not_reduced> reducing::result() {
  if (keep_.chunks.empty() || chunks_.empty()) return not_for(0);
  const bool answers = first_ == first_host::answers_first;
  if (answers) {
    if (chunks_[0].failed || !price_of(chunks_[0].kind, need_[0])) return not_for(0);
    kept_[0] = true;
    satisfies_[0] = 0;
  } else {
    for (std::size_t i = 0; i < chunks_.size(); ++i) kept_[i] = is_on_first_host(i);
  }
  sort_chunks();
  look_at_pairs();
  const auto kinds = kinds_.size();
  auto turns = of_kind_;
  for (auto& of_one : turns)
    for (auto& chunk : of_one) chunk = turn_of(chunk);
  cheapest_match match(items_.size(), std::move(turns), [&](std::size_t who, std::size_t kind) {
    const auto& cost = pairs_[who * kinds + kind];
    return cost ? &*cost : nullptr;
  });
  std::vector<std::vector<std::uint32_t>> units(items_.size());
  std::uint32_t unit = 0;
  for (std::size_t item = 0; item < keep_.chunks.size(); ++item)
    for (const auto end = unit + keep_.chunks[item].count; unit < end; ++unit) {
      if (unit == 0 && answers) continue;
      if (!match.serve(who_[item])) return not_for(item, &match);
      units[who_[item]].push_back(unit);
    }
  take_matched(match, units);
  keep_whole_hosts();
  return made();
}

void reducing::take_matched(const cheapest_match& match, const std::vector<std::vector<std::uint32_t>>& units) {
  std::vector<std::vector<std::uint32_t>> got(items_.size());  // chunks, of each who
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    std::size_t next = 0;
    for (const auto& use : match.users(kind))
      for (std::uint32_t n = 0; n < use.count; ++n) got[use.who].push_back(of_kind_[kind][next++]);
  }
  for (std::size_t who = 0; who < got.size(); ++who) {
    std::sort(got[who].begin(), got[who].end());
    for (std::size_t i = 0; i < got[who].size(); ++i) {
      kept_[got[who][i]] = true;
      satisfies_[got[who][i]] = units[who][i];
    }
  }
}

void reducing::keep_whole_hosts() {
  std::unordered_set<std::string_view> hosts;
  for (std::size_t i = 0; i < chunks_.size() && i < slots_.size(); ++i)
    if (kept_[i]) hosts.insert(slots_[i].host);
  for (std::size_t i = 0; i < chunks_.size() && i < slots_.size(); ++i) {
    const auto& chunk = chunks_[i];
    if (chunk.kind.bare && chunk.kind.vnodes == 1 && !chunk.failed && hosts.contains(slots_[i].host)) kept_[i] = true;
  }
}

std::string reducing::amounts_of(std::size_t chunk) const {
  amounts sum;
  amounts_reader read;
  values::exec_vnode_reader reader(has_.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);)
    if (p.chunk == chunk) sum.add(read(p.resources), 1);
  std::string words;
  for (const auto& [resource, amount] : sum) words += (words.empty() ? "" : " ") + resource + "=" + amount.print();
  return words;
}

// match: of the chunks that may be chosen, those before this item have got theirs. None: it is the first.
not_reduced reducing::not_for(std::size_t item, const cheapest_match* match) const {
  not_reduced out{{}, values::print(keep_), has_.exec_vnode(), !match, {}};
  if (item < keep_.chunks.size())
    for (const auto& r : keep_.chunks[item].resources) out.chunk += (out.chunk.empty() ? "" : " ") + r.name + "=" + r.value;
  std::optional<std::size_t> first;
  if (!match) first = 0;
  for (std::size_t kind = 0; match && kind < kinds_.size(); ++kind) {
    std::size_t used = 0;
    for (const auto& use : match->users(kind)) used += use.count;
    if (used < of_kind_[kind].size()) first = std::min<std::size_t>(first.value_or(of_kind_[kind][used]), of_kind_[kind][used]);
  }
  if (first) out.available = amounts_of(*first);
  return out;
}

reduction reducing::made() const {
  reduction out;
  out.left = has_;
  std::vector<bool> parts;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    parts.insert(parts.end(), static_cast<std::size_t>(chunks_[i].kind.vnodes), kept_[i]);
    if (kept_[i]) out.satisfies.push_back(satisfies_[i]);
  }
  out.released = out.left.keep(parts);
  return out;
}

}  // namespace

std::vector<std::string> not_reduced::lines() const {
  return {"could not satisfy select chunk (" + chunk + ")", "NEED chunks for keep_select (" + need + ")",
          "HAVE chunks from job's exec_vnode (" + have + ")", "HAVE chunks from job's exec_vnode: " + have};
}

values::result<reduction, not_reduced> reduce(const allocation& has, const values::select_spec& keep_select, const unusable& failed,
                                              const attributes::resource_catalogue& resources, const run_words& words, first_host first) {
  return reducing(has, keep_select, failed, resources, words, first).result();
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

}  // namespace annals::model
