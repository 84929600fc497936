// What a scheduler's view shows, as a text: two views that show the same give the same text.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "actors/scheduler/cycle/view.hpp"

namespace annals::test {

// Names, amounts and jobs of a view in one text; places left by what is gone do not count.
inline std::string dump(const cycle::view& v) {
  std::ostringstream out;
  std::map<std::string, std::string> queues, vnodes, jobs;
  for (const auto& q : v.queues())
    if (q.exists) queues[q.name] = std::to_string(q.priority) + " " + std::to_string(q.started) + " " + std::to_string(q.vnodes);
  for (const auto& n : v.vnodes()) {
    if (!n.exists) continue;
    std::ostringstream row;
    row << n.order << " " << v.vnodes().hosts()[n.host].name << " free=" << n.free << " exclusive=" << n.exclusive_jobs
        << " priority=" << n.priority;
    for (cycle::resource_id r = 0; r < v.resources().size(); ++r)
      if (n.available(r) || n.in_use(r)) row << " " << v.resources()[r].name << "=" << n.in_use(r) << "/" << n.available(r);
    for (const auto& j : n.jobs) row << " job" << j.job;
    vnodes[n.name] = row.str();
  }
  for (const auto& j : v.jobs()) {
    if (j.where == cycle::job_place::gone) continue;
    std::ostringstream row;
    row << j.serial << " " << static_cast<int>(j.where) << " " << v.queues()[j.queue].name << " rank=" << j.rank << " "
        << v.jobs().request_of(j).chunk_count << " " << j.euser << " '" << j.comment << "'";
    for (const auto& [h, slot] : j.slots) row << " " << v.vnodes().hosts()[h].name << "/" << slot;
    if (j.is_array()) {
      row << " may begin " << j.may_begin << " of";
      for (auto left = j.subjobs; !left.at_end(); left.pop()) row << " " << left.front();
    }
    jobs[j.id] = row.str();
  }
  for (const auto& [name, row] : queues) out << "queue " << name << " " << row << "\n";
  for (const auto& [name, row] : vnodes) out << "vnode " << name << " " << row << "\n";
  for (const auto& [id, row] : jobs) out << "job " << id << " " << row << "\n";
  return out.str();
}

}  // namespace annals::test
