// Subjobs of arrays between their proposal and their beginning: jobs whose serial holds their array's and their index.
#include <algorithm>
#include <utility>

#include "actors/scheduler/cycle/view.hpp"
#include "events/values/job_id.hpp"

namespace annals::cycle {

std::optional<std::uint32_t> view::next_subjob(index array_at) {
  auto& left = jobs_[array_at].subjobs;
  while (!left.at_end() && job_ids_.contains(values::subjob_number(jobs_[array_at].serial, left.front()))) left.pop();
  return left.at_end() ? std::nullopt : std::optional(left.front());
}

bool view::may_begin_another(const job& array) const {
  const auto begin = subjobs_.find(array.serial);
  return (begin == subjobs_.end() ? 0 : begin->second.size()) < array.may_begin;
}

index view::make_subjob(index array_at) {
  const auto subjob = *next_subjob(array_at);
  const index at = free_place();
  job& array = jobs_[array_at];
  auto others = std::exchange(array.subjobs, {});  // there may be many
  jobs_[at] = array;
  array.subjobs = std::move(others);
  ++requests_[array.request].users;
  limits_.count_another(array.owners);
  jobs_[at].serial = values::subjob_number(array.serial, subjob);
  job_ids_[jobs_[at].serial] = at;
  add_subjob(at, array.serial, subjob, array.id);
  return at;
}

void view::add_subjob(index at, std::uint64_t array, std::uint32_t subjob, std::string_view array_id) {
  job& j = jobs_[at];
  j.id = subjob_id(array_id, subjob);
  j.array = array;
  j.subjobs = {};
  subjobs_[array].push_back(at);
}

// Of those that are kept nothing is known that was not before: they are to be run as far as the server knows.
void view::drop_subjobs(std::uint64_t array, const subjob_list* but) {
  auto dropped = subjobs_.extract(array);
  if (dropped.empty()) return;
  std::vector<index> kept;
  for (const index at : dropped.mapped()) {
    if (but && but->has(values::index_of(jobs_[at].serial))) kept.push_back(at);
    else remove_job(at);
  }
  if (const index at = place_of_job(array); at != none) jobs_[at].subjobs.rewind();
  if (kept.empty()) return;
  dropped.mapped() = std::move(kept);
  subjobs_.insert(std::move(dropped));
}

void view::settle_subjobs() {
  while (!subjobs_.empty()) drop_subjobs(subjobs_.begin()->first);
}

}  // namespace annals::cycle
