#include "actors/scheduler/cycle/job_intake.hpp"

#include <algorithm>
#include <utility>

#include "events/schema/message.hpp"
#include "events/values/job_id.hpp"

namespace annals::cycle {

using schema::text;

void job_intake::apply(schema::SchedJob::Reader row, std::uint64_t serial) {
  index at = jobs_.place_of(serial);
  if (at != none) {
    leave(at);
    limits_.forget(jobs_[at].owners);
  } else {
    at = jobs_.add(serial);
  }
  jobs_.read(at, row);
  job& j = jobs_.edit(at);
  shares_.count_entity(j, row);
  limits_.own(j, row);
  if (serial == row.getSerial()) drop_subjobs(serial, &j.subjobs);
  if (j.where == job_place::running) claims_.began(at);
}

void job_intake::gone(std::uint64_t serial) {
  drop_subjobs(serial);
  if (const index at = jobs_.place_of(serial); at != none) remove(at);
}

void job_intake::leave(index at) {
  claims_.ended(at);
  jobs_.requests().release(jobs_[at].request);
}

void job_intake::remove(index at) {
  leave(at);
  if (const auto others = subjobs_.find(jobs_[at].array); others != subjobs_.end()) std::erase(others->second, at);
  limits_.forget(jobs_[at].owners);
  jobs_.remove(at);
}

index job_intake::take_asked(schema::SchedJob::Reader row) {
  const subjob_list asked(text(row.getIndices()));
  const auto serial = asked.empty() ? row.getSerial() : values::subjob_number(row.getSerial(), asked.front());
  if (const index known = jobs_.place_of(serial); known != none) return known;
  apply(row, serial);
  const index at = jobs_.place_of(serial);
  if (!asked.empty()) {
    add_subjob(at, row.getSerial(), asked.front(), text(row.getId()));
    jobs_.edit(at).where = job_place::other;
  }
  return at;
}

void job_intake::forget_asked(index job_at) {
  if (jobs_[job_at].where == job_place::other) remove(job_at);
}

void job_intake::withdraw(std::uint64_t serial) {
  drop_subjobs(serial);
  const index at = jobs_.place_of(serial);
  if (at == none || jobs_[at].where != job_place::proposed) return;
  claims_.ended(at);
  job& j = jobs_.edit(at);
  j.where = j.before_proposal;
  j.granted = 0;
  forget_asked(at);
}

// -- subjobs: jobs whose serial holds their array's and their index ---------------------------------------------------------

std::optional<std::uint32_t> job_intake::next_subjob(index array_at) {
  auto& left = jobs_.edit(array_at).subjobs;
  while (!left.at_end() && jobs_.place_of(values::subjob_number(jobs_[array_at].serial, left.front())) != none) left.pop();
  return left.at_end() ? std::nullopt : std::optional(left.front());
}

bool job_intake::may_begin_another(const job& array) const {
  const auto begin = subjobs_.find(array.serial);
  return (begin == subjobs_.end() ? 0 : begin->second.size()) < array.may_begin;
}

index job_intake::make_subjob(index array_at) {
  const auto subjob = *next_subjob(array_at);
  job& array = jobs_.edit(array_at);
  const auto serial = values::subjob_number(array.serial, subjob);
  const index at = jobs_.add(serial);
  auto others = std::exchange(array.subjobs, {});  // there may be many
  jobs_.edit(at) = array;
  array.subjobs = std::move(others);
  jobs_.edit(at).serial = serial;
  jobs_.requests().share(array.request);
  limits_.count_another(array.owners);
  add_subjob(at, array.serial, subjob, array.id);
  return at;
}

void job_intake::add_subjob(index at, std::uint64_t array, std::uint32_t subjob, std::string_view array_id) {
  job& j = jobs_.edit(at);
  j.id = subjob_id(array_id, subjob);
  j.array = array;
  j.subjobs = {};
  subjobs_[array].push_back(at);
}

// Of those that are kept nothing is known that was not before: they are to be run as far as the server knows.
void job_intake::drop_subjobs(std::uint64_t array, const subjob_list* but) {
  auto dropped = subjobs_.extract(array);
  if (dropped.empty()) return;
  std::vector<index> kept;
  for (const index at : dropped.mapped()) {
    if (but && but->has(values::index_of(jobs_[at].serial))) kept.push_back(at);
    else remove(at);
  }
  if (const index at = jobs_.place_of(array); at != none) jobs_.edit(at).subjobs.rewind();
  if (kept.empty()) return;
  dropped.mapped() = std::move(kept);
  subjobs_.insert(std::move(dropped));
}

void job_intake::settle_subjobs() {
  while (!subjobs_.empty()) drop_subjobs(subjobs_.begin()->first);
}

}  // namespace annals::cycle
