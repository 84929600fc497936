#include "tools/daemons/mom_setup.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <vector>

#include "actors/mom/host/definition_files.hpp"
#include "actors/mom/host/environment.hpp"
#include "actors/mom/host/unknown_files.hpp"
#include "events/values/number.hpp"
#include "tools/daemons/home.hpp"
#include "tools/daemons/home_check.hpp"
#include "tools/daemons/host_names.hpp"
#include "tools/daemons/mom_log.hpp"

namespace annals::daemons {

namespace {
std::uint16_t port_of(const std::string& option) { return static_cast<std::uint16_t>(values::parse_integer(option).value_or(0)); }
}  // namespace

mom_setup read_mom_setup(const client::command_line& line) {
  mom_setup s;
  s.conf = client::read_pbs_conf();
  s.home = line.has('d') ? *line.find('d') : s.conf.mom_home();
  s.ours = client::read_annals_conf(s.home);
  s.priv = s.home + "/mom_priv";
  s.host = line.has('n') ? *line.find('n') : s.conf.pbs_mom_node_name.empty() ? own_host_name()
                                                                              : s.conf.pbs_mom_node_name;
  s.server = s.ours.get("server_address", s.conf.server_host());
  if (s.server.empty()) s.server = "localhost";
  s.server_port = line.has('S') ? port_of(*line.find('S')) : s.conf.batch_service_port;
  if (line.has('M')) s.conf.mom_service_port = port_of(*line.find('M'));
  if (line.has('L')) s.log_file = *line.find('L');
  if (line.has('C')) s.checkpoints = *line.find('C');
  s.config = s.priv + "/config";
  if (const auto* given = line.find('c')) {
    s.config = given->starts_with('/') ? *given : s.priv + '/' + *given;
    if (!std::ifstream(s.config)) throw std::runtime_error("cannot read " + s.config);
  }
  return s;
}

std::string why_not_its_own(const mom_setup& s) {
  std::vector<std::string> paths{s.home, s.priv, s.home + "/annals.conf", s.home + "/pbs_environment", s.config, s.priv + "/config.d"};
  try {
    const mom::definition_files definitions(s.priv);
    for (const auto& name : definitions.names()) paths.push_back(definitions.path(name));
  } catch (const std::exception& e) {
    return e.what();
  }
  return why_open_to_others(paths);
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The words of the lines are those of PBS; who looks for them in a log finds them.
namespace {

void note_reading(actors::daemon_log& notes, const std::string& file) {
  notes.write(actors::log_event::debug2, "Svr", "parse_config", "file " + file);
}

void note_errors(actors::daemon_log& notes, const mom::read_definitions& read) {
  const auto error = [&](const std::string& text) { notes.write(actors::log_event::error, "Svr", "pbs_mom", text); };
  for (const auto& v : read.other_versions) {
    error("config_verscheck, $configversion value is out of range (min 2, max 2) - will treat as old-style");
    error("parse_config, " + v.path + "[" + std::to_string(v.what.line) + "] command \"" + v.what.text + "\" failed, aborting");
  }
  std::set<std::string> files;
  for (const auto& e : read.errors) {
    if (e.path.empty()) notes.write(actors::log_event::error, "Node", "initialize", e.what.text);
    else error("System error:  (15010) in vn_parse_stream, line " + std::to_string(e.what.line) + ":  " + e.what.text);
    files.insert(e.path);
  }
  for (const auto& f : files)
    if (!f.empty()) error("config_versionhandler, error(s) parsing vnode definitions file " + f);
}

mom::defined_vnodes read_vnodes(const mom_setup& s, actors::daemon_log& notes, const mom::defined_vnodes* before) {
  const auto known = before ? *before : mom::defined_vnodes();
  auto read = mom::read_all(mom::definition_files(s.priv), s.host, known);
  for (const auto& p : read.paths) note_reading(notes, p);
  for (const auto& w : read.without_effect) notes.write(actors::log_event::error, "Fil", "config.d", text_of(w));
  note_errors(notes, read);
  if (const auto failures = read.failures(); !failures.empty()) {
    if (!before) throw std::runtime_error(failures.front());
    notes.write(actors::log_event::error, "Svr", "pbs_mom", "the vnodes of this host stay as they were");
  }
  for (const auto& d : mom::doubtful(read.vnodes))
    notes.write(actors::log_event::error, "Node", d.vnode, d.attribute + " has no effect: " + d.why);
  for (const auto& v : read.vnodes.all())
    if (v.name != s.host && !known.find(v.name))
      notes.write(actors::log_event::debug3, "n/a", "new_vnid", "no vnid " + v.name + " - creating");
  return std::move(read.vnodes);
}

// annals.conf: first_usage_ms.
void read_first_usage(const mom_setup& s, actors::daemon_log& notes, std::int64_t& ms) {
  constexpr std::int64_t ms_max = 60'000;
  const auto text = s.ours.get("first_usage_ms");
  if (text.empty()) return;
  const auto value = values::parse_integer(text);
  if (value && *value >= 0 && *value <= ms_max) ms = *value;
  else
    notes.write(actors::log_event::error, "Fil", "annals.conf",
                "first_usage_ms: not a number from 0 to " + std::to_string(ms_max) + ": " + text + "; it is " + std::to_string(ms));
}

}  // namespace

std::shared_ptr<const mom::mom_settings> read_settings(const mom_setup& s, actors::daemon_log& notes, const mom::mom_settings* before) {
  auto settings = std::make_shared<mom::mom_settings>();
  settings->pbs_home = s.home;
  settings->pbs_exec = s.conf.pbs_exec;
  settings->host = s.host;
  if (utsname name{}; uname(&name) == 0)
    settings->system = std::string(name.sysname) + ' ' + name.nodename + ' ' + name.release + ' ' + name.version + ' ' + name.machine;
  settings->host_aliases = names_of_this_host();
  if (!s.conf.pbs_leaf_name.empty()) settings->host_aliases.push_back(s.conf.pbs_leaf_name);
  settings->base_environment = mom::parse_pbs_environment(read_text(s.home + "/pbs_environment"));
  if (settings->base_environment.empty()) settings->base_environment.push_back("PATH=/bin:/usr/bin");
  settings->mark = mom::mom_mark(read_text(mom_uuid_file(s.priv)));
  settings->mom_manager_port = s.conf.manager_service_port;
  read_first_usage(s, notes, settings->first_usage_ms);
  note_reading(notes, s.config.starts_with(s.priv + '/') ? s.config.substr(s.priv.size() + 1) : s.config);
  auto parsed = mom::parse_mom_config(read_text(s.config), before ? before->config : mom::mom_config());
  for (const auto& p : parsed.problems)
    notes.write(actors::log_event::error, "Fil", "config", "line " + std::to_string(p.line) + ": " + p.text);
  settings->config = parsed.config;
  if (settings->config.users.on && geteuid() != 0) {
    notes.write(actors::log_event::error, "Fil", "config", "$restrict_user has no effect: this MoM is not root");
    settings->config.users.on = false;
  }
  if (!s.checkpoints.empty()) settings->config.checkpoint_path = s.checkpoints;
  if (const auto alarm_s = parsed.config.sister_join_job_alarm_s)  // RS-49
    notes.write(actors::log_event::system, "Svr", "sister_join_job_alarm", std::to_string(alarm_s));
  if (const auto delay_s = parsed.config.job_launch_delay_s)  // RS-59
    notes.write(actors::log_event::system, "Svr", "job_launch_delay", std::to_string(delay_s));
  notes.set_mask(settings->config.logevent);
  settings->vnodes = read_vnodes(s, notes, before ? &before->vnodes : nullptr);
  return settings;
}

}  // namespace annals::daemons
