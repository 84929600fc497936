#include "tools/daemons/command_door.hpp"

#include <caf/send.hpp>

#include "actors/mom/tasks/job_commands.hpp"
#include "events/model/run/task_limits.hpp"
#include "tools/client/pbs_conf.hpp"
#include "tools/daemons/dialed_server.hpp"
#include "tools/daemons/last_words.hpp"
#include "tools/daemons/peer_feed.hpp"

namespace annals::daemons {

wire::io_options tm_bounds() {
  wire::io_options bounds;
  bounds.client_frame_bytes_max = limits::tm_frame_bytes_max;
  bounds.descriptors = wire::descriptors_of_process() / 4 * limits::tm_descriptors_of_four;
  return bounds;
}

wire::io_options command_bounds() {
  wire::io_options bounds;
  bounds.descriptors = wire::descriptors_of_process() / limits::command_descriptors_of;
  return bounds;
}

std::unique_ptr<wire::listener> listen_for_commands(caf::actor_system& system, wire::io_pool& pool, const mom_setup& setup,
                                                    const wire::credentials& identity, const caf::actor& mom, actors::daemon_log& notes,
                                                    std::function<void(const std::string& text)> stop_process) {
  const auto note = [&notes](const std::string& why) { notes.write(actors::log_event::error, "Svr", "pbs_mom", why); };
  // The actor's first turn may come when this function has returned.
  const auto commands = system.spawn([&pool, setup, identity, mom, note, stop = std::move(stop_process)](caf::event_based_actor* self) {
    actors::job_commands_parts parts;
    parts.mom = mom;
    parts.host = setup.host;
    parts.unsent_pause_bytes = limits::unsent_pause_bytes;
    parts.complaints = std::make_shared<wire::complaints>(note, limits::complaint_ms);
    parts.stop_process = stop;
    parts.dial = dial_from(pool, setup.server, setup.server_port, identity, caf::actor(self));
    return actors::job_commands(self, std::move(parts));
  });
  auto handler = feed(commands);
  handler.drained = [commands](const wire::connection_ptr& of) { caf::anon_send(commands, actors::peer_taken{of->id()}); };
  handler.failed = note;
  handler.last_words = server_last_words;
  return pool.listen_unix(client::command_socket(setup.home), 0666, handler);
}

}  // namespace annals::daemons
