#include "projections/status/query.hpp"

#include <algorithm>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/status/query_parts.hpp"

namespace annals::projections {

namespace pbs_error = values::pbs_error;
using schema::ObjectKind;

namespace {

// Objects with a name each: all of them, or those asked for.
template <class Each, class Find>
void stat_named(schema::Stat::Reader asked, piecewise& out, std::uint32_t unknown_code, Each each, Find find) {
  if (asked.getNames().size() == 0) return each();
  for (auto n : asked.getNames())
    if (!find(schema::str(n))) out.unknown(schema::text(n), values::refuse(unknown_code));
}

void stat_queues(const status& from, schema::Stat::Reader asked, const filter& shown, piecewise& out) {
  auto add = [&](const model::queue_state& q) { out.add(q.name, shown.apply(queue_row(from, q))); };
  stat_named(
      asked, out, pbs_error::unknown_queue,
      [&] {
        std::vector<const model::queue_state*> all;
        for (const auto& [name, q] : from.queues()) all.push_back(&q);
        std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->order < b->order; });
        for (const auto* q : all) add(*q);
      },
      [&](const std::string& name) {
        const auto at = from.queues().find(name);
        if (at != from.queues().end()) add(at->second);
        return at != from.queues().end();
      });
}

void stat_schedulers(const status& from, schema::Stat::Reader asked, const filter& shown, piecewise& out) {
  auto add = [&](const model::scheduler_state& s) { out.add(s.name, shown.apply(model::shown_attributes(s))); };
  std::vector<const model::scheduler_state*> all;  // in the order in which they were made: the default one is the first
  for (const auto& [name, s] : from.schedulers()) all.push_back(&s);
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->serial < b->serial; });
  stat_named(
      asked, out, pbs_error::unknown_scheduler,
      [&] { for (const auto* s : all) add(*s); },
      [&](const std::string& name) {
        const auto at = from.schedulers().find(name);
        if (at != from.schedulers().end()) add(at->second);
        return at != from.schedulers().end();
      });
}

void stat_hooks(const status& from, schema::Stat::Reader asked, const filter& shown, piecewise& out) {
  auto add = [&](const model::hook_state& h) { out.add(h.name, shown.apply(model::shown_attributes(h))); };
  if (asked.getNames().size() == 0)
    for (const auto& [serial, h] : from.hooks()) add(h);
  for (auto n : asked.getNames()) {
    const auto name = schema::str(n);
    bool found = false;
    for (const auto& [serial, h] : from.hooks())
      if (h.name == name) {
        add(h);
        found = true;
      }
    if (!found) out.unknown(name, {pbs_error::hook_error, "hook not found"});
  }
}

// What ran in a window that is over is on its way out (pbs guide: RESV_DELETING_JOBS).
bool deletes_jobs(const status& from, const model::reservation_state& r) {
  if (r.phase != model::reservation_phase::confirmed || r.over == 0) return false;
  const auto& states = from.jobs_of(r.id).by_state;
  return std::any_of(states.begin(), states.end(),
                     [](const auto& s) { return (s.first == 'R' || s.first == 'U' || s.first == 'E') && s.second > 0; });
}

attributes::attribute_set reservation_shown(const status& from, const model::reservation_state& r) {
  auto row = reservation_row(r, from.server().server_name);
  if (!deletes_jobs(from, r)) return row;
  row.set(attributes::reservation::reserve_state, "RESV_DELETING_JOBS");
  row.set(attributes::reservation::reserve_substate, "5");
  return row;
}

// Asked for with or without the server's name.
void stat_reservations(const status& from, schema::Stat::Reader asked, const filter& shown, piecewise& out) {
  const auto& server = from.server().server_name;
  auto add = [&](const model::reservation_state& r) { out.add(full_id(r, server), shown.apply(reservation_shown(from, r))); };
  stat_named(
      asked, out, pbs_error::unknown_reservation,
      [&] { for (const auto& [serial, r] : from.reservations()) add(r); },
      [&](const std::string& name) {
        for (const auto& [serial, r] : from.reservations())
          if (r.id == name || full_id(r, server) == name) {
            add(r);
            return true;
          }
        return false;
      });
}

// A resource's row: id 1 is its type, id 2 its flags (pbs guide: list resource).
void stat_resources(const status& from, schema::Stat::Reader asked, const viewer& by, piecewise& out) {
  auto add = [&](const attributes::resource& r) {
    attributes::attribute_set_writer row;
    row.put(1, attributes::resource_type_name(r.type));
    if (const auto flags = attributes::resource_flags_text(r.flags); !flags.empty()) row.put(2, flags);
    out.add(r.name, row.take());
  };
  const auto& custom = from.server().resources.custom();
  stat_named(
      asked, out, pbs_error::unknown_resource,
      [&] {
        for (const auto& [name, r] : custom)
          if (by.sees_resource(name)) add(r);
      },
      [&](const std::string& name) {
        const auto* r = by.sees_resource(name) ? from.server().resources.find(name) : nullptr;
        if (r) add(*r);
        return r != nullptr;
      });
}

// Null: objects of this kind are few.
std::unique_ptr<stat_list> long_list(const status& from, schema::Stat::Reader asked, const model::requester& by) {
  switch (asked.getKind()) {
    case ObjectKind::JOB: return list_of_jobs(from, asked, by);
    case ObjectKind::NODE: return list_of_nodes(from, asked, by, false);
    case ObjectKind::HOST: return list_of_nodes(from, asked, by, true);
    default: return nullptr;
  }
}

bool wants_history_that_is_not_kept(const status& from, schema::Stat::Reader asked) {
  return asked.getKind() == ObjectKind::JOB && asked.getHistory() != schema::History::LIVE && !history_allowed(from);
}

class list_in_parts final : public answer_in_parts {
 public:
  list_in_parts(const schema::sealed<schema::Request>& request, std::unique_ptr<stat_list> list)
      : request_(request), list_(std::move(list)) {}

  bool go_on(const status& from, const send_reply& send, std::int64_t now_ns, std::size_t rows) override {
    piecewise out(request_.get().getId(), from.sequence(), send);
    effort left(rows);
    const bool more = list_->go_on(from, out, seconds_of(from, now_ns), left);
    out.flush(!more);
    return more;
  }

 private:
  const schema::sealed<schema::Request> request_;  // what the list reads
  const std::unique_ptr<stat_list> list_;
};

}  // namespace

std::unique_ptr<answer_in_parts> begin_answer(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by) {
  const auto r = request.get();
  if (r.isSelectJobs()) return begin_select(from, request, by);
  if (!r.isStat() || !r.getStat().getAt().isNow() || wants_history_that_is_not_kept(from, r.getStat())) return nullptr;
  auto list = long_list(from, r.getStat(), by);
  return list ? std::make_unique<list_in_parts>(request, std::move(list)) : nullptr;
}

void answer_stat(const status& from, std::uint64_t request_id, schema::Stat::Reader asked, const model::requester& by,
                 const send_reply& send, std::int64_t now_ns) {
  if (wants_history_that_is_not_kept(from, asked))
    return refuse_whole(request_id, from.sequence(), values::refuse(pbs_error::no_history), send);
  if (asked.getKind() == ObjectKind::HOOK)
    if (const auto why = model::may_touch_hooks(by, from.server().server_name); why.code != 0)
      return refuse_whole(request_id, from.sequence(), {why.code, why.text}, send);
  piecewise out(request_id, from.sequence(), send);
  if (const auto list = long_list(from, asked, by)) {
    auto no_end = effort::without_end();
    (void)list->go_on(from, out, seconds_of(from, now_ns), no_end);
    return out.flush(true);
  }
  const viewer viewing(from, by);
  const filter shown(asked.getKind(), viewing, asked.getWanted());
  switch (asked.getKind()) {
    case ObjectKind::QUEUE: stat_queues(from, asked, shown, out); break;
    case ObjectKind::SERVER: out.add(from.server().server_name, shown.apply(shown_server_row(from))); break;
    case ObjectKind::SCHEDULER: stat_schedulers(from, asked, shown, out); break;
    case ObjectKind::RESOURCE: stat_resources(from, asked, viewing, out); break;
    case ObjectKind::HOOK: stat_hooks(from, asked, shown, out); break;
    case ObjectKind::RESERVATION: stat_reservations(from, asked, shown, out); break;
    case ObjectKind::JOB:
    case ObjectKind::NODE:
    case ObjectKind::HOST: break;  // long lists
  }
  out.flush(true);
}

}  // namespace annals::projections
