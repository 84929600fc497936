#include "projections/status/query_parts.hpp"

#include "events/attributes/table.hpp"

namespace annals::projections {

filter::filter(schema::ObjectKind kind, const viewer& by, capnp::List<std::uint16_t>::Reader wanted) : by_(by) {
  for (const auto& row : attributes::table_of(kind)) {
    if (row.id >= shown_.size()) shown_.resize(row.id + 1, false);
    shown_[row.id] = by.sees(row);
  }
  if (wanted.size() == 0) return;
  std::vector<bool> chosen(shown_.size(), false);
  for (auto id : wanted)
    if (id < chosen.size()) chosen[id] = shown_[id];
  shown_ = std::move(chosen);
}

template <class Value>
std::string filter::apply_to(const attributes::attribute_set& row, Value&& value) const {
  attributes::attribute_set_writer out;
  out.buffer().reserve(row.packed().size());
  for (const auto& e : row)
    if (const auto seen = passes(e.id) && by_.sees_resource(e.resource) ? value(e) : std::nullopt) out.put(e.id, e.resource, *seen);
  return out.take();
}

std::string filter::apply(const attributes::attribute_set& row) const {
  return apply_to(row, [](const attributes::entry& e) { return std::optional(e.value); });
}

std::string filter::apply_for_others(const attributes::attribute_set& row) const {
  std::string kept;
  return apply_to(row, [&](const attributes::entry& e) { return seen_by_others(e.id, e.value, kept); });
}

void piecewise::add(std::string_view name, std::string row, fill_why why) {
  bytes_ += row.size();
  rows_.push_back({std::string(name), std::move(row), std::move(why)});
  if (rows_.size() == objects_per_reply || bytes_ >= reply_rows_bytes) send(false);
}

void piecewise::flush(bool last) {
  if (last || !rows_.empty()) send(last);
}

void piecewise::send(bool last) {
  send_(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    r.setId(id_);
    r.setSequence(sequence_);
    auto objects = r.initObjects();
    objects.setLast(last);
    auto list = objects.initObjects(static_cast<unsigned>(rows_.size()));
    for (unsigned i = 0; i < rows_.size(); ++i) {
      list[i].setName(rows_[i].name);
      list[i].setAttributes({reinterpret_cast<const kj::byte*>(rows_[i].packed.data()), rows_[i].packed.size()});
      if (rows_[i].why) rows_[i].why(list[i].initWhy());
    }
    if (!last) return;
    auto unknown = objects.initUnknown(static_cast<unsigned>(unknown_.size()));
    for (unsigned i = 0; i < unknown_.size(); ++i) {
      unknown[i].setName(unknown_[i].first);
      auto why = unknown[i].initRejection();
      why.setCode(unknown_[i].second.code);
      why.setText(unknown_[i].second.text);
    }
  }));
  rows_.clear();
  bytes_ = 0;
}

}  // namespace annals::projections
