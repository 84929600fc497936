#include "events/model/assignment.hpp"

#include <algorithm>
#include <cmath>

#include "events/schema/message.hpp"
#include "events/values/exec_vnode.hpp"
#include "events/values/number.hpp"
#include "events/values/size.hpp"

namespace annals::model {

std::string amount::print() const {
  if (is_size) return std::to_string(static_cast<std::int64_t>(value)) + "kb";
  return values::print_real(value);
}

amount read_amount(std::string_view text, bool* ok) {
  if (ok) *ok = true;
  if (!text.empty() && text.find_first_not_of("0123456789.-") == std::string_view::npos) {
    if (const auto number = values::parse_real(text)) return {*number, false};
  }
  if (const auto size = values::parse_size(text)) return {static_cast<double>(size->to_kb()), true};
  if (ok) *ok = false;
  return {};
}

hold_kind hold_of(std::string_view place, std::string_view sharing) {
  auto has = [&](std::string_view word) {
    for (std::size_t at = 0; at <= place.size();) {
      const auto end = std::min(place.find(':', at), place.size());
      if (place.substr(at, end - at) == word) return true;
      at = end + 1;
    }
    return false;
  };
  const bool asks_exclusive = has("excl") || has("exclhost");
  if (sharing == "ignore_excl") return hold_kind::shared;
  if (sharing.starts_with("force_excl")) return hold_kind::exclusive;
  if (sharing.starts_with("default_excl")) return has("shared") ? hold_kind::shared : hold_kind::exclusive;
  return asks_exclusive ? hold_kind::exclusive : hold_kind::shared;
}

bool vnode_use::exclusive() const {
  return std::any_of(jobs.begin(), jobs.end(), [](const vnode_job& j) { return j.exclusive; });
}

const vnode_use* assignment_book::find(std::string_view vnode) const {
  const auto at = vnodes_.find(vnode);
  return at == vnodes_.end() ? nullptr : &at->second;
}

std::vector<assignment_book::part> assignment_book::parts_of(std::string_view exec_vnode) {
  std::vector<part> parts;
  const auto parsed = values::parse_exec_vnode(exec_vnode);
  if (!parsed) return parts;
  for (const auto& chunk : parsed->chunks)
    for (const auto& piece : chunk.parts) {
      part p;
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

namespace {
// The lowest cpu slots that no job has.
std::vector<std::uint32_t> free_slots(const vnode_use& use, std::uint32_t wanted) {
  std::vector<bool> taken;
  for (const auto& j : use.jobs)
    for (auto s : j.slots) {
      if (s >= taken.size()) taken.resize(s + 1);
      taken[s] = true;
    }
  std::vector<std::uint32_t> slots;
  for (std::uint32_t s = 0; slots.size() < wanted; ++s)
    if (s >= taken.size() || !taken[s]) slots.push_back(s);
  return slots;
}
}  // namespace

void assignment_book::add(std::uint64_t job, std::string_view id, std::string_view place, const part& p, vnode_facts facts) {
  auto& use = vnodes_[p.vnode];
  auto& of_job = vnodes_of_job_[job];
  if (std::find(of_job.begin(), of_job.end(), p.vnode) == of_job.end()) of_job.push_back(p.vnode);
  vnode_job j;
  j.job = job;
  j.id = id;
  j.host = facts.host.empty() ? p.vnode : std::string(facts.host);
  // A part without cpus is listed too, with slot 0 (pbs guide: jobs attribute of a vnode).
  j.slots = p.cpus > 0 ? free_slots(use, p.cpus) : std::vector<std::uint32_t>{0};
  j.held = p.asked;
  j.exclusive = hold_of(place, facts.sharing) == hold_kind::exclusive;
  for (const auto& [resource, a] : p.asked) {
    auto& total = use.assigned[resource];
    total.value += a.value;
    total.is_size |= a.is_size;
  }
  use.jobs.push_back(std::move(j));
}

void assignment_book::hand_back(std::uint64_t job, std::string_view host, std::int64_t when_s) {
  const auto held = vnodes_of_job_.find(job);
  if (held == vnodes_of_job_.end()) return;
  bool holds_more = false;
  for (const auto& name : held->second) {
    auto& use = vnodes_[name];
    const auto before = use.jobs.size();
    for (const auto& j : use.jobs)
      if (j.job == job && j.host == host)
        for (const auto& [resource, a] : j.held) use.assigned[resource].value -= a.value;
    std::erase_if(use.jobs, [&](const vnode_job& j) { return j.job == job && j.host == host; });
    if (use.jobs.size() != before) use.last_used_s = when_s;
    holds_more |= std::any_of(use.jobs.begin(), use.jobs.end(), [&](const vnode_job& j) { return j.job == job; });
  }
  if (!holds_more) vnodes_of_job_.erase(held);
}

void assignment_book::suspend(std::uint64_t job, std::string_view id, schema::JobSuspended::Reader e) {
  const auto held = vnodes_of_job_.find(job);
  if (held == vnodes_of_job_.end()) return;
  if (e.getAdmin())
    for (const auto& name : held->second) vnodes_[name].maintenance.emplace_back(id);
  if (e.getPartly()) return change_held(job, schema::text(e.getReleased()), -1);
  for (const auto& name : held->second) {
    auto& use = vnodes_[name];
    for (const auto& j : use.jobs)
      if (j.job == job)
        for (const auto& [resource, a] : j.held) use.assigned[resource].value -= a.value;
    std::erase_if(use.jobs, [&](const vnode_job& j) { return j.job == job; });
  }
  vnodes_of_job_.erase(held);
}

// Amounts of one job on one vnode are added up, so it does not matter which of its entries there they are taken from.
void assignment_book::change_held(std::uint64_t job, std::string_view exec_vnode, int sign) {
  for (const auto& part : parts_of(exec_vnode))
    for (auto& j : vnodes_[part.vnode].jobs) {
      if (j.job != job) continue;
      for (const auto& [resource, a] : part.asked) {
        j.held[resource].value += sign * a.value;
        vnodes_[part.vnode].assigned[resource].value += sign * a.value;
      }
      break;
    }
}

void assignment_book::end_maintenance(std::string_view id) {
  for (auto& [name, use] : vnodes_) std::erase(use.maintenance, id);
}

void assignment_book::restore(const std::string& vnode, vnode_use use) {
  for (const auto& j : use.jobs) {
    auto& of_job = vnodes_of_job_[j.job];
    if (std::find(of_job.begin(), of_job.end(), vnode) == of_job.end()) of_job.push_back(vnode);
  }
  vnodes_[vnode] = std::move(use);
}

}  // namespace annals::model
