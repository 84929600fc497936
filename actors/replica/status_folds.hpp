// Which records made what there is, as a fold of a replica, and rows of finished jobs at a start: the same for a server and for a follower.
// Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <memory>
#include <string>

#include "actors/replica/checkpoint.hpp"
#include "actors/replica/replica.hpp"
#include "projections/status/past.hpp"
#include "projections/status/past_records.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

// Behind that of the status, in its lane. A process that answers makes the index of the past as well; a maker of checkpoints only keeps
// what the index needs. Both have the same state.
named_fold fold_of_past(std::shared_ptr<projections::past_writer> past, std::shared_ptr<projections::status> status);
named_fold fold_of_past(std::shared_ptr<projections::past_records> past, std::shared_ptr<projections::status> status);

// Files in the directory of a checkpoint: its states, and rows of finished jobs.
std::string checkpoint_file(const std::string& directory);
std::string history_file(const std::string& directory);
std::string past_file(const std::string& directory);

// To the state of the checkpoint, whose files are in `directory`; empty: it has all rows itself. `all` has both folds, and has folded
// nothing. Throws stored::state_unreadable: the folds are of no use then.
void restore(replica& all, const checkpoint& from, projections::status& status, projections::past_writer& past,
             const std::string& directory);

}  // namespace annals::actors
