#include "tools/daemons/login_doors.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "actors/link/wire/wire.hpp"
#include "actors/relay/user_commands.hpp"
#include "actors/runtime/next_first.hpp"
#include "tools/client/session.hpp"
#include "tools/daemons/caf_system.hpp"
#include "tools/daemons/dialed_server.hpp"
#include "tools/daemons/last_words.hpp"
#include "tools/daemons/peer_feed.hpp"

namespace annals::daemons {

namespace fs = std::filesystem;

namespace {

std::string directory_of_certificates(const std::string& home) { return home + "/server_priv/comm"; }

// Each command has a connection to its user and one to the server; of these no more wait than there were commands at a time.
wire::io_options bounds() {
  wire::io_options o;
  o.descriptors = wire::descriptors_of_process() / 2;
  return o;
}

// The name under which the server knows this host.
std::string name_in(const std::string& certificate_file) {
  const auto who = wire::identity_in_file(certificate_file);
  if (who.what != wire::identity::kind::comm)
    throw wire::wire_error(certificate_file + ": is for " + wire::word_of(who.what) + " " + who.name +
                           ", and not for a login host (pbs_enroll --login makes one)");
  return who.name;
}

}  // namespace

std::vector<enrolled_server> enrolled_servers(const client::pbs_conf& conf) {
  const auto known = client::short_server_name(conf.pbs_server);
  std::vector<enrolled_server> servers;
  std::error_code none;
  for (const auto& file : fs::directory_iterator(directory_of_certificates(conf.pbs_home), none)) {
    if (file.path().extension() != ".pem") continue;
    const auto name = file.path().stem().string();
    servers.push_back({name, client::short_server_name(name) == known ? conf.server_host() : name});
  }
  std::sort(servers.begin(), servers.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return servers;
}

struct login_doors::impl {
  next_first_config config;
  caf::actor_system system{config};
  std::vector<caf::actor> actors;
  wire::io_pool pool{1, bounds()};
  std::vector<std::unique_ptr<wire::listener>> doors;

  void open(const std::string& home, const enrolled_server& server, std::uint16_t port, const note& failed, const note& stop) {
    const auto file = directory_of_certificates(home) + "/" + server.name + ".pem";
    const auto identity = wire::credentials::bundle(file);
    const auto host = name_in(file);
    // The actor's first turn may come when this function has returned.
    const auto commands = system.spawn([this, host, address = server.address, port, identity, stop](caf::event_based_actor* self) {
      actors::user_commands_parts parts;
      parts.host = host;
      parts.unsent_pause_bytes = limits::unsent_pause_bytes;
      parts.stop_process = stop;
      parts.dial = dial_from(pool, address, port, identity, caf::actor(self));
      return actors::user_commands(self, std::move(parts));
    });
    actors.push_back(commands);
    auto handler = feed(commands);
    handle_lone_frames_here(system, handler);
    handler.opened = [this, tell = handler.opened](const wire::connection_ptr& of) {
      actors::next_first::here(system, [&] { tell(of); });
    };
    handler.closed = [this, tell = handler.closed](const wire::connection_ptr& of, const std::string& why) {
      actors::next_first::here(system, [&] { tell(of, why); });
    };
    handler.drained = [commands](const wire::connection_ptr& of) { caf::anon_send(commands, actors::peer_taken{of->id()}); };
    handler.failed = failed;
    handler.last_words = server_last_words;
    doors.push_back(pool.listen_unix(client::login_socket(home, server.name), 0666, handler));
  }

  // The actors' connections to servers are the pool's: they go before it.
  ~impl() {
    doors.clear();
    caf::scoped_actor self(system);
    for (const auto& a : actors) self->send_exit(a, caf::exit_reason::user_shutdown);
    self->wait_for(actors);
  }
};

login_doors::login_doors(const std::string& home, const std::vector<enrolled_server>& servers, std::uint16_t port, const note& failed,
                         const note& stop)
    : impl_(std::make_unique<impl>()) {
  for (const auto& server : servers) impl_->open(home, server, port, failed, stop);
}

login_doors::~login_doors() = default;

}  // namespace annals::daemons
