#include "projections/status/query_parts.hpp"

#include <cstring>

#include "events/attributes/table.hpp"
#include "events/schema/sized_message.hpp"

namespace annals::projections {

filter::filter(schema::ObjectKind kind, const viewer& by, capnp::List<std::uint16_t>::Reader wanted) : by_(by) {
  for (const auto& row : attributes::table_of(kind)) {
    if (row.id >= shown_.size()) shown_.resize(row.id + 1, false);
    shown_[row.id] = by.sees(row);
  }
  if (wanted.size() == 0) return;
  std::vector<char> chosen(shown_.size(), false);
  for (auto id : wanted)
    if (id < chosen.size()) chosen[id] = shown_[id];
  shown_ = std::move(chosen);
}

void filter::leave_out(attributes::attribute_id id) {
  if (id < shown_.size()) shown_[id] = false;
}

// Entries that lie side by side and go out as they are, are copied together.
template <class HasOtherForm, class AppendOther>
void filter::append_runs(const attributes::attribute_set& row, std::string& to, const HasOtherForm& has_other_form,
                         const AppendOther& append_other) const {
  auto at = row.begin();
  const auto end = row.end();
  const char* run = at.packed();
  const auto append_run = [&] { to.append(run, static_cast<std::size_t>(at.packed() - run)); };
  while (at != end) {
    const bool is_seen = passes(at->id) && by_.sees_resource(at->resource);
    if (is_seen && !has_other_form(at->id)) {
      ++at;
      continue;
    }
    append_run();
    if (is_seen) append_other(*at);
    ++at;
    run = at.packed();
  }
  append_run();
}

void filter::append(const attributes::attribute_set& row, std::string& to) const {
  append_runs(
      row, to, [](attributes::attribute_id) { return false; }, [](const attributes::entry&) {});
}

void filter::append_for_others(const attributes::attribute_set& row, std::string& to) const {
  std::string kept;
  append_runs(row, to, is_seen_otherwise_by_others, [&](const attributes::entry& e) {
    if (const auto seen = seen_by_others(e.id, e.value, kept)) attributes::append_entry(to, e.id, e.resource, *seen);
  });
}

std::string filter::apply(const attributes::attribute_set& row) const {
  std::string out;
  append(row, out);
  return out;
}

void piecewise::added(std::string_view name, fill_why why) {
  names_ += name;
  rows_.push_back({packed_.size(), names_.size(), std::move(why)});
  if (rows_.size() == objects_per_reply || packed_.size() >= reply_rows_bytes) send(false);
}

void piecewise::flush(bool last) {
  if (last || !rows_.empty()) send(last);
}

// Roughly what the message takes, so that it is made in one piece.
std::size_t piecewise::words() const {
  constexpr std::size_t for_each = 8, for_all = 64;
  return for_all + (packed_.size() + names_.size()) / sizeof(capnp::word) + rows_.size() * for_each;
}

void piecewise::fill(schema::Objects::Builder objects) const {
  auto list = objects.initObjects(static_cast<unsigned>(rows_.size()));
  std::size_t begin = 0, name_begin = 0;
  for (unsigned i = 0; i < rows_.size(); ++i) {
    const auto& row = rows_[i];
    const auto size = row.end - begin, name_size = row.name_end - name_begin;
    auto object = list[i];
    std::memcpy(object.initName(static_cast<unsigned>(name_size)).begin(), names_.data() + name_begin, name_size);
    object.setAttributes({reinterpret_cast<const kj::byte*>(packed_.data()) + begin, size});
    if (row.why) row.why(object.initWhy());
    begin = row.end;
    name_begin = row.name_end;
  }
}

void piecewise::send(bool last) {
  send_(schema::make_sized<schema::Reply>(words(), [&](schema::Reply::Builder r) {
    r.setId(id_);
    r.setSequence(sequence_);
    auto objects = r.initObjects();
    objects.setLast(last);
    fill(objects);
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
  packed_.clear();
  names_.clear();
}

}  // namespace annals::projections
