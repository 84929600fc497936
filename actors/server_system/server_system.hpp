// The server as one piece: replays the log, writes the first settings of a new cluster, and starts the actors. Used by
// pbs_server with real ports and by the simulation with its own.
#pragma once

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/gateway/callers/authorise.hpp"
#include "actors/gateway/hosts/log_witnesses.hpp"
#include "actors/gateway/hosts/sockets_keeper.hpp"
#include "actors/gateway/jobs/run_ticket.hpp"
#include "actors/gateway/schedulers/scheduler_hosting.hpp"
#include "actors/replica/checkpoint.hpp"
#include "actors/replica/replica.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/runtime/mark_keeper.hpp"
#include "events/log/event_log.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/losses.hpp"
#include "events/model/ledger.hpp"
#include "events/model/server/server.hpp"
#include "events/ports/clock.hpp"
#include "events/ports/event_store.hpp"
#include "hooks-runtime/pool/hook_runner.hpp"

namespace annals::actors {

class append_check;
class ledger_check;

struct server_system_parts {
  ports::storage store;  // these outlive the system
  const ports::clock* clock = nullptr;
  daemon_log* notes = nullptr;     // may be null: no log lines
  bool log_mask_is_given = false;  // to the process: the server's log_events do not change it
  model::server_up self;           // log_uuid is used for a new log only
  std::string pbs_home;            // in the default scheduler's settings
  std::uint32_t server_uid = 0;
  std::string upload_directory;
  std::string scratch_directory;            // where finished jobs are kept, in files without a name; empty: in memory
  ticket_signer sign_ticket;                // the server's word for the hosts of a run
  hooks::hook_runner* runner = nullptr;     // outlives the system; null: no hook ever runs
  std::string hook_directory;               // where hooks stand as files for site tools; empty: nowhere
  sockets_keeper keep_sockets;              // null: nobody asks
  std::optional<log::loss_to_accept> loss;  // part of the log is gone: written down, and what follows goes on above it
  bool accept_clock = false;                // however far it is behind the log's last record
  log_witnesses witnesses;
  scheduler_hosting schedulers;
  look_up_groups groups_of = groups_by_name_service;  // of a submitter; may block
  std::shared_ptr<append_check> ledger;               // in place of the real one: the simulation's proof that it is needed
  std::size_t remote_callers_max = 0;                 // commands on other hosts at a time; 0: limits::remote_callers_max
  std::size_t resting_jobs_at_once = 0;               // told with one message; 0: as shipped
  bool detached = true;                               // blocking actors get threads of their own (not in simulation)
  std::optional<bool> helpers_detached;               // of the gateway's helpers alone; not set: as `detached` says
  // Folds that follow the log beside the server's own, after clients were told; each is an actor that takes `committed` and
  // `disk_state`.
  std::vector<caf::actor> followers;
  std::vector<caf::actor> patient_followers{};  // log_writer.hpp, as the next two
  std::shared_ptr<mark_keeper> marks{};
  caf::actor mark_writer{};
  caf::actor feed{};                 // of the log, for followers on other hosts; null: there are none. Also a patient follower
  std::vector<named_fold> books;     // they fold each record, in order, before the actors start
  std::optional<checkpoint> from{};  // the start begins here, and folds what came after it
  std::string rows_directory{};      // of the files of checkpoints, this one and later ones; empty: it has all rows itself, and is the last
  std::function<bool()> disk_writable;
  std::function<void(const std::string& text)> stop_process;  // the log can't be trusted or written any more
  std::function<void()> refuse_clients;                       // an orderly stop waits for jobs: no new connections; may be empty
  std::function<void(const std::string& how)> shut_down;      // after an orderly stop was written
};

class server_system {
 public:
  // Throws log::log_damaged when the log can't be continued.
  server_system(caf::actor_system& system, server_system_parts parts);
  ~server_system();
  const caf::actor& gateway() const { return gateway_; }
  const caf::actor& writer() const { return writer_; }
  const log::event_log& log() const { return *log_; }
  const model::ledger& ledger() const;

 private:
  std::unique_ptr<log::event_log> log_;
  std::unique_ptr<log::log_reader> reader_;
  std::shared_ptr<ledger_check> ledger_;
  std::shared_ptr<append_check> check_;  // what the writer asks: ledger_, or the part's own
  caf::actor writer_, gateway_;
};

}  // namespace annals::actors
