#include "events/model/job/gathered_attributes.hpp"

#include <algorithm>

#include "events/model/outcome.hpp"

namespace annals::model {

gathered_attributes::memory& gathered_attributes::of_this_thread() {
  thread_local memory m;
  return m;
}

gathered_attributes::gathered_attributes() : gathered_attributes(of_this_thread()) {
  entries_.clear();
  for (const auto& [id, value] : queued_defaults) put(id, value);
}

void gathered_attributes::put(std::size_t n, std::string_view name, std::string_view resource, std::string_view value) {
  auto& row = rows_[n % rows_.size()];
  if (!row || row->name != name) row = attributes::find(schema::ObjectKind::JOB, name);
  if (row) put(row->id, resource, value);
}

attributes::attribute_set gathered_attributes::pack() {
  sort();
  const auto is_of_one_place = [](const auto& a, const auto& b) { return a.id == b.id && a.resource == b.resource; };
  std::size_t kept = 0, bytes = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto& e = of(order_[i]);
    if (i + 1 < order_.size() && is_of_one_place(e, of(order_[i + 1]))) continue;
    bytes += 8 + e.resource.size() + e.value.size();  // a little more than it takes
    order_[kept++] = order_[i];
  }
  order_.resize(kept);
  attributes::attribute_set_writer writer;
  writer.buffer().reserve(bytes);
  for (const auto place : order_) writer.put(of(place).id, of(place).resource, of(place).value);
  auto packed = attributes::attribute_set::from_packed(writer.buffer());
  ANNALS_INVARIANT(packed.has_value(), "sorted attributes are a set");
  return *packed;
}

// Numbers are sorted; then the few that have one id, by their resource.
void gathered_attributes::sort() {
  order_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) order_.push_back(std::uint64_t{entries_[i].id} << 32 | i);
  std::sort(order_.begin(), order_.end());
  for (auto first = order_.begin(); first != order_.end();) {
    const auto last = std::find_if(first, order_.end(), [&](std::uint64_t p) { return of(p).id != of(*first).id; });
    if (last - first > 1)
      std::sort(first, last, [this](std::uint64_t a, std::uint64_t b) {
        const int order = of(a).resource.compare(of(b).resource);
        return order != 0 ? order < 0 : a < b;
      });
    first = last;
  }
}

}  // namespace annals::model
