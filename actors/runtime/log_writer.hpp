// The only writer of a log, as an actor. It asks the ledger, stages, and writes what is waiting with one sync; then tells
// those who are to know before any client does, then those who asked, then the other followers. Nothing leaves before the
// sync. Runs detached: it blocks on the disk.
// Patient followers are told of the first commit after a quiet time at once, and of what follows at most so often: nobody waits
// for them, and each wakes a thread. Of an event of the server itself, which may be its stop, they are told first.
// Governed by docs/design/0002-event-log.md and 0007-ledger.md.
#pragma once

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "actors/runtime/commit_inbox.hpp"
#include "actors/runtime/mark_keeper.hpp"
#include "actors/runtime/messages.hpp"
#include "events/log/event_log.hpp"
#include "events/log/place.hpp"

namespace annals::actors {

// What spans streams. The server's is model::ledger; a MoM's log needs none.
class append_check {
 public:
  virtual ~append_check() = default;
  // Of one append, in order; nothing of it was applied.
  virtual std::optional<model::rejection> check(std::span<const log::record_ptr> records) const = 0;
  virtual void apply(const log::record& record) = 0;
  // After a batch that was applied could not be written. Not ok: it could not be read again.
  virtual ports::store_status rebuild(const log::log_reader& reader) = 0;
};

struct log_writer_parts {
  log::event_log* log = nullptr;  // outlive the actor
  const log::log_reader* reader = nullptr;
  append_check* ledger = nullptr;     // may be null
  std::vector<caf::actor> followers;  // told after those who asked
  // The log can no longer be trusted or written (failed sync, damage): say so and stop the process.
  std::function<void(const std::string& text)> stop_process;
  std::function<bool()> disk_writable;                  // asked once a second while the disk is full
  std::vector<caf::actor> patient_followers{};          // told like the others, but of many commits at once while they come fast
  std::shared_ptr<mark_keeper> marks{};                 // both may be null
  caf::actor mark_writer{};                             // mark_actor
  std::function<void(const std::string& text)> note{};  // for the daemon's log: the clock went back, or is wrong; may be null
  std::string if_clock_is_right{};                      // what to do then, behind the line that says that it is wrong
};

caf::behavior log_writer(caf::event_based_actor* self, log_writer_parts parts);

// A follower that joins after the writer was started; it gets what is committed from then on. With before_answers a commit
// is in its mailbox before anybody who asked is told: what a client does next finds there what was done for it. `only`: commits
// with a record of this kind alone. `inbox`: what it follows is put there, and it is told when it waits for it, or like the patient ones.
struct follow {
  caf::actor who;
  bool before_answers = false;
  std::optional<schema::StreamKind> only{};
  std::shared_ptr<commit_inbox> inbox{};
};

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::follow)
