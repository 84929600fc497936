// The folds of a server, and which of them a checkpoint has: one list for the server, which starts from a checkpoint, and for the maker of
// checkpoints, which goes on from the last one. Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/gateway/directory.hpp"
#include "actors/replica/checkpoint.hpp"
#include "actors/replica/replica.hpp"
#include "actors/replica/status_folds.hpp"
#include "actors/server/aggregates.hpp"
#include "actors/server/event_notes.hpp"
#include "actors/server/reactions/reaction_set.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// Names of what the books know at a checkpoint. Who keeps the books adds these folds (actors/server/{accounting,mail}_actor.hpp).
inline constexpr const char* accounting_fold = "accounting";
inline constexpr const char* mail_fold = "mail";
inline constexpr const char* mark_fold = "mark";

struct server_folds {
  std::shared_ptr<projections::status> status = std::make_shared<projections::status>();
  std::shared_ptr<ledger_check> ledger = std::make_shared<ledger_check>();
  std::shared_ptr<directory> where;
  std::shared_ptr<reactions::reaction_set> reactions;
  std::shared_ptr<event_notes> notes;  // null: there is no log of lines

  // home: PBS_HOME at the server.
  server_folds(const std::string& home, std::shared_ptr<event_notes> lines)
      : where(std::make_shared<directory>(home)), reactions(std::make_shared<reactions::reaction_set>(home)), notes(std::move(lines)) {}

  // All of them but for which records made what there is, which a server and the maker of checkpoints keep in different ways.
  named_fold of_status() const;
  std::vector<named_fold> of_rest() const;
  // A replica of these, of that (`past`), and of others.
  replica joined(named_fold past, std::vector<named_fold> others) const;
};

}  // namespace annals::actors
