// The folds of a follower, and which of them a checkpoint has: one list for the start, and for who makes checkpoints, which goes on from
// the last one. Governed by docs/design/0068-checkpoints.md and docs/design/0069-the-feed.md.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/replica/kept_folds.hpp"
#include "actors/replica/replica.hpp"
#include "events/log/log_reader.hpp"
#include "events/model/settings_fold.hpp"
#include "events/ports/event_store.hpp"
#include "projections/status/past.hpp"
#include "projections/status/past_records.hpp"
#include "projections/status/status.hpp"

namespace annals::actors {

struct follower_folds {
  std::shared_ptr<projections::status> status = std::make_shared<projections::status>();
  std::shared_ptr<model::settings_fold> settings = std::make_shared<model::settings_fold>();

  // A replica of these and of that, which a follower and the maker of its checkpoints keep in different ways.
  replica joined(named_fold past) const;
};

// The folds of the process that makes checkpoints.
class follower_maker_folds final : public kept_folds {
 public:
  follower_maker_folds();
  replica& all() override { return all_; }
  projections::row_file& history() override { return folds_.status->history_rows(); }
  projections::row_file& past() override { return past_->ended_rows(); }

 private:
  follower_folds folds_;
  std::shared_ptr<projections::past_records> past_ = std::make_shared<projections::past_records>();
  replica all_;
};

// All that a follower's copy of the log has at its start: from this it answers.
struct folded_copy {
  follower_folds folds;
  std::shared_ptr<projections::past_writer> past;
};

struct copy_to_fold {
  const log::log_reader* reader = nullptr;
  ports::storage store;              // of the copy; the index of the past is made there
  std::string checkpoint_directory;  // with the files of the last checkpoint
  std::string scratch_directory;     // later rows of finished jobs go there, into files without a name
  // Is told where it begins, and why not with the checkpoint.
  std::function<void(const std::string& text)> note = [](const std::string&) {};
};
// From the checkpoint on if there is one that can be used, else all of it. Throws log::log_damaged if a record can't be read, and
// std::runtime_error if the rows have no place.
folded_copy fold_copy(const copy_to_fold& of);

}  // namespace annals::actors
