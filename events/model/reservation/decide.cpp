// What may happen to a reservation that is there: its times, lost vnodes, its end.
#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/read.hpp"
#include "events/model/refuse.hpp"
#include "events/model/reservation/rules.hpp"
#include "events/model/waits.hpp"

namespace annals::model {

namespace pbs_error = values::pbs_error;
using phase = reservation_phase;

namespace {

template <class Fill>
outcome one_event(Fill&& fill) {
  return std::vector<event>{make_event([&](schema::Event::Builder e) { fill(e.initReservation()); })};
}

std::vector<event> deleted(const reservation_state& r, const std::string& why) {
  std::vector<event> out{make_event([&](auto e) { e.initReservation().initDeleteRequested().setText(why); })};
  if (!r.placed) out.push_back(make_event([](auto e) { e.initReservation().setEnded(); }));  // it has neither jobs nor a queue
  return out;
}

outcome decide_delete(const reservation_state& r, const stamp& now) {
  if (!may_act(r, now.by)) return refuse(pbs_error::unauthorized);
  if (!r.lives()) return no_change;
  return deleted(r, "");
}

outcome decide_request(const reservation_state& r, const reservation_request& command, const stamp& now, const settings& settings) {
  const auto request = command.request.get();
  if (request.isDeleteReservation()) return decide_delete(r, now);
  if (request.isAlterReservation()) return decide_alteration(r, request.getAlterReservation(), now, settings);
  return refuse(pbs_error::invalid_request);
}

std::int64_t retry_at(const stamp& now, const settings& settings) {
  constexpr std::int64_t unset_s = 600;  // pbs guide: reserve_retry_time
  const auto set = attributes::integer_of(settings.server, attributes::server::reserve_retry_time);
  return now.wall_ns + (set && *set > 0 ? *set : unset_s) * second_ns;
}

void fill_degraded(schema::ReservationEvent::Builder e, const std::vector<std::string>& vnodes, std::int64_t retry_ns, bool asks,
                   bool in_conflict) {
  auto degraded = e.initDegraded();
  auto list = degraded.initVnodes(static_cast<unsigned>(vnodes.size()));
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, vnodes[i]);
  degraded.setRetryNs(retry_ns);
  degraded.setAsks(asks);
  degraded.setInConflict(in_conflict);
}

outcome decide_unanswered(const reservation_state& r, const char* why) {
  if (r.ask->what == reservation_ask::kind::submission) return one_event([&](auto e) { e.initDenied().setText(why); });
  return one_event([&](auto e) { e.initAlterDenied().setText(why); });
}

// One thing at a time: what else is due is due again after it.
outcome decide_time(const reservation_state& r, const stamp& now, const settings& settings) {
  if (!r.lives()) return no_change;
  if (r.ask && r.answer_by_ns != 0 && is_over(r.answer_since_ns, r.answer_by_ns, now.wall_ns))
    return decide_unanswered(r, "no answer in time");
  if (nobody_is_left_to_answer(r, settings)) return decide_unanswered(r, "no scheduler is left to answer");
  if (needs_later(r) && is_over(r.later_since_ns, r.later_retry_ns, now.wall_ns))
    return one_event([&](auto e) {
      auto later = e.initLaterAsked();
      later.setCount(later_to_ask(r));
      later.setRetryNs(retry_at(now, settings));
    });
  const auto* window = r.current();
  if (window && r.phase == phase::unconfirmed && window->end_ns <= now.wall_ns && r.kind != schema::ReservationKind::ASAP)
    return one_event([](auto e) { e.initDenied().setText("its time is over"); });
  if (window && r.phase == phase::confirmed && window->start_ns <= now.wall_ns)
    return one_event([&](auto e) { e.initOccurrenceBegan().setIndex(window->index); });
  if (window && r.phase == phase::running && window->end_ns <= now.wall_ns)
    return one_event([&](auto e) { e.initOccurrenceEnded().setIndex(window->index); });
  if (r.degraded() && r.retry_ns != 0 && !r.ask && is_over(r.retry_since_ns, r.retry_ns, now.wall_ns))
    return one_event([&](auto e) { fill_degraded(e, r.lost, retry_at(now, settings), true, r.in_conflict); });
  return no_change;
}

outcome decide_lost(const reservation_state& r, const reservation_lost& command, const stamp& now, const settings& settings) {
  if (!r.lives() || !r.placed || (command.vnodes == r.lost && command.in_conflict == r.in_conflict)) return no_change;
  if (command.vnodes.empty()) return one_event([](auto e) { e.setRestored(); });
  const bool at_once = command.in_conflict && !r.in_conflict;  // what maintenance takes does not come back
  const auto retry = at_once ? now.wall_ns : r.degraded() ? r.retry_ns
                                                          : retry_at(now, settings);
  return one_event([&](auto e) { fill_degraded(e, command.vnodes, retry, false, command.in_conflict); });
}

}  // namespace

outcome decide(const reservation_state& r, const reservation_command& command, const stamp& now, const settings& settings) {
  struct visitor {
    const reservation_state& r;
    const stamp& now;
    const struct settings& settings;

    outcome operator()(const submit_reservation& c) const {
      if (r.phase != phase::none) return refuse(pbs_error::reservation_exists);
      return decide_submission(c, now, settings);
    }
    outcome operator()(const reservation_request& c) const { return decide_request(r, c, now, settings); }
    outcome operator()(const reservation_answer& c) const { return decide_answer(r, c, now, settings); }
    outcome operator()(const reservation_time&) const { return decide_time(r, now, settings); }
    outcome operator()(const reservation_lost& c) const { return decide_lost(r, c, now, settings); }
    outcome operator()(const reservation_unused&) const {
      if (!r.lives()) return no_change;
      return deleted(r, "it had no job for delete_idle_time");
    }
    outcome operator()(const reservation_empty&) const {
      if (r.phase != phase::being_deleted) return no_change;
      return one_event([](auto e) { e.setEnded(); });
    }
  };
  const bool is_submission = std::holds_alternative<submit_reservation>(command);
  if (!is_submission && (r.phase == phase::none || r.phase == phase::ended)) return refuse(pbs_error::unknown_reservation);
  return std::visit(visitor{r, now, settings}, command);
}

}  // namespace annals::model
