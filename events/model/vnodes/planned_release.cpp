#include "events/model/vnodes/planned_release.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "events/attributes/resources.hpp"
#include "events/model/limits.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/model/vnodes/needed_vnodes.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace {

planned_release planned(reduction reduced, select_of_left now, const release_from& from, const attributes::resource_catalogue& resources,
                        const std::string& by) {
  planned_release out{change_of(reduced, now.satisfies, from.shown, now.select, resources, by), std::move(reduced.left)};
  out.left.renumber(std::move(now.satisfies), out.change.keep_select);
  return out;
}

bool is_amount(std::string_view text) {
  bool ok = false;
  read_amount(text, &ok);
  return ok;
}

// Amounts of several vnodes come to a sum; of anything else the first value stands.
void add(const values::named_value& more, values::select_chunk& to) {
  const auto at = std::ranges::find(to.resources, more.name, &values::named_value::name);
  if (at == to.resources.end()) return to.resources.push_back(more);
  if (!is_amount(at->value) || !is_amount(more.value)) return;
  auto sum = read_amount(at->value);
  sum.value += read_amount(more.value).value;
  at->value = sum.print();
}

values::select_chunk sum_of(const values::exec_chunk& chunk) {
  values::select_chunk sum;
  for (const auto& part : chunk.parts)
    for (const auto& r : part.resources) add(r, sum);
  return sum;
}

bool is_bare(const values::exec_chunk& chunk) {
  return std::ranges::all_of(chunk.parts, [](const auto& part) { return part.resources.empty(); });
}

// The run's chunks are numbered by this select: the server's, or the one of its last reduction.
std::optional<values::select_spec> select_answered(const allocation& has, const shown_request& shown) {
  auto asked = values::parse_select(has.select().empty() ? shown.schedselect : has.select());
  if (!asked) return std::nullopt;
  return std::move(*asked);
}

// Which resources the vnodes of each chunk had. A chunk that has lost all its vnodes with one of them asks for it no more. Both must
// outlive it.
class resources_held {
 public:
  resources_held(const allocation& had, const allocation& left) : left_(left), chunks_left_(left.chunks()) {
    values::exec_vnode_reader reader(had.exec_vnode());
    const auto chunks = had.chunks();
    for (values::exec_vnode_reader::part p; reader.next(p);) {
      if (p.chunk >= chunks) continue;
      auto& names = of_chunk_[had.chunk_of_select(p.chunk)];
      std::string_view rest = p.resources, name, value;
      while (values::next_resource(rest, name, value)) names.insert(name);
    }
  }
  // By chunk number `i` of what is left.
  bool by(std::size_t i, std::string_view resource) const {
    if (i >= chunks_left_) return false;
    const auto at = of_chunk_.find(left_.chunk_of_select(i));
    return at != of_chunk_.end() && at->second.contains(resource);
  }

 private:
  const allocation& left_;
  const std::size_t chunks_left_;
  std::map<std::size_t, std::set<std::string_view>> of_chunk_;  // by its number in the select
};

// The select of what is left: a chunk for each, with what its vnodes have, and what it asked besides (RD-13). None for chunks without
// resources, which place=exclhost adds.
std::optional<select_of_left> select_of(const allocation& left, const release_from& from) {
  const auto asked = select_answered(left, from.shown);
  const auto chunks = values::parse_exec_vnode(left.exec_vnode());
  if (!asked || !chunks) return std::nullopt;
  const resources_held held(from.has, left);
  const auto by_chunk = select_by_chunk(left, *asked);
  select_of_left out;
  for (std::size_t i = 0; i < chunks->chunks.size(); ++i) {
    const bool bare = is_bare(chunks->chunks[i]);
    out.satisfies.push_back(bare ? allocation::no_chunk : static_cast<std::uint32_t>(out.select.chunks.size()));
    if (bare) continue;
    auto& chunk = out.select.chunks.emplace_back(sum_of(chunks->chunks[i]));
    if (i >= by_chunk.chunks.size()) continue;  // without exec_host
    for (const auto& r : by_chunk.chunks[i].resources)
      if (!chunk.find(r.name) && !held.by(i, r.name)) chunk.resources.push_back(r);
  }
  return out;
}

void put(const values::named_value& value, values::select_chunk& to) {
  const auto at = std::ranges::find(to.resources, value.name, &values::named_value::name);
  if (at == to.resources.end()) to.resources.push_back(value);
  else at->value = value.value;
}

// As it was asked; where its vnodes have another amount, that.
values::select_chunk as_it_is(std::vector<values::named_value> asked, const values::select_chunk& has) {
  values::select_chunk out;
  out.resources = std::move(asked);
  for (const auto& r : has.resources) {
    const auto* before = out.find(r.name);
    const bool is_same = before && (!is_amount(r.value) || read_amount(*before) == read_amount(r.value));
    if (!is_same) put(r, out);
  }
  return out;
}

// The item of each chunk of a select, by the chunk's number.
std::vector<std::size_t> item_of_chunk(const values::select_spec& select, std::size_t chunks_max) {
  std::vector<std::size_t> out;
  for (std::size_t item = 0; item < select.chunks.size(); ++item)
    for (std::uint32_t n = 0; n < select.chunks[item].count && out.size() < chunks_max; ++n) out.push_back(item);
  return out;
}

// RS-88. A program that runs keeps chunks whole: its hosts would have them until they go (RD-20).
void let_go_what_nobody_needs(reduction& of, const values::select_spec& keep_select, const attributes::resource_catalogue& resources) {
  const auto items = item_of_chunk(keep_select, keep_select.chunk_count());
  std::vector<const values::select_chunk*> asked;
  for (const auto chunk : of.satisfies) asked.push_back(chunk < items.size() ? &keep_select.chunks[items[chunk]] : nullptr);
  const auto gone = of.left.keep(needed_vnodes(of.left, asked, resources));
  if (!gone.empty()) of.released += (of.released.empty() ? "" : "+") + gone;
}

run_words words_of(const release_from& from) {
  const auto asked = select_answered(from.has, from.shown);
  return {asked ? select_by_chunk(from.has, *asked) : values::select_spec{}, from.words};
}

}  // namespace

std::optional<select_of_left> chunks_left(const allocation& left, const std::vector<std::uint32_t>& kept_for,
                                          const values::select_spec& keep_select, const allocation& had, const shown_request& shown) {
  // It is unknown of an event that somebody wrote by hand.
  const auto asked = select_answered(left, shown).value_or(values::select_spec{});
  const resources_held held(had, left);
  const auto chunks = values::parse_exec_vnode(left.exec_vnode());
  if (!chunks) return std::nullopt;
  auto own_items = items_by_chunk(left, asked);
  own_items.resize(chunks->chunks.size(), asked.chunks.size());  // without exec_host nothing is known of them either
  const auto keep_items = item_of_chunk(keep_select, keep_select.chunk_count());
  select_of_left out;
  std::uint32_t number = 0;
  std::optional<std::pair<std::size_t, std::size_t>> last;  // items of the chunk before: equal ones stand together
  for (std::size_t i = 0; i < chunks->chunks.size(); ++i) {
    if (is_bare(chunks->chunks[i])) {
      out.satisfies.push_back(allocation::no_chunk);
      continue;
    }
    out.satisfies.push_back(number++);
    const bool was_asked = own_items[i] < asked.chunks.size();
    auto own = was_asked ? asked.chunks[own_items[i]].resources : std::vector<values::named_value>{};
    const auto there = sum_of(chunks->chunks[i]);
    std::erase_if(own, [&](const values::named_value& r) { return !there.find(r.name) && held.by(i, r.name); });
    auto chunk = as_it_is(std::move(own), there);
    const auto keep_item = i < kept_for.size() && kept_for[i] < keep_items.size() ? keep_items[kept_for[i]] : keep_select.chunks.size();
    if (keep_item < keep_select.chunks.size())
      for (const auto& r : keep_select.chunks[keep_item].resources)
        if (is_said_anew(r.name)) put(r, chunk);
    const std::pair items{own_items[i], keep_item};
    if (last == items && out.select.chunks.back().resources == chunk.resources) ++out.select.chunks.back().count;
    else out.select.chunks.push_back(std::move(chunk));
    last = items;
  }
  return out;
}

values::result<planned_release, not_reduced> kept_by(const values::select_spec& keep_select, const release_from& from, first_host first,
                                                     const attributes::resource_catalogue& resources, const std::string& by) {
  auto reduced = reduce(from.has, keep_select, from.failed, resources, words_of(from), first);
  if (!reduced) return reduced.error();
  if (first == first_host::answers_first) let_go_what_nobody_needs(*reduced, keep_select, resources);
  auto now = chunks_left(reduced->left, reduced->satisfies, keep_select, from.has, from.shown);
  if (!now || values::print(now->select).size() > limits::keep_select_bytes_max)
    return not_reduced{values::print(keep_select), values::print(keep_select), from.has.exec_vnode(), false, {}};
  return planned(std::move(*reduced), std::move(*now), from, resources, by);
}

std::optional<planned_release> without(const std::vector<std::string>& vnodes, const release_from& from,
                                       const attributes::resource_catalogue& resources, const std::string& by, select_form form) {
  auto dropped = drop(from.has, vnodes);
  if (!dropped) return std::nullopt;
  auto of_left =
      form == select_form::of_vnodes ? select_of(dropped->left, from) : chunks_left(dropped->left, {}, {}, from.has, from.shown);
  if (!of_left || values::print(of_left->select).size() > limits::keep_select_bytes_max) return std::nullopt;
  reduction reduced;
  reduced.released = std::move(dropped->released);
  reduced.left = std::move(dropped->left);
  return planned(std::move(reduced), std::move(*of_left), from, resources, by);
}

}  // namespace annals::model
