#include "actors/server/recovered_lines.hpp"

#include <string>

#include "events/attributes/ids.hpp"

namespace annals::actors {

void note_recovered(daemon_log& notes, std::string_view server, const projections::status& of) {
  const daemon_log::gathering lines(notes);
  const auto daemon = "Server@" + std::string(server);
  constexpr auto start = log_event::system | log_event::admin | log_event::debug;
  for (const auto& [name, queue] : of.queues()) notes.write(start, "Svr", daemon, "Recovered queue " + name);
  for (const auto& [serial, reservation] : of.reservations())
    notes.write(start, "Svr", daemon, "Recovered reservation " + reservation.id + "." + std::string(server));
  std::string text;
  const auto say = [&](const model::job_state& job) {
    if (job.ended()) return true;
    text = "Requeueing job, substate: ";
    text.append(job.attribute(attributes::job::substate)).append(" Requeued in queue: ").append(job.queue());
    notes.write(start, "Job", job.id, text);
    return true;
  };
  if (notes.wants(start)) of.each_job(say, {schema::History::LIVE});
  notes.write(log_event::system, "Svr", daemon, "Recovered " + std::to_string(of.job_count()) + " jobs");
}

}  // namespace annals::actors
