#include "actors/queries/queries.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

#include "actors/server/replies.hpp"
#include "events/model/job/job.hpp"
#include "events/values/job_id.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/status/fairshare_query.hpp"
#include "projections/status/query.hpp"

namespace annals::actors {

namespace {

// A view of so many objects takes about 10 ms.
constexpr std::size_t quick_view_objects = 2000;

}  // namespace

void queries::all_folded() {
  while (!early_.empty() && early_.front().min_sequence <= now().sequence()) {
    answer(early_.front());
    early_.pop_front();
  }
  while (!early_views_.empty() && early_views_.front().request.get().getStat().getAt().getSequence() <= now().sequence()) {
    look(early_views_.front());
    early_views_.pop_front();
  }
}

void queries::receive(query& q) {
  if (q.min_sequence > now().sequence()) early_.push_back(std::move(q));
  else answer(q);
}

void queries::answer(const query& q) {
  answer_with(q, [&] {
    auto rest = projections::begin_answer(now(), q.request, q.by);
    if (!rest) return answer_whole(q);
    // Most lists are short, and end here.
    if (!in_parts_.has(q.by.user) && !make_part(q, *rest, long_answers::rows_of_part)) return;
    in_parts_.add(q, std::move(rest));
    if (!std::exchange(goes_on_soon_, true)) self_->send(self_, next_part_atom::value);
  });
}

void queries::go_on() {
  const auto pause = in_parts_.make_next_part(
      [this](const query& q, projections::answer_in_parts& rest, std::size_t rows) { return make_part(q, rest, rows); });
  goes_on_soon_ = pause.has_value();
  if (!pause) return;
  if (pause->count() == 0) self_->send(self_, next_part_atom::value);
  else self_->delayed_send(self_, *pause, next_part_atom::value);
}

// False: there are no more, as of one that can't be read.
bool queries::make_part(const query& q, projections::answer_in_parts& rest, std::size_t rows) {
  bool more = false;
  answer_with(q, [&] {
    more = rest.go_on(
        now(), [&](const schema::sealed<schema::Reply>& r) { q.to->send(r); }, clock_->now_ns(), rows);
  });
  return more;
}

template <class Work>
void queries::answer_with(const query& q, Work&& work) {
  for_asker(q.to, [&] {
    try {
      work();
    } catch (const projections::row_unreadable& why) {
      q.to->send(refusal_reply(q.request.get().getId(), now().sequence(),
                               {values::pbs_error::system_error, std::string("System error: ") + why.what()}));
    }
  });
}

void queries::answer_whole(const query& q) {
  const auto request = q.request.get();
  const auto send = [&](const schema::sealed<schema::Reply>& r) { q.to->send(r); };
  if (request.isStat()) return answer_stat(q, request, send);
  if (request.isFairshare()) {
    if (request.getFairshare().isWhy()) return caf::anon_send(past_, q);
    return projections::answer_fairshare(now(), request.getId(), request.getFairshare(), q.by,
                                         std::max(clock_->now_ns(), now().wall_ns()), send);
  }
  if (!others_(q)) send(refusal_reply(request.getId(), now().sequence(), {values::pbs_error::unknown_request, "Unknown request"}));
}

void queries::answer_stat(const query& q, schema::Request::Reader request, const projections::send_reply& send) {
  const auto asked = request.getStat();
  if (asked.getAt().isNow()) return projections::answer_stat(now(), request.getId(), asked, q.by, send, clock_->now_ns());
  caf::anon_send(past_, q);
}

// -- views for hooks -------------------------------------------------------------------------------------------------------------

void queries::receive(view_wanted& w) {
  const auto sequence = w.request.get().getStat().getAt().getSequence();
  of_.catch_up_to(sequence);
  if (sequence > now().sequence()) early_views_.push_back(std::move(w));
  else look(w);
  if (!early_views_.empty()) of_.catch_up();
}

// As of exactly that position, unless a later one will do: the live state, or else the log.
void queries::look(const view_wanted& w) {
  const auto request = w.request.get();
  const auto asked = request.getStat();
  const bool of_now = w.or_later || asked.getAt().getSequence() == now().sequence();
  if (!of_now || takes_long(asked)) return caf::anon_send(past_, w);
  hook_objects found;
  if (const auto reply = w.by.is_daemon() ? subjob_to_begin(asked) : std::nullopt) {
    hooks::take_objects(asked.getKind(), reply->get(), found);
    return w.done(std::move(found), now().sequence());
  }
  projections::answer_stat(now(), 0, asked, w.by,
                           [&](const schema::sealed<schema::Reply>& r) { hooks::take_objects(asked.getKind(), r.get(), found); });
  w.done(std::move(found), now().sequence());
}

// A hook that wants all of them has them made by who answers about the past, so that nobody else waits.
bool queries::takes_long(schema::Stat::Reader asked) const {
  if (asked.getNames().size() > quick_view_objects) return true;
  if (asked.getNames().size() > 0) return false;
  switch (asked.getKind()) {
    case schema::ObjectKind::JOB: return now().job_count() > quick_view_objects;
    case schema::ObjectKind::NODE:
    case schema::ObjectKind::HOST: return now().hosts().size() > quick_view_objects;
    default: return false;
  }
}

// Hooks see a subjob that has not begun as the job that it would be.
std::optional<schema::sealed<schema::Reply>> queries::subjob_to_begin(schema::Stat::Reader asked) const {
  if (asked.getKind() != schema::ObjectKind::JOB || asked.getNames().size() != 1) return std::nullopt;
  const auto id = values::parse_job_id(schema::text(asked.getNames()[0]));
  if (!id || id->form != values::id_form::subjob) return std::nullopt;
  const auto array = now().array_by_number(id->number);
  const auto number = values::number_of(*id);
  if (!array || !number || !array->array->remaining.has(values::index_of(*number))) return std::nullopt;
  const auto subjob = model::subjob_to_begin(*array, values::index_of(*number), {clock_->now_ns(), hook_reader});
  const auto shown = projections::told_of_job{.eligible = now().told_of(*array).eligible}.shown(subjob);  // it has waited as its array has
  return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
    const auto row = shown.packed();
    auto object = r.initObjects().initObjects(1)[0];
    object.setName(subjob.id);
    object.setAttributes({reinterpret_cast<const kj::byte*>(row.data()), row.size()});
  });
}

}  // namespace annals::actors
