// "An event of one stream leads to a command to another one, now or at a time": a reaction. It folds the log, says what is owed
// now, and when that may be more. One actor runs all of them (actors/server/reactions_actor.hpp): it gives each order once,
// repeats it while it is owed, and after a start folds the log, from its beginning or from a checkpoint, and asks again, so that there is
// no other way to recover.
//
// A reaction is pure and decides nothing that its target's own rules could refuse: it only asks.
// Governed by docs/design/0032-reactions.md; how to add one: docs/howto/add_a_saga.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "events/log/record.hpp"
#include "events/model/host/host.hpp"
#include "events/model/job/job.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/model/settings.hpp"
#include "events/schema/client.capnp.h"
#include "events/values/stored_state.hpp"
#include "hooks-runtime/catalog/events.hpp"

namespace annals::reactions {

constexpr std::int64_t second_ns = 1'000'000'000;

// -- what may be ordered; the gateway carries it out (actors/gateway/order_routes.hpp) -------------------------------------------

struct tell_job {
  std::uint64_t serial = 0;
  model::job_command command;
  model::requester by;
  // Not empty: only while this host is away. One that comes meanwhile is not heard before the job has answered.
  std::string while_away{};
  // There may be many of it at once: a job at rest is told without an actor of its own.
  bool of_many = false;
};
// Hooks that look on at an event, which has happened: they run, what they want is done, then their runs are written down.
struct run_looking_hooks {
  const hooks::hook_event* event = nullptr;
  std::uint64_t sequence = 0;
  std::string subject;  // a job's id, a vnode
  model::requester by;  // who made it happen
  std::vector<std::string> hooks;
};
// One periodic hook, on the site as it is now: it runs, what it wants is done, then its run is written down.
struct run_periodic_hook {
  std::string hook;
};
// A vnode is made ready for a run: a step of it.
struct tell_vnode {
  model::provision_vnode command;
  model::requester by;
};
// The site's hook gives the vnode its environment; then its run is written down.
struct run_provision_hook {
  std::string hook, vnode, aoe;
};
struct discard_run {
  std::string host;
  std::uint64_t serial = 0;
  std::uint32_t run = 0;
  std::string job;  // its id; the job itself may be forgotten already
};
struct tell_reservation {
  std::uint64_t serial = 0;
  model::reservation_command command;
  model::requester by;
};
// What the job has is reserved for its owner (pbs_rsub --job), and the job comes to the reservation.
struct reserve_for_job {
  std::uint64_t serial = 0;
};
// The server moves a job out of its routing queue: to the first of these that takes it. The job ends if none ever will, or if its
// time in the queue is over. Refused: it stays for now.
struct route_job {
  std::uint64_t serial = 0;
  std::vector<std::string> destinations;
  bool lifetime_over = false;
};
// What qmgr could ask of the server, a scheduler or a queue.
struct manage_object {
  schema::sealed<schema::Request> request;
  model::requester by;
};
// On this host, whose MoM starts it if it is elsewhere: not the server's own (MS-86). Harmless while one of this name runs there.
struct start_scheduler {
  std::string name, host;
  bool elsewhere = false;
  std::string priv, logs;  // its directories
  std::uint16_t port = 0;
};
// One that runs on this host is to end.
struct stop_scheduler {
  std::string name, host;
  bool elsewhere = false;
  std::string priv;
};
// The log has it as connected from before the server's start, and it has not come back; nothing happens if it has.
struct miss_scheduler {
  std::string name;
};
struct send_hooks {};  // every host is owed the hooks of MoMs as they are now
struct end_server {
  std::string how;
};
using instruction =
    std::variant<tell_job, run_looking_hooks, run_periodic_hook, run_provision_hook, tell_vnode, discard_run, manage_object,
                 tell_reservation, reserve_for_job, route_job, start_scheduler, stop_scheduler, miss_scheduler, send_hooks, end_server>;

struct order {
  std::uint64_t cause = 0;  // sequence of the record that it follows from
  std::string target;       // for whom. Cause, target and the reaction's name make the command id
  instruction what;
  // until_folded: it is given again after `again_ns` for as long as it is owed, whatever the answer; a repeat is harmless.
  // until_accepted: its answer is waited for; it is given again, `again_ns` later, only if that was a refusal.
  enum class repeat : std::uint8_t { until_folded,
                                     until_accepted } given = repeat::until_folded;
  std::int64_t again_ns = 10 * second_ns;
  // False: whenever a repeat comes, its target's rules find that it was done. It has no command id, and none is looked up and kept for it.
  bool remembered = true;
};
using order_ptr = std::shared_ptr<const order>;

inline order_ptr make_order(order what) { return std::make_shared<const order>(std::move(what)); }

// 16 bytes; the same after each restart.
std::string command_id_of(std::string_view reaction, const order& what);

// -- what makes orders -----------------------------------------------------------------------------------------------------------

struct moment {
  std::int64_t now_ns = 0;
  const model::settings& settings;  // as of the last record folded
};

class reaction {
 public:
  virtual ~reaction() = default;
  // Every record of the log, in order. True: what is owed, or when, may be another now. Called for each submission: quick.
  virtual bool fold(const log::record& record) = 0;
  // The clock went back to `to_ns`. What it remembers to have begun later than that began while the clock was ahead: no wait is counted
  // from there, but from now (docs/design/0061-clocks.md).
  virtual void clock_went_back(std::int64_t /*to_ns*/) {}
  // All that is owed, oldest first: the same order (by cause and target) each time, until the fold says that it is done.
  virtual std::vector<order_ptr> owed(const moment& at) = 0;
  // When more may be owed if nothing is folded before; nothing: never.
  virtual std::optional<std::int64_t> next_ns(const moment&) const { return std::nullopt; }

  // All that it has folded, as bytes and back: a start from a checkpoint goes on from there (docs/design/0068-checkpoints.md). Whatever
  // `owed` alone needs is not part of it. `restore` throws state_unreadable.
  virtual void store(stored::writer& to) const = 0;
  virtual void restore(stored::reader& from) = 0;
};

// A reaction that names in `stored_fields` what it folds. What follows from these fields it makes anew in `restored()`.
template <class Own>
class stored_reaction : public reaction {
 public:
  void store(stored::writer& to) const override { Own::stored_fields(to, static_cast<const Own&>(*this)); }
  void restore(stored::reader& from) override {
    auto& own = static_cast<Own&>(*this);
    Own::stored_fields(from, own);
    if constexpr (requires { own.restored(); }) own.restored();
  }
};

}  // namespace annals::reactions
