#include "projections/status/queue_sums.hpp"

#include "events/attributes/ids.hpp"
#include "events/model/vnodes/amounts.hpp"

namespace annals::projections {

namespace {

// Of each resource at least so much.
void rise_to(resource_sums& sums, const resource_sums& least) {
  for (const auto& [resource, value] : least) {
    auto& sum = sums[resource];
    if (sum.empty() || model::read_amount(sum).value < model::read_amount(value).value) sum = value;
  }
}

resource_sums reserved_by(const model::reservation_state& r, const attributes::resource_catalogue& catalogue) {
  resource_sums sums;
  for (const auto& e : r.attributes) {
    const auto* known = e.id == attributes::reservation::Resource_List ? catalogue.find(e.resource) : nullptr;
    if (known && known->has(attributes::summed)) sums.emplace(e.resource, e.value);
  }
  return sums;
}

// In the place of what its jobs have.
void count_reservation(counted_resources& all, const status& from, const model::reservation_state& r) {
  const auto& catalogue = from.server().resources;
  auto sums = reserved_by(r, catalogue);
  if (const auto* of_jobs = from.assigned().of(r.id)) {
    all.take_away(*of_jobs);
    rise_to(sums, of_jobs->sums(catalogue));
  }
  for (const auto& [resource, value] : sums) all.count(resource, value, +1);
}

}  // namespace

resource_sums assigned_in_queue(const status& from, std::string_view queue) {
  const auto* counted = from.assigned().of(queue);
  return counted ? counted->sums(from.server().resources) : resource_sums();
}

resource_sums assigned_in_server(const status& from) {
  resource_sums sums;
  if (from.open_windows().empty()) {
    sums = assigned_in_queue(from, "");
  } else {
    const auto* of_jobs = from.assigned().of("");
    auto all = of_jobs ? *of_jobs : counted_resources();
    for (const auto& [serial, place] : from.open_windows().places()) count_reservation(all, from, from.reservations().at(serial));
    sums = all.sums(from.server().resources);
  }
  // Whatever is assigned on vnodes has a sum, 0 after the jobs have gone.
  for (const auto& [resource, is_size] : from.assigned().ever_used()) {
    const auto* known = from.server().resources.find(resource);
    if (known && known->has(attributes::summed)) sums.try_emplace(resource, is_size ? "0kb" : "0");
  }
  return sums;
}

}  // namespace annals::projections
