// The parts of runs on this host, and the primaries that may tell them what to do. A join passes the ticket's gate; every
// other request counts only from the host that was the primary in the ticket. docs/design/0020-jobs-across-hosts.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <map>
#include <string>

#include "actors/link/peer_messages.hpp"
#include "actors/mom/host_event.hpp"
#include "actors/mom/mom_log.hpp"
#include "actors/mom/mom_messages.hpp"
#include "actors/mom/parts/part_actor.hpp"
#include "actors/mom/runs/left_runs.hpp"
#include "actors/mom/runs/ticket_check.hpp"
#include "actors/mom/tasks/task_interface.hpp"

namespace annals::actors {

class part_registry {
 public:
  part_registry(caf::event_based_actor* self, mom_parts parts, ticket_gate gate, const std::vector<left_run>& left);
  struct part {
    known_run what;
    caf::actor actor;
    std::string primary;
    bool discarded = false;  // it goes because the server does not want it
  };
  const std::map<values::run_key, part>& all() const { return parts_; }

  void revive(const known_part& part);
  void primary_came(const wire::connection_ptr& peer);
  void primary_went(const wire::connection_ptr& peer);
  // `from`: the host by its certificate; peer null: this host itself.
  void on_request(const std::string& from, const wire::connection_ptr& peer, schema::sealed<schema::ToSister> message);
  void send(const to_primary& t);
  bool discard(schema::RunRef::Reader ref);  // the server no longer knows the run; false: nor do we
  void on_task_event(const values::task_key& task, model::run_command command);
  void on_grown(const task_grown& g);
  void on_event(const values::run_key& key, model::part_command command);
  bool gone(const part_gone& g);  // true: the server did not want it
  bool find(const find_job& f);   // hands the question to the job's actor; false: no such job here
  template <class Message>
  void tell_all(const Message& m) {
    for (const auto& [key, part] : parts_) self_->send(part.actor, m);
    if constexpr (std::is_same_v<Message, new_settings>) with_.settings = m.settings;
  }

 private:
  caf::actor spawn(const known_run& what, const std::string& primary);
  void say_left(const std::string& to, schema::RunRef::Reader ref);  // or why it could not join
  void say_refused(const std::string& to, schema::RunRef::Reader ref, std::int32_t code, const std::string& text);
  void join(const std::string& from, const wire::connection_ptr& peer, schema::sealed<schema::ToSister> message);
  bool is_run_again(schema::RunRef::Reader ref) const;
  envelope<model::part_command> wrap(model::part_command c) const;
  template <class Fill>
  void answer(const std::string& to, Fill&& fill) {
    self_->send(caf::actor(self_), to_primary{to, schema::make<schema::FromSister>(std::forward<Fill>(fill))});
  }

  caf::event_based_actor* self_;
  mom_parts with_;
  ticket_gate gate_;
  model::settings_ptr settings_ = std::make_shared<model::settings>();
  std::map<values::run_key, part> parts_;
  std::map<std::string, wire::connection_ptr> primaries_;
  left_runs left_;
};

}  // namespace annals::actors
