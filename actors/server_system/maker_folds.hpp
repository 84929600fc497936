// Folds of who makes checkpoints of a server. Governed by docs/design/0068-checkpoints.md.
#pragma once

#include <memory>
#include <string>

#include "actors/replica/kept_folds.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/server_system/server_folds.hpp"
#include "projections/status/past_records.hpp"

namespace annals::actors {

class maker_folds final : public kept_folds {
 public:
  explicit maker_folds(const std::string& home);  // PBS_HOME at the server
  replica& all() override { return all_; }
  projections::row_file& history() override { return folds_.status->history_rows(); }
  projections::row_file& past() override { return past_->ended_rows(); }

 private:
  daemon_log no_lines_{"/dev/null", "", 0, false, true};
  server_folds folds_;
  std::shared_ptr<projections::past_records> past_ = std::make_shared<projections::past_records>();
  replica all_;
};

}  // namespace annals::actors
