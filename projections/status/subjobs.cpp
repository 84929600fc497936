#include "projections/status/subjobs.hpp"

#include "events/attributes/ids.hpp"
#include "projections/status/query.hpp"

namespace annals::projections {

namespace {

namespace ids = attributes::job;

// Of one without a stream. What its array has not heard of yet has been queued again.
bool is_to_run(const subjob_view& s) {
  const auto& a = *s.array.array;
  const bool comes_back = a.running.contains(s.index) && !a.deleting.has(s.index);
  return !s.array.delete_requested && (a.remaining.has(s.index) || comes_back);
}

void set_letter(attributes::attribute_set& row, char letter) { row.set(ids::job_state, std::string_view(&letter, 1)); }

attributes::attribute_set row_of_array(const status& from, const subjob_view& s, std::int64_t now_s) {
  auto row = job_row(from, s.array, now_s);
  for (const auto id :
       {ids::array, ids::array_state_count, ids::array_indices_submitted, ids::array_indices_remaining, ids::max_run_subjobs,
        ids::project, ids::Submit_Host})
    row.erase(id);
  const char letter = letter_of(s);
  set_letter(row, letter);
  const bool deleted = s.array.ended() && s.array.delete_requested;
  if (letter != 'Q') row.set(ids::comment, deleted ? "Subjob finished and terminated" : "Subjob finished");
  return row;
}

}  // namespace

bool subjob_walk::go_on(const status& from, const std::function<void(const subjob_view&)>& visit, effort& left) {
  const auto array = from.array_by_number(array_);
  if (!array) return false;
  while (left.is_left()) {
    const auto index = wanted_.next(next_);
    if (!index) return false;
    next_ = *index + 1;
    const auto own = from.subjob(array_, *index);
    if (own && from.in_history(own->serial)) left.read();
    else left.looked();
    visit({*array, *index, own.get()});
  }
  return true;
}

std::string id_of(const status& from, const subjob_view& s) {
  return values::id_of_number(values::subjob_number(s.array.number, s.index), from.server().server_name);
}

char letter_of(const subjob_view& s) {
  if (s.own && !s.own->ended()) return model::state_letter(*s.own);
  if (s.array.ended()) return 'F';
  return !s.own && is_to_run(s) ? 'Q' : 'X';
}

attributes::attribute_set subjob_row(const status& from, const subjob_view& s, std::int64_t now_s) {
  if (!s.own) return row_of_array(from, s, now_s);
  auto row = job_row(from, *s.own, now_s);
  if (s.own->ended() && !s.array.ended()) set_letter(row, 'X');
  for (const auto id : {ids::Checkpoint, ids::Hold_Types}) row.erase(id);  // its array's alone
  return row;
}

std::string array_state_count(const status& from, const model::job_state& array) {
  std::uint64_t queued = 0, running = 0, exiting = 0, expired = 0;
  if (!array.ended()) {
    const auto& a = *array.array;
    queued = a.remaining.count();
    for (const auto& [index, run] : a.running) {
      switch (letter_of({array, index, from.subjob(array.number, index).get()})) {
        case 'R':
        case 'S':
        case 'U': ++running; break;
        case 'E': ++exiting; break;
        case 'X': break;
        default: ++queued; break;
      }
    }
    expired = a.indices().count() - queued - running - exiting;
  }
  return "Queued:" + std::to_string(queued) + " Running:" + std::to_string(running) + " Exiting:" + std::to_string(exiting) +
         " Expired:" + std::to_string(expired);
}

}  // namespace annals::projections
