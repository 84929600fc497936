// The server's aggregates as an event-sourced actor wants them: state, command, decide, apply.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "actors/runtime/event_sourced_actor.hpp"
#include "actors/runtime/message_type.hpp"
#include "events/model/hook/hook.hpp"
#include "events/model/host/host.hpp"
#include "events/model/job/job.hpp"
#include "events/model/ledger.hpp"
#include "events/model/queue/queue.hpp"
#include "events/model/reservation/reservation.hpp"
#include "events/model/scheduler/scheduler.hpp"
#include "events/model/server/server.hpp"

namespace annals::actors {

template <class State, class Command>
struct aggregate {
  using state = State;
  using command = Command;
  static model::outcome decide(const State& s, const Command& c, const model::stamp& now, const model::settings& settings) {
    return model::decide(s, c, now, settings);
  }
  static void apply(State& s, const model::event_place& at, schema::Event::Reader e) { model::apply(s, at, e); }
};

struct job_aggregate : aggregate<model::job_state, model::job_command> {
  static bool may_be_lost(const model::job_command& c);
};
using host_aggregate = aggregate<model::host_state, model::host_command>;
using server_aggregate = aggregate<model::server_state, model::server_command>;
using queue_aggregate = aggregate<model::queue_state, schema::sealed<schema::Request>>;
using scheduler_aggregate = aggregate<model::scheduler_state, model::scheduler_command>;
using reservation_aggregate = aggregate<model::reservation_state, model::reservation_command>;
using hook_aggregate = aggregate<model::hook_state, model::hook_command>;

// The ledger as the log writer asks it.
class ledger_check final : public append_check {
 public:
  static constexpr const char* fold_name = "ledger";  // in a checkpoint
  std::optional<model::rejection> check(std::span<const log::record_ptr> records) const override {
    model::ledger::newborn born;
    for (const auto& r : records)
      if (auto why = ledger_.check(place_of(*r), r->event(), &born)) return why;
    return std::nullopt;
  }
  void apply(const log::record& r) override { ledger_.apply(place_of(r), r.event()); }
  // From the checkpoint in this file, if there is one then that can be used.
  void rebuild_from(std::string checkpoint_file) { checkpoint_file_ = std::move(checkpoint_file); }
  ports::store_status rebuild(const log::log_reader& reader) override;
  const model::ledger& get() const { return ledger_; }
  void restore(stored::reader& from) { from(ledger_); }

 private:
  model::ledger ledger_;
  std::string checkpoint_file_;  // empty: there is none
};

}  // namespace annals::actors

#define ANNALS_SERVER_COMMANDS(MESSAGE)                                              \
  MESSAGE(annals::actors::envelope<annals::model::job_command>)                      \
  MESSAGE(annals::actors::envelope<annals::model::host_command>)                     \
  MESSAGE(annals::actors::envelope<annals::model::server_command>)                   \
  MESSAGE(annals::actors::envelope<annals::schema::sealed<annals::schema::Request>>) \
  MESSAGE(annals::actors::envelope<annals::model::scheduler_command>)                \
  MESSAGE(annals::actors::envelope<annals::model::hook_command>)                     \
  MESSAGE(annals::actors::envelope<annals::model::reservation_command>)
ANNALS_SERVER_COMMANDS(ANNALS_MESSAGE)  // compiled in messages.cpp
