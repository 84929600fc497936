#include "tools/daemons/sched_places.hpp"

#include <stdexcept>

#include "events/values/number.hpp"
#include "tools/daemons/sched_directories.hpp"

namespace annals::daemons {

namespace {

std::uint16_t port_of(const std::string& text) {
  const auto port = values::parse_integer(text);
  if (!port || *port < 1 || *port > UINT16_MAX) throw std::runtime_error("-S " + text + ": no port");
  return static_cast<std::uint16_t>(*port);
}

std::string address_of(const client::annals_conf& ours) {
  const auto mom = ours.get("mom_address");
  return ours.listen_address == "0.0.0.0" && !mom.empty() ? mom : ours.listen_address;
}

std::string logs_of_name(const std::string& home, const std::string& name) {
  return home + "/sched_log" + (name == "default" ? "" : "_" + name);
}

}  // namespace

sched_places places_of(const client::pbs_conf& conf, const client::command_line& line, const std::string& home,
                       const client::annals_conf& ours, const std::string& name, const std::optional<sched_object>& object) {
  const std::string behind = name == "default" ? "" : "_" + name;
  const auto first_of = [](const std::string* option, const std::string& by_object, const std::string& by_name) {
    return option ? *option : !by_object.empty() ? by_object
                                                 : by_name;
  };
  const auto said = object.value_or(sched_object());
  sched_places p{name, home, conf.pbs_exec, first_of(line.find('P'), said.priv, home + "/sched_priv" + behind),
                 first_of(line.find('l'), said.logs, logs_of_name(home, name)), address_of(ours), conf.pbs_leaf_name};
  p.port_given = line.has('S');
  if (p.port_given) p.port = port_of(*line.find('S'));
  else if (name != "default") p.port = said.port;
  p.picks_port = p.port == 0 && name != "default";
  return p;
}

std::string ready_logs(const sched_places& where) {
  if (where.logs == logs_of_name(where.home, where.name)) make_log_directory(where.logs);
  return log_directory_at(where.logs);
}

}  // namespace annals::daemons
