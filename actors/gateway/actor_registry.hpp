// The actors of jobs, queues, hosts, schedulers, hooks and the server: made when they are first needed, found again after
// that, and let go when they are idle. What the routes of the gateway share; part of the gateway's actor.
#pragma once

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/gateway/gateway_parts.hpp"
#include "actors/gateway/hosts/order_lines.hpp"
#include "actors/runtime/helper_pool.hpp"
#include "actors/server/aggregates.hpp"
#include "actors/sessions/resting_jobs.hpp"
#include "events/model/limits.hpp"
#include "events/model/refuse.hpp"

namespace annals::actors {

using hook_runs = std::vector<schema::sealed<schema::HookRun>>;

class actor_registry {
 public:
  actor_registry(caf::event_based_actor* self, gateway_parts parts);

  caf::event_based_actor* self() const { return self_; }
  const gateway_parts& parts() const { return parts_; }
  directory& where() const { return *parts_.where; }
  const model::settings_ptr& settings() const { return parts_.where->settings(); }
  std::string job_id(std::uint64_t number) const { return parts_.where->job_id(number); }
  model::requester server_itself() const { return {"root", settings()->host_name, schema::Role::SERVER}; }
  static model::requester mom_of(const std::string& host) { return {"pbs_mom", host, schema::Role::MOM}; }
  void note(std::uint32_t bits, std::string_view cls, std::string_view object, std::string_view text) const {
    if (parts_.notes) parts_.notes->write(bits, cls, object, text);
  }
  daemon_log* notes() const { return parts_.notes; }  // for who may outlive this; may be null
  // A server that winds up changes nothing any more. Asked when a request comes, and again when it has waited.
  bool is_too_late(schema::Request::Reader r) const { return r.getCommandId().size() > 0 && model::winding_up(*settings()); }
  void refuse(const reply_ptr& to, std::uint32_t code) const { to->refused(parts_.where->sequence(), model::refuse(code)); }

  // -- actors; an empty handle: there is no such object, and it is not being created -----------------------------------------
  caf::actor server();
  caf::actor queue(const std::string& name, bool creates = false);
  caf::actor scheduler(const std::string& name, bool creates = false);
  caf::actor hook(const std::string& name, bool creates = false);
  caf::actor host(const std::string& name, bool creates = false);
  caf::actor reservation(std::uint64_t serial);
  // One that is being submitted: it is nobody's until the log has it, and found again by its serial after that.
  caf::actor new_reservation(std::uint64_t number);
  void reservation_refused(std::uint64_t number);
  void reservation_folded(std::uint64_t serial);         // it is in the log now, or is gone
  caf::actor known_host(const std::string& name) const;  // whose actor is there already
  caf::actor host_of(const std::string& vnode);
  void wake_job(std::uint64_t number) { (void)job(number); }
  // On a stream of its own. What had this number before was its array's again, and is over.
  void subjob_born(std::uint64_t number);

  // -- what may block: helpers with threads of their own do it -----------------------------------------------------------------
  helper_pool& names() { return names_; }            // the name service
  helper_pool& signatures() { return signatures_; }  // one: they come in the order in which they were asked for
  helper_pool& reading() { return reading_; }        // blobs of the log
  helper_pool& hellos() { return hellos_; }          // what the log has of what MoMs say
  helper_pool& calendars() { return calendars_; }    // when standing reservations are to begin; one: libical's zones are one table

  // -- what hosts' actors are told, in this order; of a host that is gone nothing ------------------------------------------------
  void post(post_to_host p) { orders_.put(std::move(p)); }
  void withdraw(withdraw_from_host w) { orders_.put(std::move(w)); }
  void connected(mom_connected m) { orders_.put(std::move(m)); }
  void gone(mom_gone m) { orders_.put(std::move(m)); }

  // -- commands ------------------------------------------------------------------------------------------------------------
  template <class Command>
  envelope<Command> wrap(Command command, const model::requester& by, reply_ptr reply = nullptr, hook_runs hooks = {}) const {
    return {std::move(command), by, {}, std::move(reply), settings(), {}, 0, {}, std::move(hooks)};
  }
  // With the command id of a client's request.
  template <class Command>
  envelope<Command> wrap(Command command, schema::Request::Reader r, const model::requester& by, reply_ptr reply,
                         hook_runs hooks = {}) const {
    auto e = wrap(std::move(command), by, std::move(reply), std::move(hooks));
    const auto id = r.getCommandId();
    e.command_id.assign(reinterpret_cast<const char*>(id.begin()), id.size());
    return e;
  }
  // A question that leaves no event; the job is there.
  template <class Question>
  void ask_job(std::uint64_t number, Question question) {
    auto& entry = job(number);
    ++entry.sent;
    self_->send(entry.actor, std::move(question));
  }
  // A job that is no more refuses.
  void tell_job(std::uint64_t number, envelope<model::job_command> e);
  void tell_job(std::uint64_t number, model::job_command command, const model::requester& by, reply_ptr reply, hook_runs hooks = {}) {
    tell_job(number, wrap(std::move(command), by, std::move(reply), std::move(hooks)));
  }
  // The same, of many at once: a job whose actor is not in memory is told without one (actors/sessions/resting_jobs.hpp), at the latest
  // when all are here.
  void tell_job_at_rest(std::uint64_t number, envelope<model::job_command> e);
  void send_to_rest();
  void on_told(resting_jobs_told& told);
  // What a MoM reports of a job; one of a job that is no more is taken as done.
  void tell_job_of(schema::RunRef::Reader ref, model::job_command command, const model::requester& by, reply_ptr reply);
  std::uint64_t next_number() { return next_number_++; }
  // By a part of the log that was lost: a MoM has a job of this number. Beyond what numbers of jobs can be it is not believed.
  void number_was_given(std::uint64_t number) {
    if (number < limits::believed_job_numbers_max) next_number_ = std::max(next_number_, number + 1);
  }
  void tell_new_job(std::uint64_t number, envelope<model::job_command> e);
  // A reply that goes on in this actor. code 0: the command was done.
  reply_ptr reply_then(std::function<void(const model::rejection& why)> then) const;

  // -- jobs that are idle leave memory -------------------------------------------------------------------------------------
  void on_idle(const job_idle& idle);
  void on_may_leave(const i_may_leave& m);

 private:
  struct job_entry {
    caf::actor actor;
    std::uint64_t sent = 0;
  };
  struct named_entry {
    caf::actor actor;
    bool is_new = false;  // its object was not in the log when it was asked for last
  };
  job_entry& job(std::uint64_t number);
  order_lines::parts order_parts();
  template <class Actor, class... Extra>
  caf::actor named(std::map<std::string, named_entry>& actors, const directory::names& known, const std::string& name, bool creates,
                   Extra... extra);
  template <class Actor, class States, class... Extra>
  caf::actor named_with_state(std::map<std::string, named_entry>& actors, const directory::names& known, const States& states,
                              const std::string& name, bool creates, Extra... extra);

  caf::event_based_actor* self_;
  gateway_parts parts_;
  std::uint64_t next_number_;
  std::unordered_map<std::uint64_t, job_entry> jobs_;  // in memory, by number
  std::deque<std::uint64_t> idle_;                     // in the order they became idle
  std::vector<resting_job> to_rest_;                   // told at rest, as soon as enough or all are here
  // Those that are being told at rest, by number, and what came to them meanwhile.
  struct waits_for_rest {
    envelope<model::job_command> command;
    bool at_rest;  // it can be told so, too
  };
  std::unordered_map<std::uint64_t, std::vector<waits_for_rest>> at_rest_;
  std::map<std::string, named_entry> queues_, hosts_, schedulers_, hooks_;
  std::map<std::uint64_t, caf::actor> reservations_;      // by serial
  std::map<std::uint64_t, caf::actor> new_reservations_;  // by number
  caf::actor server_;
  helper_pool names_, signatures_, reading_, hellos_, calendars_;
  order_lines orders_;
};

}  // namespace annals::actors
