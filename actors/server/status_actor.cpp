#include "actors/server/status_actor.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "actors/server/end_waits.hpp"
#include "actors/server/hook_views.hpp"
#include "actors/server/hosts_to_reserve.hpp"
#include "actors/server/long_answers.hpp"
#include "actors/server/mirror_waits.hpp"
#include "actors/server/replies.hpp"
#include "actors/server/rerun_waits.hpp"
#include "actors/server/reservation_waits.hpp"
#include "actors/server/resting_jobs.hpp"
#include "actors/server/scheduler_session.hpp"
#include "actors/server/unserved_partitions.hpp"
#include "events/attributes/ids.hpp"
#include "events/model/job/run_rights.hpp"
#include "events/model/refuse.hpp"
#include "events/values/job_id.hpp"
#include "events/values/pbs_error.hpp"
#include "projections/scheduling/by_hand.hpp"
#include "projections/status/fairshare_query.hpp"
#include "projections/status/partition.hpp"
#include "projections/status/query.hpp"

namespace annals::actors {

namespace {

using look_atom = caf::atom_constant<caf::atom("look")>;
using next_part_atom = caf::atom_constant<caf::atom("nextpart")>;
using over_atom = caf::atom_constant<caf::atom("over")>;
using unlike_atom = caf::atom_constant<caf::atom("unlike")>;
using remind_atom = caf::atom_constant<caf::atom("remind")>;

// To fold so many takes a few milliseconds: it has not had the processor for long.
constexpr std::size_t records_behind = 1024;

struct answering {
  std::shared_ptr<projections::status> now;
  std::shared_ptr<projections::past_writer> index;
  caf::actor past;
  const ports::clock* clock;
  std::shared_ptr<commit_inbox> inbox;
  daemon_log* notes;
  caf::event_based_actor* self;
  std::map<std::string, scheduler_session> sessions;  // by scheduler object
  std::deque<by_hand> early_by_hand;                  // the same
  std::deque<view_wanted> early_views;                // the same, for hooks
  std::deque<query> early;                            // asked for a position not folded yet
  end_waits for_ends;
  reservation_waits for_reservations;
  std::deque<reservation_for_job> early_for_jobs;  // as early
  resting_jobs at_rest;
  long_answers in_parts = {};
  bool goes_on_soon = false;  // next_part_atom is in the mailbox, or will be
  bool behind = false;
  std::function<void(bool)> hurry = {};
  rerun_waits for_reruns = {};
  mirror_waits for_mirrors = {};
  unserved_partitions unserved{*now};

  // Before anything is done: what asks comes after the commits that it may ask about. Those that come meanwhile are folded behind what
  // others ask for.
  void catch_up() {
    const auto commits = inbox->take();
    look_how_far(commits);
    for (const auto& records : commits) fold(*records);
    if (inbox->tell_at_once(waits())) self->send(self, commits_wait{});
  }

  // A thread that yields to others falls ever more behind when the processors are busy and others submit without end.
  void look_how_far(const std::vector<records_ptr>& commits) {
    std::size_t records = 0;
    for (const auto& c : commits) records += c->size();
    if (const bool now_behind = records >= records_behind; std::exchange(behind, now_behind) != now_behind) hurry(now_behind);
  }

  // And no further: a view is of exactly this position, if the state is still there.
  void catch_up_to(std::uint64_t sequence) {
    if (sequence > now->sequence())
      for (const auto& records : inbox->take(sequence)) fold(*records);
  }

  // For commits: a cycle that could begin, the end of a job, or an answer.
  bool waits() const {
    if (!for_ends.empty() || !for_reservations.empty() || !for_reruns.empty() || !for_mirrors.empty() || !early_for_jobs.empty() ||
        !early.empty() || !early_by_hand.empty() || !early_views.empty())
      return true;
    return std::any_of(sessions.begin(), sessions.end(), [](const auto& s) { return s.second.waits(); });
  }

  void fold(const std::vector<log::record_ptr>& records) {
    for (const auto& record : records) {
      now->fold(*record);
      index->fold(*record, *now);
      if (schema::is(record->event(), schema::JobEvent::ENDED)) for_ends.ended(*record, *now);
      if (schema::is(record->event(), schema::SchedulerEvent::CREATED)) know_schedulers();
      for (auto& [name, session] : sessions) session.folded(*record);
      for (const auto& line : unserved.folded(*record)) complain(line);
    }
    for (auto& [name, session] : sessions) session.all_folded();
    if (!for_reservations.empty()) for_reservations.look(*now, clock->now_ns());
    if (!for_reruns.empty()) for_reruns.look(*now);
    if (!for_mirrors.empty()) for_mirrors.look(*now);
    for (auto waited = std::exchange(early_for_jobs, {}); auto& asked : waited) receive(asked);
    for (auto waited = std::exchange(early_by_hand, {}); auto& b : waited) receive(b);
    while (!early.empty() && early.front().min_sequence <= now->sequence()) {
      answer(early.front());
      early.pop_front();
    }
    while (!early_views.empty() && early_views.front().request.get().getStat().getAt().getSequence() <= now->sequence()) {
      look(early_views.front());
      early_views.pop_front();
    }
  }

  void receive(reservation_for_job& asked) {
    if (asked.min_sequence > now->sequence()) return early_for_jobs.push_back(std::move(asked));
    asked.hosts = hosts_to_reserve(*now, asked.request.get().getSubmitReservation());
    for (auto a : asked.request.get().getSubmitReservation().getAttributes())
      if (a.getName() == "qmove" || a.getName() == "reserve_job")
        if (const auto job = now->job_by_id(schema::text(a.getValue()))) {
          asked.job = model::reservation_job{job->serial,
                                             job->id,
                                             std::string(job->owner_name()),
                                             job->phase <= model::job_phase::waiting,
                                             job->phase == model::job_phase::started,
                                             job->attributes};
          if (asked.cause != 0) ask_as_owner(asked, *job);
        }
    caf::anon_send(caf::actor(asked.gateway), asked);
  }

  static void ask_as_owner(reservation_for_job& asked, const model::job_state& job) {
    const auto host = job.owner().substr(std::min(job.owner().size(), job.owner_name().size() + 1));
    asked.by = {std::string(job.owner_name()), std::string(host), schema::Role::USER};
    asked.group = std::string(job.attribute(attributes::job::egroup));
  }

  void wait(rerun_wait& w) {
    const auto number = for_reruns.add(std::move(w), *now);
    self->delayed_send(self, longest_rerun_wait(*now), over_atom::value, number);
  }

  void wait(mirror_wait& w) {
    const auto number = for_mirrors.add(std::move(w), *now);
    if (!for_mirrors.empty()) self->delayed_send(self, longest_mirror_wait, unlike_atom::value, number);
  }

  void wait(reservation_wait& w) {
    const auto left = std::max<std::int64_t>(0, w.until_ns - clock->now_ns());
    for_reservations.add(std::move(w), *now, clock->now_ns());
    self->delayed_send(self, std::chrono::nanoseconds(left), look_atom::value);
  }

  // -- by hand -----------------------------------------------------------------------------------------------------------------

  void receive(by_hand& b) {
    if (b.min_sequence > now->sequence()) return early_by_hand.push_back(std::move(b));
    try {
      if (b.request.get().isRunJob()) run(b);
      else if (b.request.get().isFairshare()) trim(b);
      else order(b);
    } catch (const kj::Exception&) {
      b.reply->refused(now->sequence(), model::refuse(values::pbs_error::invalid_request));
    }
  }

  static std::string command_id(schema::Request::Reader r) {
    return {reinterpret_cast<const char*>(r.getCommandId().begin()), r.getCommandId().size()};
  }

  void run(const by_hand& b) {
    const auto named = schema::text(b.request.get().getRunJob().getJob());
    const auto id = values::parse_job_id(named);
    if (id && id->form != values::id_form::job) return run_subjobs(b, *id);
    const auto job = now->job_by_id(named);
    if (const auto why = model::run_by_hand_refusal(job.get(), b.by)) return b.reply->refused(now->sequence(), *why);
    run_one(b, *job, std::nullopt, command_id(b.request.get()), b.reply);
  }

  // One after the other, the lowest first: when it runs, the rest is asked for.
  void run_subjobs(const by_hand& b, const values::job_id& id) {
    const auto array = now->array_by_number(id.number);
    const auto left = model::subjobs_to_run(array.get(), id, b.by);
    std::optional<std::uint32_t> next;
    if (left)
      left->each([&](std::uint32_t index) {
        if (index >= b.from) next = index;
        return !next;
      });
    if (!next && b.from > 0) return b.reply->done(now->sequence(), "");
    if (!left) return b.reply->refused(now->sequence(), left.error());
    if (id.form == values::id_form::subjob) return run_one(b, *array, next, command_id(b.request.get()), b.reply);
    run_one(b, *array, next, {}, std::make_shared<then_the_rest>(b, *next + 1, caf::actor(self)));
  }

  class then_the_rest final : public reply_to {
   public:
    then_the_rest(by_hand of, std::uint32_t from, caf::actor status) : rest_(std::move(of)), status_(std::move(status)) {
      rest_.from = from;
    }
    void done(std::uint64_t sequence, const std::string&) override {
      rest_.min_sequence = sequence;
      caf::anon_send(status_, rest_);
    }
    void refused(std::uint64_t sequence, const model::rejection& why) override { rest_.reply->refused(sequence, why); }

   private:
    by_hand rest_;
    const caf::actor status_;
  };

  void run_one(const by_hand& b, const model::job_state& job, std::optional<std::uint32_t> subjob, std::string command_id,
               reply_ptr reply) {
    const auto where = schema::text(b.request.get().getRunJob().getExecVnode());
    if (where.empty()) return session_for(job).run_job(job, subjob, std::move(reply));
    const auto place = projections::place_by_hand(*now, job, where);
    if (!place) return reply->refused(now->sequence(), place.error());
    auto proposal = schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
      auto run = m.initRun();
      run.setJob(job.serial);
      run.setOfArray(subjob.has_value());
      run.setIndex(subjob.value_or(0));
      run.setExecVnode(place->exec_vnode);
      run.setExecHost(place->exec_host);
      auto hosts = run.initHosts(static_cast<unsigned>(place->hosts.size()));
      for (unsigned i = 0; i < hosts.size(); ++i) hosts.set(i, place->hosts[i]);
    });
    caf::anon_send(b.gateway, job_command_for{job.number, model::proposed_run{std::move(proposal), "", true}, b.by, std::move(command_id),
                                              std::move(reply)});
  }

  // A subjob, or some.
  bool is_of_a_known_array(capnp::Text::Reader job) const {
    const auto id = values::parse_job_id(schema::text(job));
    return id && (id->form == values::id_form::subjob || id->form == values::id_form::range) && now->array_by_number(id->number);
  }

  // Two jobs change places. Each command is repeatable; a server that dies between them leaves both with one rank, and then
  // the older job comes first.
  void order(const by_hand& b) {
    const auto asked = b.request.get().getOrderJobs();
    if (is_of_a_known_array(asked.getFirst()) || is_of_a_known_array(asked.getSecond()))
      return b.reply->refused(now->sequence(), model::refuse(values::pbs_error::invalid_request));
    const auto first = now->job_by_id(schema::text(asked.getFirst()));
    const auto second = now->job_by_id(schema::text(asked.getSecond()));
    const auto ranks = model::exchange_ranks(first.get(), second.get(), b.by);
    if (!ranks) return b.reply->refused(now->sequence(), ranks.error());
    auto parts = reply_jointly(b.reply, 2);
    caf::anon_send(b.gateway, job_command_for{first->number, ranks->first, b.by, command_id(b.request.get()), parts[0]});
    caf::anon_send(b.gateway, job_command_for{second->number, ranks->second, b.by, {}, parts[1]});
  }

  // pbsfs -e says who stays; who goes is known here.
  void trim(const by_hand& b) {
    const auto asked = b.request.get().getFairshare();
    model::trim_fairshare command{projections::entities_to_trim(*now, asked)};
    caf::anon_send(b.gateway, scheduler_command_for{schema::str(asked.getScheduler()), std::move(command), b.by,
                                                    command_id(b.request.get()), b.reply});
  }

  // Each scheduler has one as soon as its object is there: also who never came can't be reached.
  void know_schedulers() {
    for (const auto& [name, scheduler] : now->schedulers()) session_of(name);
  }

  void complain(const std::string& text) const {
    if (notes) notes->write(log_event::error, "Svr", "Server@" + now->server().server_name, text);
  }

  scheduler_session& session_of(const std::string& name) {
    const auto known = sessions.find(name);
    if (known != sessions.end()) return known->second;
    scheduler_session::outlets out{*clock,
                                   [me = self, name](std::chrono::seconds after, std::uint64_t number) {
                                     me->delayed_send(me, after, remind_atom::value, name, number);
                                   },
                                   [this](const std::string& text) { complain(text); }};
    return sessions.try_emplace(name, *now, name, std::move(out)).first->second;
  }

  // That of the scheduler whose partition the job's queue is in. The one without a name is nobody's, and nobody ever connects to it.
  scheduler_session& session_for(const model::job_state& job) {
    return session_of(std::string(projections::scheduler_of_partition(*now, projections::partition_of_queue(*now, job.queue()))));
  }

  void receive(view_wanted& w) {
    const auto sequence = w.request.get().getStat().getAt().getSequence();
    if (sequence > now->sequence()) early_views.push_back(std::move(w));
    else look(w);
  }

  // As of exactly that position, unless a later one will do: the live state, or else the log.
  void look(const view_wanted& w) {
    const auto request = w.request.get();
    const auto asked = request.getStat();
    if (!w.or_later && asked.getAt().getSequence() != now->sequence()) return caf::anon_send(past, w);
    hook_objects found;
    if (const auto reply = w.by.is_daemon() ? subjob_to_begin(asked) : std::nullopt) {
      hooks::take_objects(asked.getKind(), reply->get(), found);
      return w.done(std::move(found), now->sequence());
    }
    projections::answer_stat(*now, 0, asked, w.by,
                             [&](const schema::sealed<schema::Reply>& r) { hooks::take_objects(asked.getKind(), r.get(), found); });
    w.done(std::move(found), now->sequence());
  }

  // Hooks see a subjob that has not begun as the job that it would be.
  std::optional<schema::sealed<schema::Reply>> subjob_to_begin(schema::Stat::Reader asked) const {
    if (asked.getKind() != schema::ObjectKind::JOB || asked.getNames().size() != 1) return std::nullopt;
    const auto id = values::parse_job_id(schema::text(asked.getNames()[0]));
    if (!id || id->form != values::id_form::subjob) return std::nullopt;
    const auto array = now->array_by_number(id->number);
    const auto number = values::number_of(*id);
    if (!array || !number || !array->array->remaining.has(values::index_of(*number))) return std::nullopt;
    const auto subjob = model::subjob_to_begin(*array, values::index_of(*number), {clock->now_ns(), hook_reader});
    return schema::make<schema::Reply>([&](schema::Reply::Builder r) {
      const auto row = subjob.attributes.packed();
      auto object = r.initObjects().initObjects(1)[0];
      object.setName(subjob.id);
      object.setAttributes({reinterpret_cast<const kj::byte*>(row.data()), row.size()});
    });
  }

  void receive(query& q) {
    if (q.min_sequence > now->sequence()) early.push_back(std::move(q));
    else answer(q);
  }

  void answer(const query& q) {
    answer_with(q, [&] {
      auto rest = projections::begin_answer(*now, q.request, q.by);
      if (!rest) return answer_readable(q);
      // Most lists are short, and end here.
      if (!in_parts.has(q.by.user) && !make_part(q, *rest, long_answers::rows_of_part)) return;
      in_parts.add(q, std::move(rest));
      if (!std::exchange(goes_on_soon, true)) self->send(self, next_part_atom::value);
    });
  }

  void go_on() {
    const auto pause = in_parts.make_next_part(
        [this](const query& q, projections::answer_in_parts& rest, std::size_t rows) { return make_part(q, rest, rows); });
    goes_on_soon = pause.has_value();
    if (!pause) return;
    if (pause->count() == 0) self->send(self, next_part_atom::value);
    else self->delayed_send(self, *pause, next_part_atom::value);
  }

  // False: there are no more, as of one that can't be read.
  bool make_part(const query& q, projections::answer_in_parts& rest, std::size_t rows) {
    bool more = false;
    answer_with(q, [&] {
      more = rest.go_on(
          *now, [&](const schema::sealed<schema::Reply>& r) { q.to->send(r); }, clock->now_ns(), rows);
    });
    return more;
  }

  template <class Work>
  void answer_with(const query& q, Work&& work) {
    for_asker(q.to, [&] {
      try {
        work();
      } catch (const projections::scratch_unreadable& why) {
        q.to->send(refusal_reply(q.request.get().getId(), now->sequence(),
                                 {values::pbs_error::system_error, std::string("System error: ") + why.what()}));
      }
    });
  }

  void answer_readable(const query& q) {
    const auto request = q.request.get();
    const auto send = [&](const schema::sealed<schema::Reply>& r) { q.to->send(r); };
    switch (request.which()) {
      case schema::Request::STAT: return answer_stat(q, request, send);
      case schema::Request::WAIT_JOB: return for_ends.ask(q, *now);
      case schema::Request::FAIRSHARE:
        if (request.getFairshare().isWhy()) return caf::anon_send(past, q);
        return projections::answer_fairshare(*now, request.getId(), request.getFairshare(), q.by,
                                             std::max(clock->now_ns(), now->wall_ns()), send);
      default: return send(refusal_reply(request.getId(), now->sequence(), {values::pbs_error::unknown_request, "Unknown request"}));
    }
  }

  void answer_stat(const query& q, schema::Request::Reader request, const projections::send_reply& send) {
    const auto asked = request.getStat();
    if (asked.getAt().isNow()) return projections::answer_stat(*now, request.getId(), asked, q.by, send, clock->now_ns());
    caf::anon_send(past, q);
  }
};

}  // namespace

caf::behavior status_actor(caf::event_based_actor* self, status_parts parts) {
  self->set_exception_handler([stop = parts.stop_process](std::exception_ptr e) -> caf::error {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& x) {
      stop(std::string("the status failed: ") + x.what());
    }
    return caf::exit_reason::unhandled_exception;
  });
  auto a = std::make_shared<answering>(answering{std::move(parts.now),
                                                 std::move(parts.index),
                                                 std::move(parts.past),
                                                 parts.clock,
                                                 std::move(parts.inbox),
                                                 parts.notes,
                                                 self,
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 {},
                                                 resting_jobs(self, parts.clock)});
  a->hurry = std::move(parts.hurry);
  a->know_schedulers();
  const auto up_to_date = [a](auto then) {
    a->catch_up();
    then();
    a->catch_up();
  };
  return {
      [=](const commits_wait&) { up_to_date([] {}); },
      [=](query& q) { up_to_date([&] { a->receive(q); }); },
      [a](const client_gone& g) { a->for_ends.gone(g.client); },
      [=](reservation_for_job& j) { up_to_date([&] { a->receive(j); }); },
      [=](reservation_wait& w) { up_to_date([&] { a->wait(w); }); },
      [=](next_part_atom) { up_to_date([&] { a->go_on(); }); },
      [=](rerun_wait& w) { up_to_date([&] { a->wait(w); }); },
      [=](over_atom, std::uint64_t number) { up_to_date([&] { a->for_reruns.over(number, *a->now); }); },
      [=](mirror_wait& w) { up_to_date([&] { a->wait(w); }); },
      [=](unlike_atom, std::uint64_t number) { up_to_date([&] { a->for_mirrors.over(number, *a->now); }); },
      [=](look_atom) { up_to_date([&] { a->for_reservations.look(*a->now, a->clock->now_ns()); }); },
      [=](by_hand& b) { up_to_date([&] { a->receive(b); }); },
      [=](view_wanted& w) {
        a->catch_up_to(w.request.get().getStat().getAt().getSequence());
        a->receive(w);
        if (!a->early_views.empty()) a->catch_up();
      },
      [=](tell_resting_jobs& t) { up_to_date([&] { a->at_rest.tell(t, *a->now); }); },
      [=](append_results& r) { up_to_date([&] { a->at_rest.on_results(r, *a->now); }); },
      [=](const restart_cycle&) {
        up_to_date([&] {
          for (auto& [name, session] : a->sessions) session.want_cycle("a hook asks for it");
        });
      },
      [=](const scheduler_connected& c) { up_to_date([&] { a->session_of(c.name).connected(c.peer); }); },
      [=](const scheduler_disconnected& d) {
        up_to_date([&] {
          for (auto& [name, session] : a->sessions) session.disconnected(d.peer);
        });
      },
      [=](const scheduler_frame& f) { up_to_date([&] { a->session_of(f.from).said(f.message.get()); }); },
      [=](const proposal_settled& p) { up_to_date([&] { a->session_of(p.scheduler).settled(p); }); },
      [=](remind_atom, const std::string& scheduler, std::uint64_t number) {
        up_to_date([&] { a->session_of(scheduler).reminded(number); });
      },
      [](const disk_state&) {},
  };
}

}  // namespace annals::actors
