#include "actors/mom/runs/current_order.hpp"

#include "actors/mom/hooks/hook_objects.hpp"
#include "actors/mom/host/start_order.hpp"
#include "events/model/run/order_now.hpp"
#include "events/model/vnodes/allocation_change.hpp"
#include "events/values/select.hpp"

namespace annals::actors {

namespace {

constexpr std::string_view schedselect = "schedselect";

// Five hundred hosts that have the same are one item.
values::select_spec neighbours_joined(const values::select_spec& select) {
  values::select_spec out;
  for (const auto& chunk : select.chunks) {
    if (!out.chunks.empty() && out.chunks.back().resources == chunk.resources) out.chunks.back().count += chunk.count;
    else out.chunks.push_back(chunk);
  }
  return out;
}

// A host counts the chunks it is told of from 0: so does the select it is told.
std::optional<std::string> schedselect_for_host(const model::allocation& has, schema::StartRun::Reader order) {
  const auto select = values::parse_select(mom::select_of(order, has));
  if (!select) return std::nullopt;
  return values::print_with_counts(neighbours_joined(model::select_by_chunk(has, *select)));
}

// Since its hosts joined.
std::vector<std::uint32_t> parts_gone(const model::run_state& run) {
  const auto left = model::allocation_of(run.order.get().getStartRun()).parts_in(run.allocated.exec_vnode(), run.allocated.exec_host());
  ANNALS_INVARIANT(left, "a run has parts of what it began with");
  std::vector<std::uint32_t> gone;
  for (std::uint32_t i = 0; i < left->size(); ++i)
    if (!(*left)[i]) gone.push_back(i);
  return gone;
}

void fill_common(schema::StartRun::Reader order, schema::StartRun::Builder to) {
  to.setRef(order.getRef());
  to.setOwner(order.getOwner());
  to.setEuser(order.getEuser());
  to.setEgroup(order.getEgroup());
  to.setQueue(order.getQueue());
  to.setServerName(order.getServerName());
  to.setKillDelaySeconds(order.getKillDelaySeconds());
}

// Of the order that is given now.
void fill_changes(const model::run_state& run, schema::StartRun::Reader now, schema::StartRun::Builder to) {
  auto changes = run.changes;
  if (auto select = schedselect_for_host(run.allocated, now)) {
    std::erase_if(changes, [](const model::shown_value& v) { return v.name == schedselect; });
    changes.push_back({std::string(schedselect), {}, std::move(select)});
  }
  fill_common(now, to);
  model::write_changes(changes, to.initAttributes(static_cast<unsigned>(changes.size())));
}

}  // namespace

void current_order::follow(const model::run_state& run) {
  const bool reduced = std::exchange(reductions_, run.reductions) != run.reductions;
  const bool hooks_ran = std::exchange(hook_runs_, run.hooks.runs.size()) != run.hooks.runs.size();
  const bool altered = std::exchange(alterations_, run.alterations) != run.alterations;
  if (reduced || hooks_ran || altered) changed_ = model::order_now(run, order_changes(run.hooks.runs));
  if (!reduced) return;
  update_ = schema::make<schema::ToSister>([&](schema::ToSister::Builder m) {
    auto u = m.initUpdate();
    fill_changes(run, of(run).get().getStartRun(), u.initOrder());
    u.setNumber(run.reductions);
    const auto gone = parts_gone(run);
    u.setGone({gone.data(), gone.size()});
  });
}

void current_order::fill_for_host(const model::run_state& run, schema::StartRun::Builder to) const {
  const auto order = of(run).get().getStartRun();
  fill_common(order, to);
  to.setAttributes(order.getAttributes());
  to.setExecVnode(run.allocated.exec_vnode());
  to.setExecHost(run.allocated.exec_host());
  if (run.reductions == 0) return;
  for (auto a : to.getAttributes())
    if (schema::text(a.asReader().getName()) == schedselect)
      if (const auto select = schedselect_for_host(run.allocated, order)) a.setValue(*select);
}

}  // namespace annals::actors
