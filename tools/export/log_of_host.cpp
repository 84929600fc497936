#include "tools/export/log_of_host.hpp"

#include "events/log/rocksdb_event_store.hpp"
#include "tools/client/pbs_conf.hpp"

namespace annals::exporting {

std::string log_of_this_host() {
  const auto home = client::read_pbs_conf().pbs_home;
  const auto own = home + "/server_priv/log", copy = home + "/follow_priv/log";
  return !log::has_event_store(own) && log::has_event_store(copy) ? copy : own;
}

}  // namespace annals::exporting
