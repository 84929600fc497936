// Which server a command means, and whether it can be reached from here.
#include <netdb.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/client/job_ids.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/client/session.hpp"

namespace annals::client {

namespace {

bool resolves(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int rc = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (found != nullptr) freeaddrinfo(found);
  return rc == 0;
}

// The server that can be reached from here: of pbs.conf and annals.conf, with a socket in our PBS_HOME; or else that of our job.
struct installation {
  std::string server;  // PBS_SERVER of the file, else this host
  std::string socket;
  std::uint16_t port;
  std::optional<own_job> through{};
  std::string also{};  // through a MoM: what this host's file calls the MoM's server, which job ids may name otherwise
};

installation read_installation(const pbs_conf& conf) {
  installation here{read_pbs_conf_file(conf.file).pbs_server, read_annals_conf(conf.pbs_home).server_socket, conf.batch_service_port};
  if (::access(here.socket.c_str(), F_OK) != 0) here.through = job_of_environment();
  if (here.through) here.also = std::exchange(here.server, here.through->server());
  if (here.server.empty()) here.server = this_host();
  return here;
}

bool port_matches(std::string_view name, std::uint16_t port) {
  const auto colon = name.find(':');
  if (colon == std::string_view::npos) return true;
  unsigned value = 0;
  const auto [end, bad] = std::from_chars(name.data() + colon + 1, name.data() + name.size(), value);
  return bad == std::errc() && end == name.data() + name.size() && value == port;
}

std::string wanted_server(const pbs_conf& conf, const installation& here) {
  if (const char* by_default = std::getenv("PBS_DEFAULT"); by_default != nullptr && *by_default != '\0')
    return by_default;
  if (!conf.pbs_server.empty()) return conf.pbs_server;
  return here.through ? here.server : this_host();
}

bool is_this_host(std::string_view name) { return name == "localhost" || name == this_host(); }

bool is_of(const installation& here, std::string_view name) {
  const bool known = name == short_server_name(here.server) || (!here.also.empty() && name == short_server_name(here.also));
  return known || (!here.through && is_this_host(name));
}

// The socket at which pbs_comm of this host takes commands for this server; none for the server that is reached without it.
std::optional<std::string> login_door(const pbs_conf& conf, const installation& here, const std::string& server) {
  const auto name = short_server_name(server);
  if (is_of(here, name) && (here.through || ::access(here.socket.c_str(), F_OK) == 0)) return std::nullopt;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(login_sockets(conf.pbs_home), none))
    if (file.path().extension() == ".sock" && short_server_name(file.path().stem().string()) == name) return file.path().string();
  return std::nullopt;
}

}  // namespace

server_address default_server() {
  const pbs_conf conf = read_pbs_conf();
  const installation here = read_installation(conf);
  const auto name = wanted_server(conf, here);
  if (auto door = login_door(conf, here, name)) return {name, std::move(*door), std::nullopt, true};
  return {name, here.socket, here.through};
}

session session::open(std::string_view server, std::chrono::milliseconds patience) {
  return opened(with_first_request(server, patience));
}

session session::open_to_read(std::string_view server, std::chrono::milliseconds patience) {
  return opened(to_read_with_first_request(server, patience));
}

session session::opened(session s) {
  s.connect();
  if (s.address().through || s.address().by_comm) s.call([](schema::Request::Builder r) { r.initHello(); });
  return s;
}

// A follower has the log of one server, that of this host's pbs.conf.
session session::to_read_with_first_request(std::string_view server, std::chrono::milliseconds patience) {
  const pbs_conf conf = read_pbs_conf();
  if (conf.pbs_read_from != "follower") return with_first_request(server, patience);
  const installation here{read_pbs_conf_file(conf.file).pbs_server, {}, conf.batch_service_port};
  const std::string target = server.empty() ? wanted_server(conf, here) : std::string(server);
  if (short_server_name(target) != short_server_name(here.server) || !port_matches(target, here.port))
    return with_first_request(server, patience);
  server_address address{target, follower_socket(conf.pbs_home)};
  address.by_follower = true;
  return session(std::move(address), patience);
}

session session::with_first_request(std::string_view server, std::chrono::milliseconds patience) {
  const pbs_conf conf = read_pbs_conf();
  const installation here = read_installation(conf);
  const std::string by_default = wanted_server(conf, here);
  const std::string target = server.empty() ? by_default : std::string(server);
  const auto unreachable = [&](std::uint32_t code, const char* line) {
    session_error e(code, line, by_default);
    e.asked_for = server;
    return e;
  };
  if (auto door = login_door(conf, here, target)) {
    if (!port_matches(target, here.port)) throw unreachable(pbs_error::system_error, "Connection refused");
    return session({target, std::move(*door), std::nullopt, true}, patience);
  }
  if (!is_of(here, short_server_name(target))) {
    if (!resolves(target.substr(0, target.find(':')))) throw unreachable(pbs_error::bad_host, "Unknown Host.");
    throw unreachable(pbs_error::system_error, "Connection refused");  // other hosts' servers have no socket here
  }
  if (!port_matches(target, here.port)) throw unreachable(pbs_error::system_error, "Connection refused");
  return session({by_default, here.socket, here.through}, patience);
}

}  // namespace annals::client
