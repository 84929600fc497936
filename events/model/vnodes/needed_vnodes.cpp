#include "events/model/vnodes/needed_vnodes.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "events/model/vnodes/counted_resources.hpp"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace {

using amounts_of_vnodes = std::vector<std::vector<std::int64_t>>;
using demand = counted_resources::demand;

bool is_nothing(std::string_view resources, const counted_resources& counted) {
  if (resources.empty()) return false;  // place=exclhost added it
  const auto amounts = counted.of_vnode(resources);
  std::string_view rest = resources, name, value;
  while (values::next_resource(rest, name, value))
    if (!counted.counts(name)) return false;
  return std::ranges::all_of(amounts, [](std::int64_t n) { return n == 0; });
}

// How the vnodes that stay compare with what is asked of one resource: below 0, they have less. Sums may be too large for a number.
int compare(const amounts_of_vnodes& has, const std::vector<bool>& stays, std::size_t resource, std::int64_t asked) {
  for (std::size_t v = 0; v < has.size(); ++v) {
    if (!stays[v]) continue;
    if (has[v][resource] > asked) return 1;
    asked -= has[v][resource];
  }
  return asked > 0 ? -1 : 0;
}

bool is_enough(const amounts_of_vnodes& has, const std::vector<bool>& stays, const demand& asked) {
  for (std::size_t r = 0; r < asked.amounts.size(); ++r)
    if (asked.named[r] && compare(has, stays, r, asked.amounts[r]) < 0) return false;
  return true;
}

bool has_more(const amounts_of_vnodes& has, const std::vector<bool>& stays, const demand& asked) {
  for (std::size_t r = 0; r < asked.amounts.size(); ++r)
    if (asked.named[r] && compare(has, stays, r, asked.amounts[r]) > 0) return true;
  return false;
}

// The vnodes from the one with the least of what is named, of equal ones the last first.
std::vector<std::size_t> from_the_least(const amounts_of_vnodes& has, const demand& asked) {
  auto named = has;
  for (auto& amounts : named)
    for (std::size_t r = 0; r < amounts.size(); ++r)
      if (!asked.named[r]) amounts[r] = 0;
  std::vector<std::size_t> order(has.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return named[a] < named[b]; });
  return order;
}

std::vector<bool> needed_of_chunk(const std::vector<std::string_view>& vnodes, const demand& asked, const counted_resources& counted) {
  std::vector<bool> stays(vnodes.size(), true);
  amounts_of_vnodes has;
  for (const auto resources : vnodes) has.push_back(counted.of_vnode(resources));
  auto left = vnodes.size();
  for (auto v = vnodes.size(); v-- > 0 && left > 1;)
    if (is_nothing(vnodes[v], counted)) {
      stays[v] = false;
      --left;
    }
  if (left == 1 || !has_more(has, stays, asked)) return stays;
  for (const auto v : from_the_least(has, asked)) {
    if (!stays[v] || left == 1) continue;
    stays[v] = false;
    if (is_enough(has, stays, asked)) --left;
    else stays[v] = true;
  }
  return stays;
}

}  // namespace

std::vector<bool> needed_vnodes(const allocation& has, const std::vector<const values::select_chunk*>& asked,
                                const attributes::resource_catalogue& resources) {
  std::vector<std::vector<std::string_view>> chunks;  // what each has of its vnodes
  std::vector<std::string_view> texts;
  values::exec_vnode_reader reader(has.exec_vnode());
  for (values::exec_vnode_reader::part p; reader.next(p);) {
    if (p.chunk == chunks.size()) chunks.emplace_back();
    chunks[p.chunk].push_back(p.resources);
    texts.push_back(p.resources);
  }
  if (chunks.size() == texts.size()) return std::vector<bool>(texts.size(), true);  // a vnode each
  values::select_spec all;
  for (const auto* chunk : asked)
    if (chunk) all.chunks.push_back(*chunk);
  const counted_resources counted(texts, all, resources);
  std::vector<bool> out;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const bool may_go = chunks[i].size() > 1 && i < asked.size() && asked[i];
    const auto stays =
        may_go ? needed_of_chunk(chunks[i], counted.asked_by(*asked[i]), counted) : std::vector<bool>(chunks[i].size(), true);
    out.insert(out.end(), stays.begin(), stays.end());
  }
  return out;
}

}  // namespace annals::model
