#include "tools/client/pbs_conf.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>

namespace annals::client {

namespace {

using lines = std::vector<std::string>;

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

// Shell scripts source pbs.conf, so a value may be quoted as a shell would have it.
std::string_view unquoted(std::string_view s) {
  const bool quoted = s.size() >= 2 && (s.front() == '"' || s.front() == '\'') && s.back() == s.front();
  return quoted ? s.substr(1, s.size() - 2) : s;
}

using each_setting = std::function<void(const std::string& where, std::string_view name, std::string_view value)>;

// Calls `each` for every "name=value" line of the file; answers whether it could be read.
bool read_settings(const std::string& file, lines& problems, const each_setting& each) {
  std::ifstream in(file);
  if (!in) return false;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const auto text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    const std::string where = file + ":" + std::to_string(number);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) problems.push_back(where + ": not NAME=value");
    else each(where, trimmed(text.substr(0, equals)), unquoted(trimmed(text.substr(equals + 1))));
  }
  return true;
}

struct text_key {
  const char* name;
  std::string pbs_conf::*field;
};
constexpr text_key text_keys[] = {
    {"PBS_EXEC", &pbs_conf::pbs_exec},
    {"PBS_HOME", &pbs_conf::pbs_home},
    {"PBS_SERVER", &pbs_conf::pbs_server},
    {"PBS_SERVER_HOST_NAME", &pbs_conf::pbs_server_host_name},
    {"PBS_PRIMARY", &pbs_conf::pbs_primary},
    {"PBS_READ_FROM", &pbs_conf::pbs_read_from},
    {"PBS_LEAF_NAME", &pbs_conf::pbs_leaf_name},
    {"PBS_MOM_NODE_NAME", &pbs_conf::pbs_mom_node_name},
    {"PBS_OUTPUT_HOST_NAME", &pbs_conf::pbs_output_host_name},
    {"PBS_MOM_HOME", &pbs_conf::pbs_mom_home},
    {"PBS_SCP", &pbs_conf::pbs_scp},
    {"PBS_CP", &pbs_conf::pbs_cp},
    {"PBS_SCP_ARGS", &pbs_conf::pbs_scp_args},
};

struct flag_key {
  const char* name;
  bool pbs_conf::*field;
};
constexpr flag_key flag_keys[] = {
    {"PBS_START_SERVER", &pbs_conf::start_server},
    {"PBS_START_SCHED", &pbs_conf::start_sched},
    {"PBS_START_COMM", &pbs_conf::start_comm},
    {"PBS_START_MOM", &pbs_conf::start_mom},
    {"PBS_START_FOLLOW", &pbs_conf::start_follow},
    {"PBS_LOG_HIGHRES_TIMESTAMP", &pbs_conf::log_highres_timestamp},
};

struct port_key {
  const char* name;
  std::uint16_t pbs_conf::*field;
};
constexpr port_key port_keys[] = {
    {"PBS_BATCH_SERVICE_PORT", &pbs_conf::batch_service_port},
    {"PBS_MOM_SERVICE_PORT", &pbs_conf::mom_service_port},
    {"PBS_MANAGER_SERVICE_PORT", &pbs_conf::manager_service_port},
};

// Of PBS, and read over here; a value that changes nothing is none to speak of.
struct key_without_effect {
  const char* name;
  const char* harmless;  // this value; null: none
  const char* why;
};
constexpr key_without_effect keys_without_effect[] = {
    {"PBS_SECONDARY", nullptr, "there is no second server"},
    {"PBS_SCHEDULER_SERVICE_PORT", "15004", "the server does not call schedulers"},
    {"PBS_MAIL_HOST_NAME", nullptr, "mail goes to the address that the job names"},
    {"PBS_TMPDIR", nullptr, "the directory of a job's own is made where $tmpdir of mom_config(5) says"},
    {"PBS_RCP", nullptr, "nothing is copied by rcp"},
    {"PBS_CORE_LIMIT", nullptr, "daemons keep the limit that they were started with"},
    {"PBS_DAEMON_SERVICE_USER", "root", "a scheduler runs as the server does"},
    {"PBS_LOCALLOG", "1", "daemons always write log files of their own"},
};

bool parse_port(std::string_view text, std::uint16_t& port) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return false;
  port = value;
  return true;
}

// Keys that are in no table belong to parts of PBS that we do not have, and are no problem. An empty value is none.
void set(pbs_conf& conf, const std::string& where, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  const auto problem = [&](const char* what) {
    conf.problems.push_back(where + ": " + std::string(name) + ": " + what + ": " + std::string(value));
  };
  if (name == "PBS_READ_FROM" && value != "server" && value != "follower") return problem("not server or follower");
  for (const auto& k : text_keys)
    if (name == k.name) conf.*k.field = value;
  for (const auto& k : flag_keys) {
    if (name != k.name) continue;
    if (value == "0" || value == "1") conf.*k.field = value == "1";
    else problem("not 0 or 1");
  }
  for (const auto& k : port_keys)
    if (name == k.name && !parse_port(value, conf.*k.field)) problem("no port number");
  for (const auto& k : keys_without_effect)
    if (name == k.name && (!k.harmless || value != k.harmless))
      conf.problems.push_back(where + ": " + std::string(name) + " has no effect: " + k.why);
}

void set_from_environment(pbs_conf& conf) {
  const auto take = [&](const char* name) {
    if (const char* value = std::getenv(name)) set(conf, "environment", name, value);
  };
  for (const auto& k : text_keys) take(k.name);
  for (const auto& k : flag_keys) take(k.name);
  for (const auto& k : port_keys) take(k.name);
  for (const auto& k : keys_without_effect) take(k.name);
}

}  // namespace

std::string pbs_conf::server_host() const {
  const std::string& name = !pbs_server_host_name.empty() ? pbs_server_host_name
                            : !pbs_primary.empty()        ? pbs_primary
                                                          : pbs_server;
  return name.substr(0, name.find(':'));
}

pbs_conf read_pbs_conf_file(const std::string& file) {
  pbs_conf conf;
  conf.file = file;
  conf.found = read_settings(
      file, conf.problems, [&](const std::string& where, std::string_view name, std::string_view value) { set(conf, where, name, value); });
  return conf;
}

pbs_conf read_pbs_conf() {
  const char* file = std::getenv("PBS_CONF_FILE");
  pbs_conf conf = read_pbs_conf_file(file && *file ? file : pbs_conf().file);
  set_from_environment(conf);
  return conf;
}

std::string annals_conf::get(const std::string& key, std::string_view otherwise) const {
  const auto at = all.find(key);
  return at == all.end() ? std::string(otherwise) : at->second;
}

annals_conf read_annals_conf(const std::string& pbs_home) {
  annals_conf conf;
  conf.file = pbs_home + "/annals.conf";
  conf.server_socket = pbs_home + "/run/server.sock";
  conf.found = read_settings(conf.file, conf.problems, [&](const std::string& where, std::string_view key, std::string_view value) {
    conf.all.insert_or_assign(std::string(key), std::string(value));
    if (key == "server_socket") conf.server_socket = value;
    else if (key == "listen_address") conf.listen_address = value;
    else if (key == "listen_port" && !parse_port(value, conf.listen_port))
      conf.problems.push_back(where + ": listen_port: no port number: " + std::string(value));
  });
  return conf;
}

}  // namespace annals::client
