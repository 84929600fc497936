// Where a scheduler begins to work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/daemons/sched_object.hpp"

namespace annals::daemons {

// Where a scheduler begins: what its options say, else its object, else the directories of its name.
struct sched_places {
  std::string name, home, exec, priv, logs, address;
  std::string host;         // its own; empty: as the machine calls itself
  std::uint16_t port = 0;   // 0: none
  bool port_given = false;  // as an option
  bool picks_port = false;  // the first free one
};

// object: what the server said of it; nothing, if it can't be asked here. Throws std::runtime_error when -S is no port.
sched_places places_of(const client::pbs_conf& conf, const client::command_line& line, const std::string& home,
                       const client::annals_conf& ours, const std::string& name, const std::optional<sched_object>& object);

// Where its logs are now; the directory of its name is made if it is not there.
std::string ready_logs(const sched_places& where);

}  // namespace annals::daemons
