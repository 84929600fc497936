#include "actors/gateway/actor_registry.hpp"

#include <caf/send.hpp>

#include "actors/runtime/run_this.hpp"
#include "actors/server/host_actor.hpp"
#include "actors/server/job_actor.hpp"
#include "actors/server/object_actors.hpp"
#include "actors/server/reservation_actor.hpp"
#include "events/model/limits.hpp"

namespace annals::actors {

namespace pbs_error = values::pbs_error;

actor_registry::actor_registry(caf::event_based_actor* self, gateway_parts parts)
    : self_(self),
      parts_(std::move(parts)),
      next_number_(parts_.where->next_number()),
      names_(self, "names", limits::group_lookup_threads_max, limits::group_lookups_waiting_max, parts_.detached),
      signatures_(self, "signatures", 1, 0, parts_.detached),
      reading_(self, "reading", 1, limits::hook_exports_waiting_max, parts_.detached),
      hellos_(self, "hellos", 1, 0, parts_.detached),
      calendars_(self, "calendars", 1, limits::recurrences_waiting_max, parts_.detached),
      orders_(order_parts()) {}

// Addresses are looked up here; the order is made, and signed, where nobody waits.
order_lines::parts actor_registry::order_parts() {
  order_lines::parts p;
  p.sign = [this](const post_to_host& order, std::function<void(order_lines::order)> then) {
    signatures_.ask_always([message = order.message, host = order.host, sisters = places_of_sisters(order.message, *parts_.where),
                            words = words_for(order.message, *parts_.where), sign = parts_.sign_ticket, now = parts_.base.clock->now_ns(),
                            then = std::move(then)] {
      auto ticketed = with_ticket(message, host, sisters, sign, now, words);
      return [then, ticketed = std::move(ticketed)] { then(ticketed); };
    });
  };
  p.leave = [this](const std::string& name, order_lines::item&& what) {
    if (const auto h = host(name)) std::visit([&](auto& w) { self_->send(h, std::move(w)); }, what);
  };
  return p;
}

// -- actors --------------------------------------------------------------------------------------------------------------

actor_registry::job_entry& actor_registry::job(std::uint64_t number) {
  auto& entry = jobs_[number];
  if (!entry.actor)
    entry.actor = self_->spawn<job_actor>(job_parts{parts_.base, self_, parts_.scripts}, number,
                                          parts_.where->job_serial(number).value_or(0), settings());
  return entry;
}

// The former actor has been told of its last commit: it stands before this one in its mailbox.
void actor_registry::subjob_born(std::uint64_t number) {
  if (const auto before = jobs_.find(number); before != jobs_.end()) {
    caf::anon_send_exit(before->second.actor, caf::exit_reason::normal);
    jobs_.erase(before);
  }
  wake_job(number);
}

caf::actor actor_registry::server() {
  if (!server_) server_ = self_->spawn<server_actor>(parts_.base, parts_.where->server_stream(), settings());
  return server_;
}

// One that is being made stays the object's actor: a second request that makes it comes to it too, and is refused there. An actor whose
// object is no more is no one's.
template <class Actor, class... Extra>
caf::actor actor_registry::named(std::map<std::string, named_entry>& actors, const directory::names& known, const std::string& name,
                                 bool creates, Extra... extra) {
  const auto stream = known.find(name);
  const bool is_known = stream != known.end();
  auto& entry = actors[name];
  if (!is_known && !entry.is_new) entry.actor = nullptr;
  if (!is_known && !creates) {
    if (!entry.actor) actors.erase(name);
    return {};
  }
  entry.is_new = !is_known;
  if (!entry.actor) entry.actor = self_->spawn<Actor>(parts_.base, extra..., is_known ? stream->second : 0, settings());
  return entry.actor;
}

caf::actor actor_registry::queue(const std::string& name, bool creates) {
  return named<queue_actor>(queues_, parts_.where->queues(), name, creates);
}

// Streams of these grow for years: of a hook with its runs, of a scheduler with its cycles. An actor begins with what the directory knows,
// and reads no more than came after it.
template <class Actor, class States, class... Extra>
caf::actor actor_registry::named_with_state(std::map<std::string, named_entry>& actors, const directory::names& known, const States& states,
                                            const std::string& name, bool creates, Extra... extra) {
  if (const auto stream = known.find(name); stream != known.end())
    if (auto& a = actors[name].actor; !a)
      a = self_->spawn<Actor>(parts_.base, extra..., stream->second, settings(), states.at(stream->second));
  return named<Actor>(actors, known, name, creates, extra...);
}

caf::actor actor_registry::scheduler(const std::string& name, bool creates) {
  return named_with_state<scheduler_object_actor>(schedulers_, parts_.where->schedulers(), parts_.where->schedulers_as_they_are(), name,
                                                  creates);
}
caf::actor actor_registry::hook(const std::string& name, bool creates) {
  return named_with_state<hook_actor>(hooks_, parts_.where->hooks(), parts_.where->hook_states(), name, creates);
}
caf::actor actor_registry::host(const std::string& name, bool creates) {
  return named_with_state<host_actor>(hosts_, parts_.where->hosts(), parts_.where->host_states(), name, creates, caf::actor(self_));
}

caf::actor actor_registry::reservation(std::uint64_t serial) {
  const auto known = parts_.where->reservation_states().find(serial);
  if (known == parts_.where->reservation_states().end()) return {};
  auto& entry = reservations_[serial];
  if (!entry) entry = self_->spawn<reservation_actor>(parts_.base, serial, settings(), known->second);
  return entry;
}

caf::actor actor_registry::new_reservation(std::uint64_t number) {
  return new_reservations_[number] = self_->spawn<reservation_actor>(parts_.base, std::uint64_t{0}, settings());
}

void actor_registry::reservation_refused(std::uint64_t number) {
  const auto at = new_reservations_.find(number);
  if (at == new_reservations_.end()) return;
  caf::anon_send_exit(at->second, caf::exit_reason::normal);
  new_reservations_.erase(at);
}

void actor_registry::reservation_folded(std::uint64_t serial) {
  const auto known = parts_.where->reservation_states().find(serial);
  if (known != parts_.where->reservation_states().end()) {
    const auto fresh = new_reservations_.find(model::number_of(known->second));
    if (fresh == new_reservations_.end()) return;
    reservations_[serial] = std::move(fresh->second);
    new_reservations_.erase(fresh);
    return;
  }
  const auto gone = reservations_.find(serial);
  if (gone == reservations_.end()) return;
  caf::anon_send_exit(gone->second, caf::exit_reason::normal);
  reservations_.erase(gone);
}

caf::actor actor_registry::host_of(const std::string& vnode) {
  const auto name = parts_.where->host_of_vnode(vnode);
  return name ? host(*name) : caf::actor();
}

caf::actor actor_registry::known_host(const std::string& name) const {
  const auto at = hosts_.find(name);
  return at == hosts_.end() ? caf::actor() : at->second.actor;
}

// -- commands ------------------------------------------------------------------------------------------------------------

void actor_registry::tell_job(std::uint64_t number, envelope<model::job_command> e) {
  if (!parts_.where->job_serial(number)) {  // never there, or gone meanwhile
    if (e.reply) refuse(e.reply, pbs_error::unknown_job);
    return;
  }
  if (const auto told = at_rest_.find(number); told != at_rest_.end()) return told->second.push_back({std::move(e), false});
  auto& entry = job(number);
  ++entry.sent;
  self_->send(entry.actor, std::move(e));
}

void actor_registry::tell_job_at_rest(std::uint64_t number, envelope<model::job_command> e) {
  const auto serial = parts_.where->job_serial(number);
  if (!serial || jobs_.contains(number)) return tell_job(number, std::move(e));
  if (const auto [told, first] = at_rest_.try_emplace(number); !first) return told->second.push_back({std::move(e), true});
  to_rest_.push_back({*serial, number, std::move(e)});
  if (to_rest_.size() >= parts_.resting_jobs_at_once) send_to_rest();
}

void actor_registry::send_to_rest() {
  if (!to_rest_.empty()) self_->send(parts_.status, tell_resting_jobs{std::exchange(to_rest_, {}), self_, parts_.base.writer});
}

void actor_registry::on_told(resting_jobs_told& told) {
  for (auto& j : told.jobs) {
    auto waited = at_rest_.extract(j.number);
    if (jobs_.contains(j.number)) ask_job(j.number, read_on_atom::value);
    else if (j.owes) wake_job(j.number);
    if (j.left) tell_job(j.number, std::move(*j.left));
    for (auto& [e, at_rest] : waited.mapped()) at_rest ? tell_job_at_rest(j.number, std::move(e)) : tell_job(j.number, std::move(e));
  }
  send_to_rest();
}

void actor_registry::tell_new_job(std::uint64_t number, envelope<model::job_command> e) {
  auto& entry = jobs_[number];
  entry.actor = self_->spawn<job_actor>(job_parts{parts_.base, self_, parts_.scripts}, number, 0, settings());
  ++entry.sent;
  self_->send(entry.actor, std::move(e));
}

void actor_registry::tell_job_of(schema::RunRef::Reader ref, model::job_command command, const model::requester& by, reply_ptr reply) {
  const auto number = parts_.where->job_number(ref.getJobSerial());
  if (number) return tell_job(*number, std::move(command), by, std::move(reply));
  if (reply) reply->done(parts_.where->sequence(), "");  // a job that is no more: nothing to wait for
}

reply_ptr actor_registry::reply_then(std::function<void(const model::rejection&)> then) const {
  class going_on final : public reply_to {
   public:
    going_on(caf::actor to, std::function<void(const model::rejection&)> then) : to_(std::move(to)), then_(std::move(then)) {}
    void done(std::uint64_t, const std::string&) override { refused(0, {}); }
    void refused(std::uint64_t, const model::rejection& why) override {
      caf::anon_send(to_, run_this{[then = then_, why] { then(why); }});
    }

   private:
    caf::actor to_;
    std::function<void(const model::rejection&)> then_;
  };
  return std::make_shared<going_on>(caf::actor(self_), std::move(then));
}

// -- idle jobs -----------------------------------------------------------------------------------------------------------

void actor_registry::on_idle(const job_idle& idle) {
  const auto ask_to_leave = [this](const job_entry& entry) { self_->send(entry.actor, may_you_leave{entry.sent}); };
  const auto at = jobs_.find(idle.number);
  if (at == jobs_.end()) return;
  if (idle.ended) return ask_to_leave(at->second);
  idle_.push_back(idle.number);
  if (idle_.size() <= limits::resident_idle_jobs_max) return;
  // Many at once: each actor that ends wakes the thread of CAF's clock.
  while (idle_.size() > limits::resident_idle_jobs_max * 7 / 8) {
    const auto oldest = jobs_.find(idle_.front());
    if (oldest != jobs_.end()) ask_to_leave(oldest->second);
    idle_.pop_front();
  }
}

void actor_registry::on_may_leave(const i_may_leave& m) {
  const auto at = jobs_.find(m.number);
  if (at == jobs_.end() || at->second.sent != m.sent) return;  // it was sent something meanwhile
  caf::anon_send_exit(at->second.actor, caf::exit_reason::normal);
  jobs_.erase(at);
}

}  // namespace annals::actors
