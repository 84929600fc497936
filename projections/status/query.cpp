#include "projections/status/query.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "events/attributes/ids.hpp"
#include "events/attributes/table.hpp"
#include "events/values/duration.hpp"
#include "events/values/job_id.hpp"
#include "events/values/pbs_error.hpp"
#include "events/values/string_list.hpp"
#include "projections/status/eligible_time.hpp"
#include "projections/status/partition.hpp"
#include "projections/status/privacy.hpp"
#include "projections/status/query_parts.hpp"
#include "projections/status/queue_sums.hpp"
#include "projections/status/subjobs.hpp"

namespace annals::projections {

namespace pbs_error = values::pbs_error;
using schema::ObjectKind;

namespace {

// Which attributes go out: by what the requester may see and what was wanted. It lives no longer than the requester's viewer.
class filter {
 public:
  filter(ObjectKind kind, const viewer& by, capnp::List<std::uint16_t>::Reader wanted) : by_(by) {
    for (const auto& row : attributes::table_of(kind)) {
      if (row.id >= shown_.size()) shown_.resize(row.id + 1, false);
      shown_[row.id] = by.sees(row);
    }
    if (wanted.size() == 0) return;
    std::vector<bool> chosen(shown_.size(), false);
    for (auto id : wanted)
      if (id < chosen.size()) chosen[id] = shown_[id];
    shown_ = std::move(chosen);
  }
  bool passes(attributes::attribute_id id) const { return id < shown_.size() && shown_[id]; }

  std::string apply(const attributes::attribute_set& row) const {
    return apply_to(row, [](const attributes::entry& e) { return std::optional(e.value); });
  }
  // As others than its owner see a job (projections/status/privacy.hpp).
  std::string apply_for_others(const attributes::attribute_set& row) const {
    std::string kept;
    return apply_to(row, [&](const attributes::entry& e) { return seen_by_others(e.id, e.value, kept); });
  }
  std::string apply(const std::string& packed) const { return apply(*attributes::attribute_set::from_packed(packed)); }

 private:
  template <class Value>
  std::string apply_to(const attributes::attribute_set& row, Value&& value) const {
    attributes::attribute_set_writer out;
    out.buffer().reserve(row.packed().size());
    for (const auto& e : row)
      if (const auto seen = passes(e.id) && by_.sees_resource(e.resource) ? value(e) : std::nullopt) out.put(e.id, e.resource, *seen);
    return out.take();
  }
  const viewer& by_;
  std::vector<bool> shown_;
};

// Gathers rows and sends them in pieces.
class piecewise {
 public:
  piecewise(std::uint64_t id, std::uint64_t sequence, const send_reply& send) : id_(id), sequence_(sequence), send_(send) {}
  using fill_why = std::function<void(schema::JobWhy::Builder)>;
  void add(std::string_view name, std::string row, fill_why why = {}) {
    bytes_ += row.size();
    rows_.push_back({std::string(name), std::move(row), std::move(why)});
    if (rows_.size() == objects_per_reply || bytes_ >= reply_rows_bytes) flush(false);
  }
  void flush_some() {
    if (!rows_.empty()) flush(false);
  }
  void unknown(std::string_view name, const values::refusal& why) { unknown_.emplace_back(name, why); }
  void flush(bool last) {
    send_(schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      r.setId(id_);
      r.setSequence(sequence_);
      auto objects = r.initObjects();
      objects.setLast(last);
      auto list = objects.initObjects(static_cast<unsigned>(rows_.size()));
      for (unsigned i = 0; i < rows_.size(); ++i) {
        list[i].setName(rows_[i].name);
        list[i].setAttributes({reinterpret_cast<const kj::byte*>(rows_[i].packed.data()), rows_[i].packed.size()});
        if (rows_[i].why) rows_[i].why(list[i].initWhy());
      }
      if (!last) return;
      auto unknown = objects.initUnknown(static_cast<unsigned>(unknown_.size()));
      for (unsigned i = 0; i < unknown_.size(); ++i) {
        unknown[i].setName(unknown_[i].first);
        auto why = unknown[i].initRejection();
        why.setCode(unknown_[i].second.code);
        why.setText(unknown_[i].second.text);
      }
    }));
    rows_.clear();
    bytes_ = 0;
  }

 private:
  std::uint64_t id_, sequence_;
  const send_reply& send_;
  struct row {
    std::string name, packed;
    fill_why why;  // empty: nothing is said of it
  };
  std::vector<row> rows_;
  std::size_t bytes_ = 0;  // of them
  std::vector<std::pair<std::string, values::refusal>> unknown_;
};

// `owner`: user@host.
bool fits(std::string_view owner, std::string_view queue, schema::Stat::Reader asked) {
  if (asked.getQueue().size() > 0 && queue != schema::text(asked.getQueue())) return false;
  if (asked.getUsers().size() == 0) return true;
  for (auto u : asked.getUsers()) {
    const auto user = schema::text(u);
    if (user == owner || user == user_of(owner)) return true;
  }
  return false;
}

// `letter`: its state, as it is shown.
bool fits(const model::job_state& job, char letter, schema::Stat::Reader asked) {
  const auto states = schema::text(asked.getStates());
  return (states.empty() || states.find(letter) != std::string_view::npos) && fits(job.owner(), job.queue(), asked);
}

// Nothing is placed before a scheduler is there, whatever was said of the job before.
void put_placing(const status& from, std::string_view queue, schema::JobWhy::Builder to) {
  const auto partition = partition_of_queue(from, queue);
  const auto placing = placing_of_partition(from, partition);
  if (placing == schema::JobWhy::Placing::PLACED) return;
  to.setPlacing(placing);
  to.setPartition(std::string(partition));
  to.setPlacer(std::string(scheduler_of_partition(from, partition)));
}

piecewise::fill_why why_of(const status& from, const model::job_state& job) {
  const auto* why = from.why(job.serial);
  const bool waits = !job.ended() && job.allocated.empty();
  if (!why && !waits) return {};
  return [why, waits, queue = std::string(job.queue()), &from](schema::JobWhy::Builder to) {
    if (waits) put_placing(from, queue, to);
    if (!why) return;
    to.setComment(why->why->text);
    to.setData(why->why->data());
    if (const auto behind = why->behind_id(); !behind.empty()) to.setBehind(std::string(behind));
    to.setSinceNs(why->since_ns);
    to.setSaidNs(why->said->wall_ns);
    to.setCycle(why->said->cycle);
    to.setScheduler(from.scheduler_name(why->said->scheduler));
  };
}

// Jobs, arrays and subjobs, by name or all.
class job_answer {
 public:
  job_answer(const status& from, schema::Stat::Reader asked, const viewer& by, const filter& shown, piecewise& out,
             std::int64_t now_s)
      : from_(from), asked_(asked), by_(by), shown_(shown), out_(out), now_s_(now_s) {}

  void add_named(const std::string& name) {
    const auto id = values::parse_job_id(name);
    if (id && (id->form == values::id_form::subjob || id->form == values::id_form::range)) return add_named_subjobs(name, *id);
    const auto job = from_.job_by_id(name);
    if (!is_to_be_shown(name, job.get())) return;
    out_.add(job->id, row_of(*job), why(*job));
    if (wants_subjobs_of(*job)) add_subjobs(*job, false);
  }

  // A part of all that are wanted. True: there are more.
  bool add_some(job_walk& walk, std::size_t rows) {
    const auto add = [&](const model::job_state& job) {
      if (!by_.sees(job)) return true;
      if (fits(job, model::state_letter(job), asked_)) out_.add(job.id, row_of(job));
      if (wants_subjobs_of(job)) add_subjobs(job, true);
      return true;
    };
    return from_.go_on(walk, add, rows);
  }

 private:
  // Those that have not begun look alike but for their names: their rows are made once.
  struct array_rows {
    const model::job_state& array;
    std::map<char, std::string> without_stream = {};  // by letter
  };

  // Says so if not, unless nothing is to be said. Subjobs are in the history when their array is.
  bool is_to_be_shown(const std::string& name, const model::job_state* job) {
    if (!job) return refuse(name, pbs_error::unknown_job);
    if (!by_.sees(*job)) return false;  // with query_other_jobs False PBS shows nothing of it, not even a refusal
    const bool is_shown = asked_.getWhy() || !job->ended() || asked_.getHistory() != schema::History::LIVE;
    return is_shown || refuse(name, pbs_error::job_has_finished);
  }

  bool refuse(const std::string& name, std::uint32_t code) {
    out_.unknown(name, values::refuse(code));
    return false;
  }

  void add_named_subjobs(const std::string& name, const values::job_id& id) {
    const auto array = from_.array_by_number(id.number);
    const auto indices = array ? values::index_set::parse(id.indices, array->array->indices()) : std::nullopt;
    if (!is_to_be_shown(name, indices && !indices->empty() ? array.get() : nullptr)) return;
    array_rows rows{*array};
    indices->each([&](std::uint32_t index) {
      const auto own = from_.subjob(array->number, index);
      add_subjob(rows, {*array, index, own.get()});
      return true;
    });
  }

  void add_subjobs(const model::job_state& array, bool only_fitting) {
    array_rows rows{array};
    from_.each_subjob(array, [&](std::uint32_t index, const model::job_state* own) {
      const subjob_view s{array, index, own};
      if (!only_fitting || fits(s.shown(), letter_of(s), asked_)) add_subjob(rows, s);
      return true;
    });
  }

  void add_subjob(array_rows& rows, const subjob_view& s) {
    if (s.own) return out_.add(id_of(from_, s), shown_of(s.array, subjob_row(from_, s, now_s_)), why(*s.own));
    const char letter = letter_of(s);
    auto& row = rows.without_stream[letter];
    if (row.empty()) row = shown_of(s.array, subjob_row(from_, s, now_s_));
    out_.add(id_of(from_, s), row, letter == 'Q' ? why(s.array) : nullptr);
  }

  bool wants_subjobs_of(const model::job_state& job) const { return asked_.getSubjobs() && job.array; }

  piecewise::fill_why why(const model::job_state& job) const { return asked_.getWhy() ? why_of(from_, job) : nullptr; }

  std::string row_of(const model::job_state& job) const {
    return shown_of(job, timed_ || (job.array && counted_) ? job_row(from_, job, now_s_) : job.attributes);
  }
  std::string shown_of(const model::job_state& job, const attributes::attribute_set& row) const {
    return with_variables_ && !by_.sees_all_of(job) ? shown_.apply_for_others(row) : shown_.apply(row);
  }

  const status& from_;
  const schema::Stat::Reader asked_;
  const viewer& by_;
  const filter& shown_;
  piecewise& out_;
  const std::int64_t now_s_;
  const bool timed_ = shown_.passes(attributes::job::eligible_time) || shown_.passes(attributes::job::accrue_type);
  const bool with_variables_ = shown_.passes(attributes::job::Variable_List) || shown_.passes(attributes::job::Submit_arguments);
  const bool counted_ = shown_.passes(attributes::job::array_state_count) || shown_.passes(attributes::job::array_indices_remaining);
};

// Good as long as what it was made from.
jobs_wanted wanted_jobs(schema::Stat::Reader asked, const viewer& by) {
  const auto states = schema::text(asked.getStates());
  const bool finished_fit = states.empty() || states.find('F') != std::string_view::npos;
  const auto may_be = [asked, &by](std::string_view owner, std::string_view queue) {
    return by.sees_jobs_of(owner) && fits(owner, queue, asked);
  };
  return {finished_fit ? asked.getHistory() : schema::History::LIVE, may_be, asked.getSinceS(), asked.getNewest()};
}

class jobs_in_parts final : public answer_in_parts {
 public:
  jobs_in_parts(const status& from, const schema::sealed<schema::Request>& request, const model::requester& by)
      : request_(request),
        by_(from, by),
        shown_(ObjectKind::JOB, by_, asked().getWanted()),
        walk_(wanted_jobs(asked(), by_)) {}

  bool go_on(const status& from, const send_reply& send, std::int64_t now_ns, std::size_t rows) override {
    piecewise out(request_.get().getId(), from.sequence(), send);
    job_answer answer(from, asked(), by_, shown_, out, std::max(now_ns, from.wall_ns()) / 1'000'000'000);
    const bool more = answer.add_some(walk_, rows);
    if (more) out.flush_some();
    else out.flush(true);
    return more;
  }

 private:
  schema::Stat::Reader asked() const { return request_.get().getStat(); }
  const schema::sealed<schema::Request> request_;
  const viewer by_;
  const filter shown_;
  job_walk walk_;
};

void stat_jobs(const status& from, schema::Stat::Reader asked, const viewer& by, const filter& shown, piecewise& out,
               std::int64_t now_s) {
  job_answer answer(from, asked, by, shown, out, now_s);
  if (asked.getNames().size() == 0) {
    job_walk all(wanted_jobs(asked, by));
    (void)answer.add_some(all, SIZE_MAX);
  }
  for (auto n : asked.getNames()) answer.add_named(schema::str(n));
}

// Objects with a name each: all of them, or those asked for.
template <class Each, class Find>
void stat_named(schema::Stat::Reader asked, piecewise& out, std::uint32_t unknown_code, Each each, Find find) {
  if (asked.getNames().size() == 0) return each();
  for (auto n : asked.getNames())
    if (!find(schema::str(n))) out.unknown(schema::text(n), values::refuse(unknown_code));
}

void stat_queues(const status& from, schema::Stat::Reader asked, const filter& shown, piecewise& out) {
  std::vector<const model::queue_state*> all;
  for (const auto& [name, q] : from.queues()) all.push_back(&q);
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) { return a->order < b->order; });
  const queue_sums sums(from);
  auto add = [&](const model::queue_state& q) { out.add(q.name, shown.apply(queue_row(from, q, sums))); };
  stat_named(
      asked, out, pbs_error::unknown_queue,
      [&] { for (const auto* q : all) add(*q); },
      [&](const std::string& name) {
        const auto at = from.queues().find(name);
        if (at != from.queues().end()) add(at->second);
        return at != from.queues().end();
      });
}

void stat_nodes(const status& from, schema::Stat::Reader asked, const filter& shown, piecewise& out, bool by_host) {
  using place = std::pair<const model::vnode_state*, const model::host_state*>;
  const auto add = [&](const model::host_state& host, const model::vnode_state& vnode) {
    out.add(vnode.name, shown.apply(vnode_row(from, host, vnode)));
  };
  const auto add_all = [&](std::vector<place> all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first->order < b.first->order; });
    for (const auto& [vnode, host] : all) add(*host, *vnode);
  };
  const auto note = [](std::vector<place>& all, const model::host_state& host) {
    for (const auto& v : host.vnodes) all.emplace_back(&v, &host);
  };
  stat_named(
      asked, out, pbs_error::unknown_node,
      [&] {
        std::vector<place> all;
        for (const auto& [serial, host] : from.hosts()) note(all, host);
        add_all(std::move(all));
      },
      [&](const std::string& name) {
        const auto* host = from.holdings().host_of(name);
        if (!host) return false;
        std::vector<place> found;
        if (by_host && host->name == name) note(found, *host);  // a host's natural vnode has its name
        else found.emplace_back(host->vnode(name), host);
        add_all(std::move(found));
        return true;
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

}  // namespace

std::unique_ptr<answer_in_parts> begin_answer(const status& from, const schema::sealed<schema::Request>& request,
                                              const model::requester& by) {
  const auto r = request.get();
  if (r.isSelectJobs()) return begin_select(from, request, by);
  if (!r.isStat()) return nullptr;
  const auto asked = r.getStat();
  const bool of_history = asked.getKind() == ObjectKind::JOB && asked.getNames().size() == 0 && asked.getAt().isNow() &&
                          asked.getHistory() != schema::History::LIVE && history_allowed(from);
  return of_history ? std::make_unique<jobs_in_parts>(from, request, by) : nullptr;
}

void answer_stat(const status& from, std::uint64_t request_id, schema::Stat::Reader asked, const model::requester& by,
                 const send_reply& send, std::int64_t now_ns) {
  if (asked.getKind() == ObjectKind::JOB && asked.getHistory() != schema::History::LIVE && !history_allowed(from))
    return refuse_whole(request_id, from.sequence(), values::refuse(pbs_error::no_history), send);
  if (asked.getKind() == ObjectKind::HOOK)
    if (const auto why = model::may_touch_hooks(by, from.server().server_name); why.code != 0)
      return refuse_whole(request_id, from.sequence(), {why.code, why.text}, send);
  const viewer viewing(from, by);
  const filter shown(asked.getKind() == ObjectKind::HOST ? ObjectKind::NODE : asked.getKind(), viewing, asked.getWanted());
  piecewise out(request_id, from.sequence(), send);
  switch (asked.getKind()) {
    case ObjectKind::JOB: stat_jobs(from, asked, viewing, shown, out, std::max(now_ns, from.wall_ns()) / 1'000'000'000); break;
    case ObjectKind::QUEUE: stat_queues(from, asked, shown, out); break;
    case ObjectKind::SERVER: out.add(from.server().server_name, shown.apply(server_row(from))); break;
    case ObjectKind::NODE: stat_nodes(from, asked, shown, out, false); break;
    case ObjectKind::HOST: stat_nodes(from, asked, shown, out, true); break;
    case ObjectKind::SCHEDULER: stat_schedulers(from, asked, shown, out); break;
    case ObjectKind::RESOURCE: stat_resources(from, asked, viewing, out); break;
    case ObjectKind::HOOK: stat_hooks(from, asked, shown, out); break;
    case ObjectKind::RESERVATION: stat_reservations(from, asked, shown, out); break;
  }
  out.flush(true);
}

}  // namespace annals::projections
