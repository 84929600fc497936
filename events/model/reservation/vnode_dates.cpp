#include "events/model/reservation/vnode_dates.hpp"

#include <iterator>

#include "events/values/exec_vnode.hpp"

namespace annals::model {

const vnode_amounts& place_reader::operator()(std::string_view exec_vnode) {
  if (exec_vnode == last_) return read_;
  last_ = exec_vnode;
  read_.clear();
  values::exec_vnode_reader parts(exec_vnode);
  amounts_reader read;
  for (values::exec_vnode_reader::part p; parts.next(p);) read_[std::string(p.vnode)].add(read(p.resources), +1);
  return read_;
}

// A step begins there.
vnode_dates::steps::iterator vnode_dates::split(steps& all, std::int64_t at) {
  const auto next = all.lower_bound(at);
  if (next != all.end() && next->first == at) return next;
  return all.emplace_hint(next, at, next == all.begin() ? std::vector<holder>() : std::prev(next)->second);
}

// No step begins where nothing changes.
void vnode_dates::join(steps& all, std::int64_t at) {
  const auto here = all.find(at);
  if (here == all.begin() ? here->second.empty() : here->second == std::prev(here)->second) all.erase(here);
}

void vnode_dates::book(const std::string& vnode, span time, const holder& h) {
  if (time.start_ns >= time.end_ns) return;
  auto& all = booked_[vnode];
  const auto end = split(all, time.end_ns);
  for (auto step = split(all, time.start_ns); step != end; ++step) step->second.push_back(h);
}

void vnode_dates::free(const std::string& vnode, span time, const holder& h) {
  const auto at = booked_.find(vnode);
  if (at == booked_.end() || time.start_ns >= time.end_ns) return;
  auto& all = at->second;
  const auto end = split(all, time.end_ns);
  for (auto step = split(all, time.start_ns); step != end; ++step)
    if (const auto its = std::find(step->second.begin(), step->second.end(), h); its != step->second.end()) step->second.erase(its);
  join(all, time.end_ns);
  join(all, time.start_ns);
  if (all.empty()) booked_.erase(at);
}

}  // namespace annals::model
