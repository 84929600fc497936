// Keeps the mark beside a log (events/log/log_mark.hpp). The log writer tells it of each commit and, about once a second while the
// log grows, an actor with a thread of its own to write it down: nobody waits for that. It is written once more at an orderly stop.
// It follows what is durable, so it is never ahead of it.
// Governed by docs/design/0028-lost-logs.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "actors/runtime/messages.hpp"
#include "events/log/log_mark.hpp"
#include "events/log/log_reader.hpp"
#include "events/values/stored_state.hpp"

namespace annals::actors {

struct mark_keeper_parts {
  std::string file;
  std::string log;                               // its identity
  const ports::record_log* store = nullptr;      // outlives the keeper
  std::function<void(const std::string&)> note;  // trouble, for the daemon's log; may be empty
  bool doubted = false;                          // the log was put there from a copy: its marks say so until trust()
};

class mark_keeper {
 public:
  explicit mark_keeper(mark_keeper_parts parts);

  // Each record of the log from the first on, before the actor runs.
  void replayed(const log::record& r);
  // In place of the records up to a checkpoint's.
  void restore(stored::reader& from);
  void empty();  // nothing was replayed, and nothing restored
  // Writes the mark of all that is durable now: when the replay is over, and at the end. False: it could not be written.
  bool write_all();

  void follow(const records_ptr& records);
  bool write();                // what was followed; true: it stands there
  void trust();                // the next mark that is written vouches for the log
  log::log_mark mark() const;  // as it was written last

 private:
  bool keep();

  mark_keeper_parts parts_;
  mutable std::mutex guard_;  // the log writer, the actor, and the main thread at start and end
  log::log_mark reached_, written_;
  log::record_ptr last_;  // that was followed; its hash is worked out when the mark is written
  bool trouble_ = false;
  bool doubted_ = false, written_doubted_ = false;
};

struct mark_due {};

// Takes `mark_due`, and does it again while the mark can't be written. told: after each mark that it has written; may be empty.
caf::behavior mark_actor(caf::event_based_actor* self, std::shared_ptr<mark_keeper> keeper, std::function<void(const log::log_mark&)> told);

}  // namespace annals::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(annals::actors::mark_due)
