#include "events/model/vnodes/amounts.hpp"

#include <algorithm>

#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::model {

std::string amount::print() const {
  if (is_size) return std::to_string(static_cast<std::int64_t>(value)) + "kb";
  return values::print_real(value);
}

const amounts::entry* amounts::find(std::string_view resource) const {
  return std::find_if(begin(), end(), [&](const entry& e) { return e.first == resource; });
}

double amounts::value_of(std::string_view resource) const {
  const auto* at = find(resource);
  return at == end() ? 0 : at->second.value;
}

// Entries of its own, with room for so many.
void amounts::unshare(std::size_t room) {
  if (entries_.use_count() == 1 && room == size_) return;
  auto own = std::make_shared<entry[]>(room);
  std::copy(begin(), end(), own.get());
  entries_ = std::move(own);
}

amount& amounts::operator[](std::string_view resource) {
  if (const auto* at = find(resource); at != end()) {
    const auto place = at - begin();
    unshare(size_);
    return entries_[place].second;
  }
  unshare(size_ + 1);
  auto* const last = entries_.get() + size_++;
  last->first = resource;
  const auto at = std::upper_bound(entries_.get(), last, *last, [](const entry& a, const entry& b) { return a.first < b.first; });
  std::rotate(at, last, last + 1);
  return at->second;
}

void amounts::add(const amounts& more, int sign) {
  for (const auto& [resource, a] : more) {
    auto& sum = (*this)[resource];
    sum.value += sign * a.value;
    sum.is_size |= a.is_size;
  }
}

bool amounts::operator==(const amounts& other) const {
  return (entries_ == other.entries_ && size_ == other.size_) || std::equal(begin(), end(), other.begin(), other.end());
}

amount read_amount(std::string_view text, bool* ok) {
  if (ok) *ok = true;
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; });
  if (digits) {
    if (const auto number = values::parse_real(text)) return {*number, false};
  }
  if (const auto size = values::parse_size(text)) return {static_cast<double>(size->to_kb()), true};
  if (ok) *ok = false;
  return {};
}

const amounts& amounts_reader::operator()(std::string_view resources) {
  if (resources == last_) return read_;
  last_ = resources;
  read_ = {};
  std::string_view name, value;
  while (values::next_resource(resources, name, value)) {
    bool counts = false;
    const auto a = read_amount(value, &counts);
    if (counts) read_[name] = a;
  }
  return read_;
}

std::vector<asked_part> parts_of(std::string_view exec_vnode) {
  std::vector<asked_part> parts;
  const auto parsed = values::parse_exec_vnode(exec_vnode);
  if (!parsed) return parts;
  for (const auto& chunk : parsed->chunks)
    for (const auto& piece : chunk.parts) {
      asked_part p;
      p.vnode = piece.vnode;
      for (const auto& [resource, text] : piece.resources) {
        bool ok = false;
        const amount a = read_amount(text, &ok);
        if (!ok) continue;
        p.asked[resource] = a;
        if (resource == "ncpus") p.cpus = static_cast<std::uint32_t>(a.value);
      }
      parts.push_back(std::move(p));
    }
  return parts;
}

std::string_view aoe_of_part(std::string_view resources) {
  std::string_view name, value;
  while (values::next_resource(resources, name, value))
    if (name == "aoe") return value;
  return {};
}

std::vector<vnode_aoe> vnodes_to_provision(std::string_view exec_vnode) {
  std::vector<vnode_aoe> found;
  values::exec_vnode_reader parts(exec_vnode);
  for (values::exec_vnode_reader::part p; parts.next(p);) {
    const auto aoe = aoe_of_part(p.resources);
    const auto known = std::any_of(found.begin(), found.end(), [&](const vnode_aoe& f) { return f.vnode == p.vnode; });
    if (!aoe.empty() && !known) found.push_back({std::string(p.vnode), std::string(aoe)});
  }
  return found;
}

}  // namespace annals::model
