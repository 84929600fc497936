// Keeps the daily accounting files behind the log: a follower that never holds anybody up. Lines are in the file when the
// commit that caused them was told; they are made durable, with the checkpoint, about once a second.
//
// When the disk takes no more it stops where it is and goes on from there, reading the log, when it can. When a sync
// fails it goes back to the checkpoint and folds anew. Governed by docs/design/0012-accounting.md.
#pragma once

#include <caf/event_based_actor.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/runtime/messages.hpp"
#include "events/log/log_reader.hpp"
#include "projections/accounting/accounting.hpp"
#include "projections/accounting/accounting_files.hpp"

namespace annals::actors {

struct accounting_parts {
  std::string directory;                         // "$PBS_HOME/server_priv/accounting"
  std::string checkpoint;                        // file
  const ports::record_log* store = nullptr;      // of the log; outlives the follower
  std::function<void(const std::string&)> note;  // trouble, for the daemon's log; may be empty
};

class accounting_follower {
 public:
  explicit accounting_follower(accounting_parts parts);

  // Each record of the log from the first on, or from that behind a restored state, before the actor runs. Throws std::runtime_error when
  // the files can't be used.
  void replayed(const log::record& record);
  // In place of the records up to a checkpoint's. If lines of them are missing from the files, the first sync reads the log anew.
  void restore(stored::reader& from);
  void empty();  // nothing was replayed, and nothing restored

  void follow(const records_ptr& records);
  void sync();
  // Something waits to be made durable, or for space.
  bool behind() const { return trouble_ || (files_ && files_->behind()); }

 private:
  projections::accounting new_fold() const;
  void begin(const log::record& first);
  void give_up(const std::exception& why);
  void tell(const std::string& trouble);
  bool fold(const log::record& record);
  void catch_up();
  bool settled(projections::accounting_files::result r);

  accounting_parts parts_;
  log::log_reader reader_;
  std::optional<projections::accounting_files> files_;  // from the first record on
  projections::accounting fold_;
  bool trouble_ = false;  // nothing is folded until writing works again
  bool told_ = false;     // of the trouble
  bool lost_ = false;     // a sync failed: only starting over helps
};

std::shared_ptr<accounting_follower> make_accounting(accounting_parts parts);

// Takes `committed` and `disk_state`; the first disk_state, sent when the replay is over, lets it write what the replay left.
caf::behavior accounting_actor(caf::event_based_actor* self, std::shared_ptr<accounting_follower> follower);

}  // namespace annals::actors
