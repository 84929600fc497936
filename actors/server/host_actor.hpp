// One host: its vnodes' settings (the aggregate) and the connection to its MoM. Holds what the host is owed and sends it
// again after every new connection, until the job withdraws it.
#pragma once

#include <optional>
#include <set>

#include "actors/server/aggregates.hpp"
#include "actors/server/messages.hpp"
#include "actors/server/owed_orders.hpp"

namespace annals::actors {

// Compiled once, in host_actor.cpp.
extern template class event_sourced_actor<host_aggregate>;

class host_actor : public event_sourced_actor<host_aggregate> {
 public:
  // `known`: as event_sourced_actor has it.
  host_actor(caf::actor_config& cfg, event_sourced_actor_parts parts, caf::actor gateway, std::uint64_t stream,
             model::settings_ptr settings, model::host_state known = {});

 protected:
  void on_change() override;
  caf::message_handler more_handlers() override;

 private:
  void on_connected(mom_connected& m);
  void on_gone(const mom_gone& m);
  void on_post(post_to_host& p);
  void on_withdraw(const withdraw_from_host& w);
  void on_ticket_wanted(const ticket_wanted& t);
  using keys = std::set<order_key>;  // of runs, as discard_key makes them
  keys unwanted_runs(const mom_connected& m);
  keys compare_runs(const mom_connected& m, bool log_is_new);
  void come_up_if_rid();
  void tell_why_it_is_held();
  void went_down(std::string why);
  void give_up(schema::RunRef::Reader run);
  model::requester mom() const { return {"pbs_mom", state().name, schema::Role::MOM}; }

  caf::actor gateway_;
  wire::connection_ptr peer_;  // null: not there
  owed_orders owed_;
  // The hello of this connection, as long as it is not put to the rules: the MoM named runs that it must be rid of first.
  struct held_hello {
    model::mom_hello hello;
    keys unwanted;
    keys unknown;  // of them, those that may be of a lost part of the log
  };
  std::optional<held_hello> held_;
};

}  // namespace annals::actors
