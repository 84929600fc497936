// A submission of a reservation: who may, which times, of what size. Source: pbs guide, pbs_rsub; transcripts of PBS.
#include <algorithm>
#include <cctype>
#include <set>

#include "events/attributes/check.hpp"
#include "events/attributes/ids.hpp"
#include "events/attributes/select_rules.hpp"
#include "events/attributes/table.hpp"
#include "events/model/access.hpp"
#include "events/model/host/host.hpp"
#include "events/model/refuse.hpp"
#include "events/model/reservation/rules.hpp"
#include "events/values/duration.hpp"
#include "events/values/number.hpp"

namespace annals::model {

namespace ids = attributes::reservation;
namespace pbs_error = values::pbs_error;

namespace {

using kind = schema::ReservationKind;

struct draft {
  attributes::attribute_set attributes;
  attributes::resource_list asked;
  kind what = kind::ADVANCE;
  std::int64_t interactive = 0;
  std::vector<occurrence> windows;
  std::size_t asked_now = 1;     // for so many of them a place is asked for; the others are later
  std::string place, partition;  // of maintenance, which needs no scheduler: all of its hosts
};

std::string_view rule_of(const draft& d) { return d.attributes.get(ids::reserve_rrule).value_or(""); }

// pbs guide: resv_enable, acl_resv_hosts, acl_resv_groups, acl_resv_users. Managers are let in.
std::optional<rejection> not_let_in(const submit_reservation& command, const requester& by, const settings& settings) {
  using namespace attributes::server;
  if (by.is_manager()) return std::nullopt;
  const auto list = [&](attributes::attribute_id id) { return settings.server.get(id).value_or(""); };
  if (!settings.server_flag(resv_enable, true)) return refuse(pbs_error::reservation_user_denied);
  if (settings.server_flag(acl_resv_host_enable) && !acl_allows(list(acl_resv_hosts), by.host, "*"))
    return refuse(pbs_error::reservation_host_denied);
  if (settings.server_flag(acl_resv_group_enable) && !acl_allows(list(acl_resv_groups), command.egroup, "*"))
    return refuse(pbs_error::reservation_group_denied);
  if (settings.server_flag(acl_resv_user_enable) && !acl_allows(list(acl_resv_users), by.user, by.host))
    return refuse(pbs_error::reservation_user_denied);
  return std::nullopt;
}

std::optional<rejection> take_attribute(draft& d, schema::Attribute::Reader given, const stamp& now, const settings& settings) {
  const auto* row = attributes::find(schema::ObjectKind::RESERVATION, schema::text(given.getName()));
  if (!row) return refuse(pbs_error::undefined_attribute);
  const auto resource = schema::text(given.getResource());
  const auto value = schema::text(given.getValue());
  if (row->id == ids::Resource_List) {
    d.asked[std::string(resource)] = std::string(value);
    return std::nullopt;
  }
  if (auto why = attributes::may_set(*row, resource, now.by.role, true, false, true, settings.resources)) return as_rejection(*why);
  auto checked = attributes::check_value(*row, resource, value, settings.resources);
  if (!checked) return as_rejection(checked.error());
  if (row->id == ids::interactive) d.interactive = values::parse_integer(*checked).value_or(0);
  d.attributes.set(row->id, resource, *checked);
  return std::nullopt;
}

// pbs_rsub --job: what a running job has is the reservation's from now on, and nobody has to find it.
void take_place_of(draft& d, const reservation_job& job, const settings& settings) {
  d.what = kind::FROM_JOB;
  d.attributes.set(ids::reserve_job, job.id);
  d.attributes.set(ids::resv_nodes, job.attributes.get(attributes::job::exec_vnode).value_or(""));
  const auto partition = settings.partition_of_queue(job.attributes.get(attributes::job::queue).value_or(""));
  if (!partition.empty()) d.attributes.set(ids::partition, partition);
}

// pbs_rsub -W qmove: it begins as soon as there is room, and the job comes to it.
void wait_for_room(draft& d, const reservation_job& job) {
  d.what = kind::ASAP;
  d.attributes.set(ids::qmove, job.id);
  if (!d.attributes.has(ids::delete_idle_time)) d.attributes.set(ids::delete_idle_time, "00:10:00");
}

// Of the size of a job, for as long as it may run, and the job is moved to it. Source: pbs guide, pbs_rsub.
std::optional<rejection> take_job(draft& d, const submit_reservation& command, const stamp& now, const settings& settings) {
  const bool of_running = d.attributes.has(ids::reserve_job);
  if (!of_running && !d.attributes.has(ids::qmove)) return std::nullopt;
  if (!rule_of(d).empty()) return refuse(pbs_error::no_support, "No support for requested service: a standing reservation of a job");
  const auto& job = command.of_job;
  if (!job) return refuse(pbs_error::unknown_job);
  if (!now.by.is_operator() && now.by.user != job->owner) return refuse(pbs_error::unauthorized);
  if (of_running ? !job->runs || job->attributes.has(attributes::job::reserve_ID) : !job->waits) return refuse(pbs_error::bad_state);
  const auto of = [&](std::string_view resource) { return job->attributes.get(attributes::job::Resource_List, resource); };
  const auto walltime = of("walltime") ? values::parse_duration(*of("walltime")) : std::nullopt;
  if (!walltime || *walltime <= 0) return refuse(pbs_error::reservation_needs_walltime);
  for (const char* resource : {"select", "place"})
    if (const auto value = of(resource)) d.asked[resource] = *value;
  if (of_running) take_place_of(d, *job, settings);
  else wait_for_room(d, *job);
  d.attributes.set(ids::reserve_start, std::to_string(now.seconds()));
  d.attributes.set(ids::reserve_duration, std::to_string(*walltime));
  d.attributes.erase(ids::reserve_end);
  return std::nullopt;
}

std::int64_t cpus_of(const host_to_reserve& host) {
  std::int64_t sum = 0;
  for (const auto& v : host.vnodes) sum += v.cpus;
  return sum;
}

// One chunk of all vnodes that have cpus, and the others beside it.
std::string whole_of(const host_to_reserve& host) {
  std::string chunk, others;
  for (const auto& v : host.vnodes) {
    if (v.cpus > 0) chunk += (chunk.empty() ? "(" : "+") + v.name + ":ncpus=" + std::to_string(v.cpus);
    else others += "+(" + v.name + ")";
  }
  return chunk + ")" + others;
}

// Maintenance asks nobody: it has the hosts with all their cpus, whatever is there.
std::optional<rejection> take_hosts(draft& d, const submit_reservation& command, const requester& by) {
  const auto hosts = command.request.get().getSubmitReservation().getHosts();
  if (hosts.size() == 0) return std::nullopt;
  if (!by.is_operator()) return refuse(pbs_error::unauthorized);
  d.what = kind::MAINTENANCE;
  std::string select;
  std::set<std::string> partitions;
  for (auto h : hosts) {
    const auto host = schema::str(h);
    const auto known = std::find_if(command.hosts.begin(), command.hosts.end(), [&](const auto& k) { return k.name == host; });
    if (known == command.hosts.end() || cpus_of(*known) == 0)
      return refuse(pbs_error::unknown_node, "Host with resources not found: " + host);
    select += (select.empty() ? "host=" : "+host=") + host + ":ncpus=" + std::to_string(cpus_of(*known));
    d.place += (d.place.empty() ? "" : "+") + whole_of(*known);
    for (const auto& v : known->vnodes) partitions.insert(v.partition);
  }
  if (partitions.size() > 1)
    return refuse(pbs_error::no_support, "No support for requested service: a reservation of hosts in several partitions");
  d.partition = *partitions.begin();
  d.asked["select"] = select;
  d.asked["place"] = "exclhost";
  return std::nullopt;
}

std::optional<rejection> complete_resources(draft& d, const stamp& now, const settings& settings) {
  for (const char* shrinks : {"min_walltime", "max_walltime"})
    if (d.asked.contains(shrinks)) return refuse(pbs_error::shrink_in_reservation);
  if (d.asked.contains("place") && !d.asked.contains("select")) d.asked["select"] = "1:ncpus=1";
  const auto defaults = attributes::defaults_of(settings.server, {});
  auto done = attributes::complete_request(d.asked, defaults, settings.resources, attributes::asker(now.by.role));
  if (!done) return as_rejection(done.error());
  if (auto why = attributes::within_limits(done->resources, defaults, settings.resources)) return as_rejection(*why);
  if (!d.asked.contains("place")) done->resources["place"] = "free";
  if (done->resources.contains("aoe") || attributes::asks_aoe(done->schedselect))
    return refuse(pbs_error::no_support, "No support for requested service: a reservation cannot ask for an aoe");
  attributes::set_resources(d.attributes, ids::Resource_List, done->resources);
  d.attributes.set(ids::schedselect, done->schedselect);
  return std::nullopt;
}

// What confirms it must fit in one event.
std::optional<rejection> fits_in_event(const draft& d, std::size_t occurrences) {
  const auto each = occurrence_bytes + chunks_of(d.attributes) * occurrence_bytes_per_chunk;
  const auto most = (limits::event_bytes_max - event_room) / each;
  if (occurrences <= most) return std::nullopt;
  return refuse(pbs_error::rrule_syntax, "Undefined iCalendar syntax: more than " + std::to_string(most) + " occurrences of " +
                                             std::to_string(chunks_of(d.attributes)) + " chunks");
}

values::recurrence_question question_of(const draft& d, const time_window& first) {
  const std::string zone(d.attributes.get(ids::reserve_timezone).value_or(""));
  return {std::string(rule_of(d)), zone, first.start_s, first.end_s - first.start_s};
}

// An empty rule, and one that gives one occurrence, make an ordinary reservation.
std::optional<rejection> choose_windows(draft& d, const time_window& first, const submit_reservation& command) {
  const auto length = first.end_s - first.start_s;
  std::vector<std::int64_t> starts{first.start_s};
  const auto rule = rule_of(d);
  if (!rule.empty()) {
    if (!command.reckoned || command.reckoned->of != question_of(d, first))
      return refuse(pbs_error::try_again, "Please retry: the server's defaults were changed meanwhile");
    if (!command.reckoned->starts) return as_rejection(command.reckoned->starts.error());
    starts = *command.reckoned->starts;
  }
  for (std::size_t i = 0; i < starts.size(); ++i)
    d.windows.push_back({static_cast<std::uint32_t>(i + 1), starts[i] * second_ns, (starts[i] + length) * second_ns, {}});
  d.asked_now = std::min(starts.size(), occurrences_ahead(d.attributes));
  if (auto why = fits_in_event(d, d.asked_now)) return why;
  if (starts.size() > 1) d.what = kind::STANDING;
  if (d.attributes.has(ids::reserve_rrule) && rule.empty()) {
    d.attributes.erase(ids::reserve_rrule);
    d.attributes.set(ids::reserve_count, "0");  // as PBS shows it
  }
  return std::nullopt;
}

void complete(draft& d, const submit_reservation& command, const requester& by) {
  auto& a = d.attributes;
  if (!a.has(ids::Reserve_Name)) a.set(ids::Reserve_Name, "NULL");
  a.set(ids::Reserve_Owner, by.at_host());
  if (!a.has(ids::Authorized_Users)) a.set(ids::Authorized_Users, by.at_host());
  a.set(ids::euser, by.user);
  a.set(ids::egroup, command.egroup);
  a.set(ids::Submit_Host, by.host);
}

char letter_of(kind what) {
  switch (what) {
    case kind::STANDING: return 'S';
    case kind::MAINTENANCE: return 'M';
    case kind::ADVANCE:
    case kind::ASAP:
    case kind::FROM_JOB: return 'R';
  }
  return 'R';
}

std::int64_t answer_by(std::int64_t interactive, const stamp& now) {
  return interactive < 0 ? now.wall_ns - interactive * second_ns : 0;
}

void fill_windows(schema::ReservationSubmitted::Builder s, const draft& d) {
  auto windows = s.initOccurrences(static_cast<unsigned>(d.asked_now));
  for (unsigned w = 0; w < windows.size(); ++w) {
    windows[w].setIndex(d.windows[w].index);
    windows[w].setStartNs(d.windows[w].start_ns);
    windows[w].setEndNs(d.windows[w].end_ns);
  }
  if (d.windows.size() == windows.size()) return;
  auto gaps = s.initLaterGapsS(static_cast<unsigned>(d.windows.size()) - windows.size());
  for (unsigned n = 0; n < gaps.size(); ++n) {
    const auto* later = &d.windows[windows.size() + n];
    gaps.set(n, static_cast<std::uint32_t>((later->start_ns - (later - 1)->start_ns) / second_ns));
  }
}

event submitted_event(const draft& d, const submit_reservation& command, const std::string& id, const stamp& now) {
  return make_event([&](schema::Event::Builder e) {
    auto s = e.initReservation().initSubmitted();
    s.setId(id);
    s.setKind(d.what);
    unsigned n = 0;
    for ([[maybe_unused]] const auto& entry : d.attributes) ++n;
    auto list = s.initAttributes(n);
    unsigned i = 0;
    for (const auto& entry : d.attributes) {
      list[i].setName(attributes::find(schema::ObjectKind::RESERVATION, entry.id)->name);
      list[i].setResource(std::string(entry.resource));
      list[i++].setValue(std::string(entry.value));
    }
    if (d.what == kind::ASAP || d.what == kind::FROM_JOB) s.setJob(command.of_job->serial);
    s.setHosts(command.request.get().getSubmitReservation().getHosts());
    fill_windows(s, d);
    s.setAnswerByNs(answer_by(d.interactive, now));
  });
}

event confirmed_event(const draft& d) {
  return make_event([&](schema::Event::Builder e) {
    auto c = e.initReservation().initConfirmed();
    c.setPartition(d.partition);
    auto places = c.initOccurrences(static_cast<unsigned>(d.asked_now));
    for (unsigned w = 0; w < places.size(); ++w) {
      places[w].setIndex(d.windows[w].index);
      places[w].setStartNs(d.windows[w].start_ns);
      places[w].setEndNs(d.windows[w].end_ns);
      places[w].setExecVnode(d.place);
    }
  });
}

}  // namespace

host_to_reserve to_reserve(const host_state& host) {
  host_to_reserve all{host.name, {}};
  for (const auto& v : host.vnodes) {
    const auto cpus = values::parse_integer(v.attributes.get(attributes::node::resources_available, "ncpus").value_or("0"));
    all.vnodes.push_back(
        {v.name, std::string(v.attributes.get(attributes::node::partition).value_or("")), std::max<std::int64_t>(0, cpus.value_or(0))});
  }
  return all;
}

values::result<time_window, rejection> window_of(const given_times& t, std::int64_t now_s) {
  time_window w;
  const auto bad = [] { return refuse(pbs_error::bad_time); };
  if (t.start && t.end && t.duration && *t.end - *t.start != *t.duration) return bad();
  if (t.start && t.end) w = {*t.start, *t.end};
  else if (t.start && t.duration) w = {*t.start, *t.start + *t.duration};
  else if (t.end && t.duration) w = {*t.end - *t.duration, *t.end};
  else return bad();
  if (w.start_s < now_s || w.end_s <= w.start_s || (t.duration && *t.duration <= 0)) return bad();
  return w;
}

given_times times_of(const attributes::attribute_set& a) {
  const auto number = [&](attributes::attribute_id id) {
    const auto text = a.get(id);
    return text ? values::parse_integer(*text) : std::nullopt;
  };
  given_times t{number(ids::reserve_start), number(ids::reserve_end), number(ids::reserve_duration)};
  if (const auto walltime = a.get(ids::Resource_List, "walltime"); walltime && !t.duration && !(t.start && t.end))
    t.duration = values::parse_duration(*walltime);
  return t;
}

namespace {

struct sized_draft {
  draft what;
  time_window first;
};

// All but when it is there again.
values::result<sized_draft, rejection> draft_of(const submit_reservation& command, const stamp& now, const settings& settings) {
  if (auto why = not_let_in(command, now.by, settings)) return *why;
  draft d;
  for (auto given : command.request.get().getSubmitReservation().getAttributes())
    if (auto why = take_attribute(d, given, now, settings)) return *why;
  if (const auto t = times_of(d.attributes); t.start && t.end && *t.end <= *t.start) return refuse(pbs_error::bad_time);
  if (auto why = take_hosts(d, command, now.by)) return *why;
  if (auto why = take_job(d, command, now, settings)) return *why;
  if (auto why = complete_resources(d, now, settings)) return *why;
  const auto when = window_of(times_of(d.attributes), now.seconds());
  if (!when) return when.error();
  return sized_draft{std::move(d), *when};
}

}  // namespace

bool has_rule(schema::SubmitReservation::Reader asked) {
  for (auto a : asked.getAttributes())
    if (a.getName() == "reserve_rrule" && a.getValue().size() > 0) return true;
  return false;
}

std::optional<values::recurrence_question> recurrence_of(const submit_reservation& command, const stamp& now, const settings& settings) {
  const auto drafted = draft_of(command, now, settings);
  if (!drafted || rule_of(drafted->what).empty()) return std::nullopt;
  return question_of(drafted->what, drafted->first);
}

outcome decide_submission(const submit_reservation& command, const stamp& now, const settings& settings) {
  auto drafted = draft_of(command, now, settings);
  if (!drafted) return drafted.error();
  auto& [d, when] = *drafted;
  if (auto why = choose_windows(d, when, command)) return *why;
  d.attributes.set(ids::Resource_List, "walltime", values::print_duration(when.end_s - when.start_s));
  for (const auto id : {ids::reserve_start, ids::reserve_end, ids::reserve_duration}) d.attributes.erase(id);
  complete(d, command, now.by);
  d.attributes.set(ids::server, settings.server_name);  // its full name, to who sees the event alone
  const auto id = letter_of(d.what) + std::to_string(command.number);
  std::vector<event> events{submitted_event(d, command, id, now)};
  if (d.what == kind::MAINTENANCE) events.push_back(confirmed_event(d));
  outcome result(std::move(events));
  result.reply = id + "." + settings.server_name;
  return result;
}

}  // namespace annals::model
