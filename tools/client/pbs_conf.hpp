// Where this installation is and how it is set up: pbs.conf (PBS's own keys) and $PBS_HOME/annals.conf (ours).
//
// pbs.conf is the file named by PBS_CONF_FILE, else /etc/pbs.conf: lines NAME=value, '#' comments. An environment variable
// of the same name wins over the file (pbs guide: 1.1 pbs.conf). Site tools rewrite pbs.conf to PBS's own keys, so settings
// of ours live in annals.conf: lines "key = value". Two that scripts and commands of users look for are in pbs.conf: PBS_START_FOLLOW and
// PBS_READ_FROM. A missing file or key means its default; what can't be understood, or
// has no effect here, is listed in `problems` for the daemons' logs and otherwise treated as missing. Nothing here throws or prints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace annals::client {

struct pbs_conf {
  std::string file = "/etc/pbs.conf";  // where it was looked for
  bool found = false;                  // the file could be read
  std::vector<std::string> problems;   // "/etc/pbs.conf:3: PBS_START_MOM: not 0 or 1: yes"

  std::string pbs_exec = "/opt/pbs";        // PBS_EXEC
  std::string pbs_home = "/var/spool/pbs";  // PBS_HOME
  std::string pbs_server;                   // PBS_SERVER: host name; empty when not set
  std::string pbs_server_host_name;         // PBS_SERVER_HOST_NAME: how clients reach the server, if not by pbs_server
  std::string pbs_primary;                  // PBS_PRIMARY: the same
  std::string pbs_read_from;                // PBS_READ_FROM: whom commands ask that only read: "server", "follower"; empty: the server

  bool start_server = false;  // PBS_START_SERVER; read by the init script
  bool start_sched = false;   // PBS_START_SCHED
  bool start_comm = false;    // PBS_START_COMM
  bool start_mom = false;     // PBS_START_MOM
  bool start_follow = false;  // PBS_START_FOLLOW

  std::uint16_t batch_service_port = 15001;    // PBS_BATCH_SERVICE_PORT: the server
  std::uint16_t mom_service_port = 15002;      // PBS_MOM_SERVICE_PORT
  std::uint16_t manager_service_port = 15003;  // PBS_MANAGER_SERVICE_PORT: MoM's resource monitor

  std::string pbs_leaf_name;           // PBS_LEAF_NAME: this host as the others know it
  std::string pbs_mom_node_name;       // PBS_MOM_NODE_NAME: name of this host's natural vnode
  std::string pbs_output_host_name;    // PBS_OUTPUT_HOST_NAME: host part of default output paths
  std::string pbs_mom_home;            // PBS_MOM_HOME; empty: pbs_home
  std::string pbs_scp, pbs_cp;         // PBS_SCP, PBS_CP: copy programs; empty: found on PATH
  std::string pbs_scp_args;            // PBS_SCP_ARGS
  bool log_highres_timestamp = false;  // PBS_LOG_HIGHRES_TIMESTAMP: microseconds in log times

  // The directory that holds mom_priv, spool and so on.
  const std::string& mom_home() const { return pbs_mom_home.empty() ? pbs_home : pbs_mom_home; }
  // The host to connect to: PBS_SERVER_HOST_NAME, else PBS_PRIMARY, else PBS_SERVER without a port; empty when none is set.
  std::string server_host() const;
};

// Reads the file that PBS_CONF_FILE names and the environment.
pbs_conf read_pbs_conf();
// Reads `file` and no environment. What a file says is the same for any order of its lines; a repeated key's last value counts.
pbs_conf read_pbs_conf_file(const std::string& file);

struct annals_conf {
  std::string file;  // $PBS_HOME/annals.conf
  bool found = false;
  std::vector<std::string> problems;

  std::string server_socket;               // server_socket: the gateway; default $PBS_HOME/run/server.sock
  std::string listen_address = "0.0.0.0";  // listen_address: where the server hears MoMs and schedulers
  std::uint16_t listen_port = 0;           // listen_port: 0 means PBS_BATCH_SERVICE_PORT

  std::map<std::string, std::string> all;  // every key of the file, also those read by one part only
  // The value of a key that has no field of its own.
  std::string get(const std::string& key, std::string_view otherwise = {}) const;
};

annals_conf read_annals_conf(const std::string& pbs_home);

// Where the MoM of a home hears TM's callers, and commands of its jobs.
inline std::string tm_socket(const std::string& mom_home) { return mom_home + "/mom_priv/tm.sock"; }
inline std::string command_socket(const std::string& mom_home) { return mom_home + "/mom_priv/commands.sock"; }
// Where pbs_comm of a login host hears commands for a server on another host.
inline std::string login_sockets(const std::string& pbs_home) { return pbs_home + "/comm"; }
inline std::string login_socket(const std::string& pbs_home, const std::string& server) {
  return login_sockets(pbs_home) + "/" + server + ".sock";
}

// Where pbs_follow hears questions of this host's users.
inline std::string follower_socket(const std::string& pbs_home) { return pbs_home + "/run/follower.sock"; }

}  // namespace annals::client
