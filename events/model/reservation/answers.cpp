// What schedulers answer: whose word counts, and whether a place is what was asked for. Whether others have it the ledger says
// (bookings.hpp).
#include <algorithm>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/model/refuse.hpp"
#include "events/model/reservation/rules.hpp"
#include "events/model/vnodes/amounts.hpp"
#include "events/schema/daemon/from_scheduler.capnp.h"
#include "events/values/exec_vnode.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
namespace pbs_error = values::pbs_error;

namespace {

using kind = schema::ReservationKind;

std::size_t bytes_of(schema::SchedReservationAnswer::Reader a) { return a.totalSize().wordCount * sizeof(capnp::word); }

// The partition for which this scheduler speaks; nothing: none.
std::optional<std::string> partition_of(std::string_view scheduler, const settings& settings) {
  if (scheduler == default_scheduler) return std::string();
  for (const auto& [partition, name] : settings.scheduler_of_partition)
    if (name == scheduler) return partition;
  return std::nullopt;
}

std::vector<std::string> schedulers_asked(const reservation_state& r, const settings& settings) {
  std::vector<std::string> all;
  if (!r.placed || r.partition.empty()) all.emplace_back(default_scheduler);
  for (const auto& [partition, name] : settings.scheduler_of_partition)
    if (!r.placed || r.partition == partition) all.push_back(name);
  return all;
}

event refused_event(const reservation_answer& answer, const std::string& why) {
  return make_event([&](auto e) {
    const auto a = answer.message.get().getReservation();
    auto refused = e.initReservation().initRefused();
    refused.setScheduler(answer.scheduler);
    refused.setReason(why);
    refused.setCycle(a.getCycle());
    refused.setAsk(a.getAsk());
  });
}

// MS-106: it is denied when the last of them has refused. One that is off answers nothing: nobody waits until it is on.
outcome decide_refused(const reservation_state& r, const reservation_answer& answer, const std::string& why, const settings& settings) {
  if (r.ask->refused_by.contains(answer.scheduler)) return no_change;
  std::vector<event> out{refused_event(answer, why)};
  for (const auto& name : schedulers_asked(r, settings))
    if (name != answer.scheduler && !r.ask->refused_by.contains(name) && !settings.is_off(name)) return out;
  switch (r.ask->what) {
    case reservation_ask::kind::submission:
      out.push_back(make_event([&](auto e) { e.initReservation().initDenied().setText(why); }));
      break;
    case reservation_ask::kind::alteration:
      out.push_back(make_event([&](auto e) { e.initReservation().initAlterDenied().setText(why); }));
      break;
    case reservation_ask::kind::other_place:
    case reservation_ask::kind::later: break;  // it is tried again later
  }
  return out;
}

// All that is counted and asked for is there, in the sum.
bool covers(std::string_view exec_vnode, const attributes::attribute_set& asked) {
  values::exec_vnode_reader parts(exec_vnode);
  amounts_reader read;
  amounts there;
  bool any = false;
  for (values::exec_vnode_reader::part p; parts.next(p); any = true) there.add(read(p.resources), +1);
  if (!any || !parts.well_formed()) return false;
  for (const char* resource : {"ncpus", "mem"}) {
    const auto wanted = asked.get(ids::Resource_List, resource);
    if (wanted && there.value_of(resource) < read_amount(*wanted).value) return false;
  }
  return true;
}

// One that is made as soon as there is room gets its time with its place; all others have theirs.
bool same_time(const occurrence& wanted, schema::OccurrencePlace::Reader place, kind what) {
  if (wanted.index != place.getIndex()) return false;
  if (what == kind::ASAP) return place.getEndNs() - place.getStartNs() == wanted.end_ns - wanted.start_ns;
  return wanted.start_ns == place.getStartNs() && wanted.end_ns == place.getEndNs();
}

std::optional<rejection> not_what_was_asked(const reservation_state& r, capnp::List<schema::OccurrencePlace>::Reader places) {
  const auto no = [](const char* why) { return refuse(pbs_error::reservation_failed, std::string("reservation failure: ") + why); };
  if (places.size() != r.ask->wanted.size()) return no("not every occurrence has a place");
  const auto& size = r.change ? r.change->attributes : r.attributes;
  for (unsigned i = 0; i < places.size(); ++i) {
    if (!same_time(r.ask->wanted[i], places[i], r.kind)) return no("a place at another time than asked for");
    if (!covers(schema::text(places[i].getExecVnode()), size)) return no("a place that is too small");
  }
  return std::nullopt;
}

outcome decide_confirmed(const reservation_state& r, const reservation_answer& answer, const std::string& partition) {
  const auto a = answer.message.get().getReservation();
  if (auto why = not_what_was_asked(r, a.getConfirmed())) return *why;
  return std::vector<event>{make_event([&](auto e) {
    auto said = e.initReservation();
    auto confirmed = r.ask->what == reservation_ask::kind::later ? said.initLaterPlaced() : said.initConfirmed();
    confirmed.setScheduler(answer.scheduler);
    confirmed.setPartition(partition);
    confirmed.setCycle(a.getCycle());
    confirmed.setAsk(a.getAsk());
    confirmed.setOccurrences(a.getConfirmed());
    if (a.hasConflicts()) confirmed.setConflicts(a.getConflicts());
  })};
}

}  // namespace

bool nobody_is_left_to_answer(const reservation_state& r, const settings& settings) {
  if (!r.ask || r.ask->what == reservation_ask::kind::other_place || r.ask->what == reservation_ask::kind::later) return false;
  const auto asked = schedulers_asked(r, settings);
  const bool any_refused = !r.ask->refused_by.empty();
  return std::all_of(asked.begin(), asked.end(), [&](const auto& name) {
    return r.ask->refused_by.contains(name) || (any_refused && settings.is_off(name));
  });
}

outcome decide_answer(const reservation_state& r, const reservation_answer& answer, const stamp& now, const settings& settings) {
  const auto a = answer.message.get().getReservation();
  const auto partition = partition_of(answer.scheduler, settings);
  if (now.by.role != schema::Role::SCHEDULER || !partition || (r.placed && *partition != r.partition))
    return refuse(pbs_error::unauthorized);
  if (!r.lives() || !r.ask || r.ask->number != a.getAsk()) return no_change;  // nobody asks that any more
  if (a.isRefused()) return decide_refused(r, answer, schema::str(a.getRefused()), settings);
  if (bytes_of(a) > limits::event_bytes_max - event_room)
    return decide_refused(r, answer, "its places are more than an event holds", settings);
  return decide_confirmed(r, answer, *partition);
}

}  // namespace annals::model
