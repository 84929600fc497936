// Where commands of this host's users come in for servers on other hosts: pbs_comm's Unix sockets, one for each server that has enrolled
// this host, and the connections that they are handed on over (actors/relay/user_commands.hpp). docs/design/0063-login-hosts.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/client/pbs_conf.hpp"

namespace annals::daemons {

struct enrolled_server {
  std::string name;     // as PBS_SERVER and job ids say it
  std::string address;  // where it is reached: for the server of pbs.conf as pbs.conf says it
};
// The servers of which this host has a certificate: server_priv/comm/SERVER.pem of the home.
std::vector<enrolled_server> enrolled_servers(const client::pbs_conf& conf);

class login_doors {
 public:
  using note = std::function<void(const std::string& why)>;
  // Throws wire_error: a certificate or socket can't be used. `stop` ends the process, as commands would wait for nothing.
  login_doors(const std::string& home, const std::vector<enrolled_server>& servers, std::uint16_t port, const note& failed,
              const note& stop);
  ~login_doors();  // commands that are under way are cut

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace annals::daemons
