// What a MoM reads from files: at its start, and of its settings again at HUP.
#pragma once

#include <memory>
#include <string>

#include "actors/mom/host/start_order.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "tools/client/options.hpp"
#include "tools/client/pbs_conf.hpp"

namespace annals::daemons {

struct mom_setup {
  client::pbs_conf conf;
  client::annals_conf ours;
  std::string home, priv, host, server;
  std::uint16_t server_port = 0;
  std::string config;       // mom_priv/config, or -c
  std::string log_file;     // -L; empty: a file for each day in mom_logs
  std::string checkpoints;  // -C, which wins over $checkpoint_path; empty: not given
};
// Throws std::runtime_error if a file of settings that -c names can't be read.
mom_setup read_mom_setup(const client::command_line& line);

// Why others could change what this MoM does, or what it reads as its settings; empty: they can't.
std::string why_not_its_own(const mom_setup& s);

std::string read_text(const std::string& path);  // empty: it can't be read

// before: as they were until HUP, nullptr at the start. What is wrong is logged. At the start errors of vnode definition files are
// thrown as a std::runtime_error: nobody knows what the host has; at HUP its vnodes stay as they were.
std::shared_ptr<const mom::mom_settings> read_settings(const mom_setup& s, actors::daemon_log& notes, const mom::mom_settings* before);

}  // namespace annals::daemons
