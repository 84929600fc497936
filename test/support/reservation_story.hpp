// A reservation's life, command by command, as job_story tells a job's (model_builders.hpp).
#pragma once

#include <string>
#include <vector>

#include "events/model/reservation/reservation.hpp"
#include "test/support/model_builders.hpp"

namespace annals::test {

constexpr std::int64_t a_second = 1'000'000'000;

inline model::submit_reservation reserve(const given_values& s, const std::vector<std::string>& hosts = {}, std::uint64_t number = 5) {
  model::submit_reservation c;
  c.request = make_request([&](schema::Request::Builder r) {
    auto a = r.initSubmitReservation();
    fill(a.initAttributes(static_cast<unsigned>(s.size())), s);
    auto list = a.initHosts(static_cast<unsigned>(hosts.size()));
    for (unsigned i = 0; i < list.size(); ++i) list.set(i, hosts[i]);
  });
  c.number = number;
  c.egroup = "group1";
  c.hosts = {{"n1", {{"n1", "", 4}}}, {"n2", {{"n2", "", 4}}}};
  return c;
}
// Two cpus for a minute, in `in` seconds.
inline given_values two_cpus(std::int64_t start, std::int64_t duration = 60) {
  return {{"Resource_List", "select", "1:ncpus=2"},
          {"reserve_start", "", std::to_string(start)},
          {"reserve_duration", "", std::to_string(duration)}};
}

// As the gateway gives it to the rules: with when a rule is to begin.
inline model::reservation_command with_reckoned(model::reservation_command c, const model::stamp& now, const model::settings& settings) {
  if (auto* submission = std::get_if<model::submit_reservation>(&c); submission && !submission->reckoned)
    if (const auto what = model::recurrence_of(*submission, now, settings)) submission->reckoned = values::reckoned(*what);
  return c;
}

struct reservation_story {
  model::reservation_state state;
  model::settings settings = small_settings();
  std::int64_t now_s = 1'000'000;
  std::uint64_t sequence = 40;
  std::vector<std::pair<model::event_place, model::event>> history;

  std::string when(const model::reservation_command& c, const model::requester& by = user()) {
    const model::stamp now{now_s * a_second, by};
    const auto o = model::decide(state, with_reckoned(c, now, settings), now, settings);
    if (o.accepted())
      for (const auto& e : o.events()) {
        const model::event_place at{++sequence, 7, state.version + 1, now_s * a_second, by};
        history.emplace_back(at, e);
        model::apply(state, at, e.get());
      }
    return said(o);
  }
  std::string removed(const model::requester& by = user()) {
    return when(model::reservation_request{make_request([](schema::Request::Builder r) { r.initDeleteReservation(); })}, by);
  }
  std::string altered(const given_values& s, const model::requester& by = user(), bool force = false) {
    return when(model::reservation_request{make_request([&](schema::Request::Builder r) {
                  auto a = r.initAlterReservation();
                  fill(a.initChanges(static_cast<unsigned>(s.size())), s);
                  a.setForce(force);
                })},
                by);
  }
  // A scheduler has room there for all that is wanted.
  std::string confirmed(const std::string& exec_vnode, const std::string& scheduler = "default") {
    const auto wanted = state.ask ? state.ask->wanted : std::vector<model::occurrence>();
    return answered(scheduler, [&](schema::SchedReservationAnswer::Builder a) {
      auto places = a.initConfirmed(static_cast<unsigned>(wanted.size()));
      for (unsigned i = 0; i < places.size(); ++i) {
        places[i].setIndex(wanted[i].index);
        places[i].setStartNs(wanted[i].start_ns);
        places[i].setEndNs(wanted[i].end_ns);
        places[i].setExecVnode(exec_vnode);
      }
    });
  }
  std::string refused(const std::string& scheduler = "default", const char* why = "Insufficient amount of resource: ncpus") {
    return answered(scheduler, [&](schema::SchedReservationAnswer::Builder a) { a.setRefused(why); });
  }
  template <class Fill>
  std::string answered(const std::string& scheduler, Fill&& fill_answer) {
    return when(model::reservation_answer{schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
                                            auto a = m.initReservation();
                                            a.setReservation(state.serial);
                                            a.setAsk(state.ask ? state.ask->number : 0);
                                            fill_answer(a);
                                          }),
                                          scheduler},
                the_scheduler());
  }
  // The first moment at which something is due comes; "never" if nothing is.
  std::string wakes() {
    const auto owed = model::pending_effects(state, settings);
    if (owed.empty()) return "never";
    auto first = owed.front().wall_ns;
    for (const auto& w : owed) first = std::min(first, w.wall_ns);
    now_s = std::max(now_s, first / a_second);
    return when(model::reservation_time{}, the_server());
  }
  std::string shown(attributes::attribute_id id, std::string_view resource = {}) const {
    return std::string(model::reservation_row(state, "borg").get(id, resource).value_or("(none)"));
  }
};

inline reservation_story given_confirmed(const std::string& exec_vnode = "(n1:ncpus=2)") {
  reservation_story s;
  s.when(reserve(two_cpus(s.now_s + 100)));
  s.confirmed(exec_vnode);
  return s;
}

}  // namespace annals::test
