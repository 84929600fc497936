// One host: its vnodes' settings (the aggregate) and the connection to its MoM. Holds what the host is owed and sends it
// again after every new connection, until the job withdraws it.
#pragma once

#include <map>

#include "actors/server/aggregates.hpp"
#include "actors/server/messages.hpp"

namespace annals::actors {

class host_actor : public shell<host_aggregate> {
 public:
  host_actor(caf::actor_config& cfg, shell_parts parts, caf::actor gateway, std::uint64_t stream, model::site_ptr site);

 protected:
  caf::message_handler more_handlers() override;

 private:
  void on_connected(mom_connected& m);
  void on_gone(const mom_gone& m);
  void compare_runs(schema::MomHello::Reader hello, const std::vector<expected_run>& expected, bool log_is_new);
  model::requester mom() const { return {"pbs_mom", state().name, schema::Role::MOM}; }

  caf::actor gateway_;
  wire::connection_ptr peer_;                                     // null: not there
  std::map<std::string, schema::sealed<schema::ToMom>> owed_;     // by key
};

}  // namespace annals::actors
