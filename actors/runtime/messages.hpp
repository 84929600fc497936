// What the actors of the runtime say to each other. These never leave the process: they carry shared pointers.
#pragma once

#include <caf/actor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/runtime/message_type.hpp"
#include "actors/runtime/reply.hpp"
#include "events/log/event_log.hpp"
#include "events/model/context.hpp"
#include "events/model/outcome.hpp"
#include "events/model/settings.hpp"

namespace annals::actors {

// What an actor wants written, in order. One command's events are one append.
struct append_batch {
  std::vector<log::append> appends;
  std::uint64_t turn = 0;
};

struct append_result {
  enum class kind { stored,
                    conflict,
                    refused,
                    repeated,
                    unwritable };
  kind what = kind::stored;
  std::vector<log::record_ptr> records;  // stored
  model::rejection why;                  // refused by the ledger, or unwritable (the disk is full)
  std::string answer;                    // repeated: the first answer
  std::uint64_t sequence = 0;
  bool pending = false;  // repeated, and the first is in the batch being written now
};
struct append_results {
  std::uint64_t turn = 0;
  std::vector<append_result> results;  // one per append; what follows a failed one of the same stream is `conflict`
};

using records_ptr = std::shared_ptr<const std::vector<log::record_ptr>>;
// To the followers of the log, in commit order (log_writer.hpp: follow).
struct committed {
  records_ptr records;
};

// Asks the writer whether a refused command was in truth done before; answered with append_results of one result
// (repeated, or refused with the given reason).
struct was_done {
  log::who by;
  std::string command_id;
  model::rejection why;
  std::uint64_t turn = 0;
};

// A command on its way to the actor of its aggregate.
template <class Command>
struct envelope {
  Command command;
  model::requester by;
  std::string command_id;  // 16 bytes or empty
  reply_ptr reply;         // may be null: nobody waits
  model::settings_ptr settings;
  std::vector<ports::blob> blobs;
  std::uint64_t cause = 0;
  std::vector<std::string> uploaded;                     // hashes of blobs that the command names and that went ahead in pieces
  std::vector<schema::sealed<schema::HookRun>> hooks{};  // that ran before and allowed or changed the command
  bool outlasts_full_disk = false;                       // who waits for the reply is not refused then, but waits on
};

// To an actor that keeps others: everything is in place, bring to life what owes something.
struct begin_work {};

// The writer's disk is full (true) or has space again (false).
struct disk_state {
  bool full = false;
};

}  // namespace annals::actors

#define ANNALS_RUNTIME_MESSAGES(MESSAGE)  \
  MESSAGE(annals::actors::append_batch)   \
  MESSAGE(annals::actors::append_results) \
  MESSAGE(annals::actors::committed)      \
  MESSAGE(annals::actors::was_done)       \
  MESSAGE(annals::actors::disk_state)     \
  MESSAGE(annals::actors::begin_work)
ANNALS_RUNTIME_MESSAGES(ANNALS_MESSAGE)  // compiled in messages.cpp
