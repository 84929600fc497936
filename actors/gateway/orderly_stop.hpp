// How the server ends: at once (qterm -t quick), or when the last run has left (immediate, delay). What becomes of each job
// its own rules say. Part of the gateway's actor.
#pragma once

#include <cstdint>
#include <string>

#include "actors/gateway/switchboard.hpp"

namespace annals::actors {

class orderly_stop {
 public:
  explicit orderly_stop(switchboard& board) : board_(board) {}

  void on_shutdown(schema::Shutdown::Reader how, const model::requester& by, const reply_ptr& reply);
  bool winding_up() const { return !how_.empty(); }
  void stop_job(std::uint64_t number);
  void on_committed(const log::record& record);
  void stop_when_done();
  void stop(const std::string& how);             // writes that the server stops, then lets the process end

 private:
  void wind_up(const std::string& how);

  switchboard& board_;
  std::string how_;                              // "immediate", "delay": runs are waited for
  bool stopped_ = false;                         // the end is being written
};

}  // namespace annals::actors
