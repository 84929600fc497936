// A MoM's knowledge of itself and its host: where it is installed, the names of the host, its configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/mom/host/mom_config.hpp"
#include "actors/mom/host/vnode_definitions.hpp"

namespace annals::mom {

struct mom_settings {
  std::string pbs_home;                       // $PBS_HOME
  std::string pbs_exec;                       // $PBS_EXEC
  std::string host;                           // name of this host, as in its natural vnode
  std::vector<std::string> host_aliases;      // other names of this machine (full name, "localhost")
  std::vector<std::string> base_environment;  // NAME=value lines of pbs_environment
  std::uint16_t mom_manager_port = 15003;     // PBS_MOMPORT
  std::string mark;                           // of this MoM alone (mom_mark); in the names of temporary directories
  std::string system;                         // "Linux n1 6.1.0 #1 SMP x86_64", as uname(2) says it
  mom_config config;
  defined_vnodes vnodes;  // of the vnode definition files
  // How long a program has run when its usage is first told: who ends sooner costs the server no event for it.
  std::int64_t first_usage_ms = 1000;
};

}  // namespace annals::mom
