#include "events/model/run/order_now.hpp"

#include <algorithm>

namespace annals::model {

schema::sealed<schema::ToMom> order_now(const run_state& run) {
  if (!run.order || run.changes.empty()) return {};
  const auto start = run.order.get().getStartRun();
  std::vector<shown_value> shown;
  for (auto a : start.getAttributes()) {
    const auto is_changed = [&](const shown_value& v) {
      return v.name == schema::text(a.getName()) && v.resource == schema::text(a.getResource());
    };
    if (std::ranges::none_of(run.changes, is_changed)) shown.push_back(read_change(a));
  }
  std::ranges::copy_if(run.changes, std::back_inserter(shown), [](const shown_value& v) { return v.value.has_value(); });
  return schema::make<schema::ToMom>([&](schema::ToMom::Builder m) {
    m.setStartRun(start);
    write_changes(shown, m.getStartRun().initAttributes(static_cast<unsigned>(shown.size())));
  });
}

std::vector<std::size_t> items_by_chunk(const allocation& has, const values::select_spec& select) {
  std::vector<std::uint64_t> ends;  // the number of the chunk behind each item's last
  for (const auto& item : select.chunks) ends.push_back((ends.empty() ? 0 : ends.back()) + item.count);
  const auto count = has.exec_host().empty() ? 0 : std::ranges::count(has.exec_host(), '+') + 1;
  std::vector<std::size_t> items(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), has.chunk_of_select(i)) - ends.begin());
  return items;
}

values::select_spec select_by_chunk(const allocation& has, const values::select_spec& select) {
  values::select_spec out;
  for (const auto item : items_by_chunk(has, select)) {
    auto& chunk = out.chunks.emplace_back();
    if (item == select.chunks.size()) chunk.resources = {{"ncpus", "0"}};
    else chunk.resources = select.chunks[item].resources;
  }
  return out;
}

}  // namespace annals::model
