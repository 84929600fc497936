#include "actors/sessions/sessions.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "actors/sessions/by_hand_orders.hpp"
#include "actors/sessions/end_waits.hpp"
#include "actors/sessions/hosts_to_reserve.hpp"
#include "actors/sessions/mirror_waits.hpp"
#include "actors/sessions/rerun_waits.hpp"
#include "actors/sessions/reservation_waits.hpp"
#include "actors/sessions/resting_jobs.hpp"
#include "actors/sessions/scheduler_session.hpp"
#include "actors/sessions/unserved_partitions.hpp"
#include "events/attributes/ids.hpp"
#include "projections/status/partition.hpp"

namespace annals::actors {

namespace {

using look_atom = caf::atom_constant<caf::atom("look")>;
using over_atom = caf::atom_constant<caf::atom("over")>;
using unlike_atom = caf::atom_constant<caf::atom("unlike")>;
using remind_atom = caf::atom_constant<caf::atom("remind")>;

class leader_sessions final : public leading_part {
 public:
  leader_sessions(caf::event_based_actor* self, followed_status& of, const ports::clock* clock, daemon_log* notes)
      : self_(self), of_(of), clock_(clock), notes_(notes), at_rest_(self, clock) {
    know_schedulers();
  }

  void folded(const log::record& record) override {
    if (schema::is(record.event(), schema::JobEvent::ENDED)) for_ends_.ended(record, now());
    if (schema::is(record.event(), schema::SchedulerEvent::CREATED)) know_schedulers();
    for (auto& [name, session] : sessions_) session.folded(record);
    for (const auto& line : unserved_.folded(record)) complain(line);
  }

  void all_folded() override {
    for (auto& [name, session] : sessions_) session.all_folded();
    if (!for_reservations_.empty()) for_reservations_.look(now(), clock_->now_ns());
    if (!for_reruns_.empty()) for_reruns_.look(now());
    if (!for_mirrors_.empty()) for_mirrors_.look(now());
    for (auto waited = std::exchange(early_for_jobs_, {}); auto& asked : waited) receive(asked);
    for (auto waited = std::exchange(early_by_hand_, {}); auto& b : waited) receive(b);
  }

  // A cycle that could begin, the end of a job, or an answer.
  bool waits() const override {
    if (!for_ends_.empty() || !for_reservations_.empty() || !for_reruns_.empty() || !for_mirrors_.empty() || !early_for_jobs_.empty() ||
        !early_by_hand_.empty())
      return true;
    return std::any_of(sessions_.begin(), sessions_.end(), [](const auto& s) { return s.second.waits(); });
  }

  bool take(const query& q) override {
    if (!q.request.get().isWaitJob()) return false;
    for_ends_.ask(q, now());
    return true;
  }

  caf::message_handler messages() override { return of_waits().or_else(of_schedulers()); }

 private:
  const projections::status& now() const { return of_.now(); }

  caf::message_handler of_waits() {
    return {
        [this](const client_gone& g) { for_ends_.gone(g.client); },
        [this](reservation_for_job& j) { of_.up_to_date([&] { receive(j); }); },
        [this](reservation_wait& w) { of_.up_to_date([&] { wait(w); }); },
        [this](look_atom) { of_.up_to_date([&] { for_reservations_.look(now(), clock_->now_ns()); }); },
        [this](rerun_wait& w) { of_.up_to_date([&] { wait(w); }); },
        [this](over_atom, std::uint64_t number) { of_.up_to_date([&] { for_reruns_.over(number, now()); }); },
        [this](mirror_wait& w) { of_.up_to_date([&] { wait(w); }); },
        [this](unlike_atom, std::uint64_t number) { of_.up_to_date([&] { for_mirrors_.over(number, now()); }); },
        [this](tell_resting_jobs& t) { of_.up_to_date([&] { at_rest_.tell(t, now()); }); },
        [this](append_results& r) { of_.up_to_date([&] { at_rest_.on_results(r, now()); }); },
    };
  }

  caf::message_handler of_schedulers() {
    return {
        [this](by_hand& b) { of_.up_to_date([&] { receive(b); }); },
        [this](const restart_cycle&) {
          of_.up_to_date([&] {
            for (auto& [name, session] : sessions_) session.want_cycle("a hook asks for it");
          });
        },
        [this](const scheduler_connected& c) { of_.up_to_date([&] { session_of(c.name).connected(c.peer); }); },
        [this](const scheduler_disconnected& d) {
          of_.up_to_date([&] {
            for (auto& [name, session] : sessions_) session.disconnected(d.peer);
          });
        },
        [this](const scheduler_frame& f) { of_.up_to_date([&] { session_of(f.from).said(f.message.get()); }); },
        [this](const proposal_settled& p) { of_.up_to_date([&] { session_of(p.scheduler).settled(p); }); },
        [this](remind_atom, const std::string& scheduler, std::uint64_t number) {
          of_.up_to_date([&] { session_of(scheduler).reminded(number); });
        },
    };
  }

  // -- reservations ------------------------------------------------------------------------------------------------------------

  void receive(reservation_for_job& asked) {
    if (asked.min_sequence > now().sequence()) return early_for_jobs_.push_back(std::move(asked));
    asked.hosts = hosts_to_reserve(now(), asked.request.get().getSubmitReservation());
    for (auto a : asked.request.get().getSubmitReservation().getAttributes())
      if (a.getName() == "qmove" || a.getName() == "reserve_job")
        if (const auto job = now().job_by_id(schema::text(a.getValue()))) {
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

  // -- waits -------------------------------------------------------------------------------------------------------------------

  void wait(rerun_wait& w) {
    const auto number = for_reruns_.add(std::move(w), now());
    self_->delayed_send(self_, longest_rerun_wait(now()), over_atom::value, number);
  }

  void wait(mirror_wait& w) {
    const auto number = for_mirrors_.add(std::move(w), now());
    if (!for_mirrors_.empty()) self_->delayed_send(self_, longest_mirror_wait, unlike_atom::value, number);
  }

  void wait(reservation_wait& w) {
    const auto left = std::max<std::int64_t>(0, w.until_ns - clock_->now_ns());
    for_reservations_.add(std::move(w), now(), clock_->now_ns());
    self_->delayed_send(self_, std::chrono::nanoseconds(left), look_atom::value);
  }

  // -- schedulers --------------------------------------------------------------------------------------------------------------

  void receive(by_hand& b) {
    if (b.min_sequence > now().sequence()) early_by_hand_.push_back(std::move(b));
    else hand_orders_.carry_out(b);
  }

  // Each scheduler has one as soon as its object is there: also who never came can't be reached.
  void know_schedulers() {
    for (const auto& [name, scheduler] : now().schedulers()) session_of(name);
  }

  void complain(const std::string& text) const {
    if (notes_) notes_->write(log_event::error, "Svr", "Server@" + now().server().server_name, text);
  }

  scheduler_session& session_of(const std::string& name) {
    const auto known = sessions_.find(name);
    if (known != sessions_.end()) return known->second;
    scheduler_session::outlets out{*clock_,
                                   [me = self_, name](std::chrono::seconds after, std::uint64_t number) {
                                     me->delayed_send(me, after, remind_atom::value, name, number);
                                   },
                                   [this](const std::string& text) { complain(text); }};
    return sessions_.try_emplace(name, now(), name, std::move(out)).first->second;
  }

  // That of the scheduler whose partition the job's queue is in. The one without a name is nobody's, and nobody ever connects to it.
  scheduler_session& session_for(const model::job_state& job) {
    return session_of(std::string(projections::scheduler_of_partition(now(), projections::partition_of_queue(now(), job.queue()))));
  }

  caf::event_based_actor* self_;
  followed_status& of_;
  const ports::clock* clock_;
  daemon_log* notes_;
  std::map<std::string, scheduler_session> sessions_;  // by scheduler object
  by_hand_orders hand_orders_{now(), self_, [this](const model::job_state& job) -> scheduler_session& { return session_for(job); }};
  std::deque<by_hand> early_by_hand_;  // asked for a position not folded yet
  end_waits for_ends_;
  reservation_waits for_reservations_;
  std::deque<reservation_for_job> early_for_jobs_;  // as early_by_hand_
  resting_jobs at_rest_;
  rerun_waits for_reruns_;
  mirror_waits for_mirrors_;
  unserved_partitions unserved_{now()};
};

}  // namespace

make_leading_part sessions(const ports::clock* clock, daemon_log* notes) {
  return [clock, notes](caf::event_based_actor* self, followed_status& of) {
    return std::make_unique<leader_sessions>(self, of, clock, notes);
  };
}

}  // namespace annals::actors
