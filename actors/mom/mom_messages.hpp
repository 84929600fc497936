// What the actors of one MoM say to each other: runs (whose primary it is), parts (of runs whose primary is another host, or
// whose tasks run beside the program), and the MoM's actor, which has the links.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/mom/hooks/hook_points.hpp"
#include "actors/mom/host/start_order.hpp"
#include "actors/mom/runs/left_runs.hpp"
#include "actors/mom/tasks/task_interface.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/event_sourced_actor.hpp"
#include "actors/runtime/message_type.hpp"
#include "events/model/part/part.hpp"
#include "events/ports/job_places.hpp"
#include "events/ports/process_host.hpp"
#include "events/ports/task_outputs.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "events/schema/daemon/shared.capnp.h"
#include "events/schema/sister.capnp.h"
#include "events/values/program_key.hpp"

namespace annals::actors {

// -- to and from the server ------------------------------------------------------------------------------------------------

struct to_server {
  schema::sealed<schema::FromMom> message;
};                         // sent if the server is there, else dropped
struct server_is_here {};  // a new connection: everything owed is told again
struct steps_taken {
  std::uint32_t count;
};                               // the server has so many of the run's steps
struct other_hosts_released {};  // while the run's files are staged out
struct new_settings {
  std::shared_ptr<const mom::mom_settings> settings;
};  // read again
struct poll_usage {
  std::uint32_t report_interval_s;
};
struct usage_wanted {  // by the server: until now
  values::run_key key;
  std::uint64_t question;
};
struct usage_wait_is_over {  // of a run, to itself
  std::uint64_t question;
};
struct want_script {
  std::string hash;
  values::run_key key;
};
struct script_text {
  std::string text;
  bool missing = false;
};
struct run_gone {
  values::run_key key;
  std::uint64_t job_serial;
  std::uint32_t run;
};
struct part_gone {
  values::run_key key;
  left_run what;
};

// -- between primary and sisters ---------------------------------------------------------------------------------------------

struct want_sister {
  std::string host, address;
  std::uint16_t port;
  values::run_key key;
};  // a run needs the link from now on
struct to_sister {
  std::string host;
  schema::sealed<schema::ToSister> message;
};  // sent if the link is there, else dropped
struct sister_link {
  std::string host;
  bool open;
  std::string why;
};  // to the runs that want it
struct sister_said {
  std::string host;
  schema::sealed<schema::FromSister> message;
};
struct to_primary {
  std::string host;
  schema::sealed<schema::FromSister> message;
};                          // sent if the link is there, else dropped
struct primary_is_gone {};  // its connection is closed
struct primary_is_here {};  // a new connection of the primary
struct primary_said {
  schema::sealed<schema::ToSister> message;
};
struct server_discards {};  // the server no longer knows this run
// Of the process host and the places, about a part: `text` is empty when it is ready, `removed` when it was torn down.
struct part_event {
  values::run_key key;
  model::part_command command;
};

// A run's checkpoint script has ended, by itself or not; its time is over.
struct checkpoint_script_over {
  std::uint64_t request = 0;
  bool good = false;
  std::string text;  // why not
};
struct checkpoint_time_over {
  std::uint64_t request = 0;
};

// Work of a run or a part on files, which may block: a helper of the MoM's does one after the other, in the order in which they were asked
// for. What it returns is done in who asked, as run_this; nobody, or an empty function: nothing more is to be done.
struct file_work {
  caf::actor who;
  std::function<std::function<void()>()> what;
};

struct task_grown {
  values::task_key key;
};  // the task has written something
struct host_acted {
  values::run_key key;
};  // answers the run's oldest process_host::confirm() that is not answered yet
struct node_file_written {
  values::run_key key;
  std::uint32_t number;  // as places->update() was told
  std::string error;     // empty: the file is new
};
struct output_appended {
  values::run_key key;
};  // what a task wrote is in the run's files

inline bool is_wanted(const find_job& f, const std::string& job, const std::string& cookie) {
  return job == f.job && (f.cookie.empty() || cookie == f.cookie);
}

// Names a run in a message. State: of a run, or of a part.
template <class State>
void name_run(const State& of, schema::RunRef::Builder ref) {
  ref.setJobSerial(of.job_serial);
  ref.setRun(of.run);
  ref.setJob(of.job);
}

struct mom_parts {
  event_sourced_actor_parts base;
  ports::process_host* processes = nullptr;
  std::shared_ptr<const mom::mom_settings> settings;
  ports::job_places* places = nullptr;
  daemon_log* notes = nullptr;             // may be null: no lines
  std::shared_ptr<hook_bits> hooks{};      // null: no hook ever runs
  ports::task_outputs* outputs = nullptr;  // null: tasks write nothing

  void note(std::uint32_t event, const std::string& job, const std::string& text) const {
    if (notes) notes->write(event, "Job", job, text);
  }
  // With those of the site, as far as they are known.
  std::shared_ptr<const attributes::resource_catalogue> resources() const;
  void note_host(std::uint32_t event, const std::string& text) const {
    if (notes) notes->write(event, "Svr", "pbs_mom", text);
  }
};

}  // namespace annals::actors

#define ANNALS_MOM_MESSAGES(MESSAGE)              \
  MESSAGE(annals::actors::to_server)              \
  MESSAGE(annals::actors::server_is_here)         \
  MESSAGE(annals::actors::steps_taken)            \
  MESSAGE(annals::actors::other_hosts_released)   \
  MESSAGE(annals::actors::new_settings)           \
  MESSAGE(annals::actors::poll_usage)             \
  MESSAGE(annals::actors::usage_wanted)           \
  MESSAGE(annals::actors::usage_wait_is_over)     \
  MESSAGE(annals::actors::want_script)            \
  MESSAGE(annals::actors::script_text)            \
  MESSAGE(annals::actors::run_gone)               \
  MESSAGE(annals::actors::part_gone)              \
  MESSAGE(annals::actors::want_sister)            \
  MESSAGE(annals::actors::to_sister)              \
  MESSAGE(annals::actors::sister_link)            \
  MESSAGE(annals::actors::sister_said)            \
  MESSAGE(annals::actors::to_primary)             \
  MESSAGE(annals::actors::primary_is_here)        \
  MESSAGE(annals::actors::primary_is_gone)        \
  MESSAGE(annals::actors::checkpoint_script_over) \
  MESSAGE(annals::actors::checkpoint_time_over)   \
  MESSAGE(annals::actors::file_work)              \
  MESSAGE(annals::actors::task_grown)             \
  MESSAGE(annals::actors::output_appended)        \
  MESSAGE(annals::actors::host_acted)             \
  MESSAGE(annals::actors::node_file_written)      \
  MESSAGE(annals::actors::primary_said)           \
  MESSAGE(annals::actors::server_discards)        \
  MESSAGE(annals::actors::part_event)
ANNALS_MOM_MESSAGES(ANNALS_MESSAGE)  // compiled in compiled_messages.cpp
